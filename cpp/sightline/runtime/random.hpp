// Random numbers by counting: what a stream gives depends on its seed and number alone.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sightline {

// SplitMix64, started at a place that seed and stream number decide. Work that is numbered
// draws from streams of the same numbers, so that the order and the thread do not matter.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::uint64_t number) : state_(mixed(seed + kStep) ^ mixed(mixed(number + kStep))) {}

  std::uint64_t next() { return mixed(state_ += kStep); }
  // In [0, 1), 53 bits.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  // In [0, n). The bias of this product is below n / 2^53.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(uniform() * static_cast<double>(n)); }
  bool chance(double probability) { return uniform() < probability; }

 private:
  static constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15;

  static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

}  // namespace sightline
