#include "sightline/load/single_threshold.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sightline {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Continues the singles beyond their end: what overflows rounds to 2^128.
double unbounded(float single) { return std::clamp<double>(single, -0x1p128, 0x1p128); }

// The largest double whose single is at most the given one.
double largest_rounding_to(float single) {
  if (std::isnan(single)) return single;
  if (single == kInfinity) return std::numeric_limits<double>::max();
  const double midpoint = unbounded(single) / 2 + unbounded(std::nextafter(single, kInfinity)) / 2;
  // A midpoint is a tie, and ties go to the even neighbour: ask the rounding itself.
  if (static_cast<float>(midpoint) <= single) return midpoint;
  return std::nextafter(midpoint, -std::numeric_limits<double>::infinity());
}

}  // namespace

void single_at_most(std::span<double> thresholds) {
  for (double& threshold : thresholds) {
    const auto nearest = static_cast<float>(threshold);
    threshold = largest_rounding_to(nearest > threshold ? std::nextafter(nearest, -kInfinity) : nearest);
  }
}

void single_below(std::span<double> thresholds) {
  for (double& threshold : thresholds) {
    if (threshold == -std::numeric_limits<double>::infinity()) continue;
    const auto nearest = static_cast<float>(threshold);
    threshold = largest_rounding_to(nearest >= threshold ? std::nextafter(nearest, -kInfinity) : nearest);
  }
}

}  // namespace sightline
