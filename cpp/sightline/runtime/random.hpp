// Random streams that depend only on a seed and an item, not on the order of calls.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

namespace sightline::runtime {

// One stream per item, such as a row: items can be processed in any order and by any number of
// threads. The generator is splitmix64, seeded with a hash of seed and item.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::uint64_t item) : state_(mixed(mixed(seed + kStep) ^ (item * kStep))) {}

  std::uint64_t next() { return mixed(state_ += kStep); }

  // Leaves out numbers at no cost: the next one is the same as after drawing `n` of them.
  void skip(std::uint64_t n) { state_ += n * kStep; }

  // In [0, 1), 53 bits.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  // In [0, n); n must be positive and far below 2^53.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(uniform() * static_cast<double>(n)); }

  bool chance(double probability) { return uniform() < probability; }

  // Standard normal (Box-Muller; the second number is discarded).
  static constexpr std::uint64_t kDrawsPerNormal = 2;
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  static constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15;

  static std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    return x ^ (x >> 31);
  }

  std::uint64_t state_;
};

}  // namespace sightline::runtime
