#include "sightline/load/single_threshold.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace sightline::load {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Continues the floats past the largest one: values that overflow round to 2^128.
double unbounded(float single) { return std::min(std::max<double>(single, -0x1p128), 0x1p128); }

// Goes to the next smaller number `times` (0 or 1) times. For numbers of one sign, the order of the bits is that
// of the magnitudes. Branch-free, because signs and the rounding of midpoints are unpredictable.
template <class Bits, class Number>
Number stepped_down(Number number, bool times) {
  const auto bits = std::bit_cast<Bits>(number);
  const Bits is_negative = bits >> (8 * sizeof(Bits) - 1);
  const auto result = std::bit_cast<Number>(static_cast<Bits>(bits + Bits{times} * (2 * is_negative - 1)));
  return number == 0 && times ? -std::numeric_limits<Number>::denorm_min() : result;
}

float stepped_down(float number, bool times) { return stepped_down<std::uint32_t>(number, times); }
float above(float number) { return -stepped_down(-number, true); }

// Whether a float is finite and has neighbors whose distances depend on its exponent alone: almost every one.
bool is_ordinary(float single) {
  constexpr auto kSmallest = std::bit_cast<std::uint32_t>(std::numeric_limits<float>::min()) + 1;
  const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(single) & 0x7fffffff;
  return magnitude - kSmallest < std::bit_cast<std::uint32_t>(kInfinity) - kSmallest;
}

// The largest double that rounds to at most the given float.
double largest_rounding_to(float single) {
  if (is_ordinary(single)) {
    // A double has 29 bits more, so half a step of the float away is its bit 28, also across powers of two. From
    // there an odd float rounds up, to the even one, and the double before that is the largest.
    const auto bits = std::bit_cast<std::uint64_t>(static_cast<double>(single));
    const std::uint64_t half_step = (std::uint64_t{1} << 28) - (std::bit_cast<std::uint32_t>(single) & 1);
    const std::uint64_t is_negative = bits >> 63;
    return std::bit_cast<double>(bits + half_step * (1 - 2 * is_negative));
  }
  if (std::isnan(single)) return single;
  if (single == kInfinity) return std::numeric_limits<double>::max();
  const double midpoint = unbounded(single) / 2 + unbounded(above(single)) / 2;
  // A midpoint is a tie, and ties go to the even neighbor, so let the rounding itself decide.
  return stepped_down<std::uint64_t>(midpoint, static_cast<float>(midpoint) > single);
}

}  // namespace

void single_at_most(std::span<double> thresholds) {
  for (double& threshold : thresholds) {
    const auto nearest = static_cast<float>(threshold);
    threshold = largest_rounding_to(stepped_down(nearest, nearest > threshold));
  }
}

void single_below(std::span<double> thresholds) {
  for (double& threshold : thresholds) {
    if (threshold == -std::numeric_limits<double>::infinity()) continue;
    const auto nearest = static_cast<float>(threshold);
    threshold = largest_rounding_to(stepped_down(nearest, nearest >= threshold));
  }
}

}  // namespace sightline::load
