// Translates float32 comparisons into tests x <= d over doubles.
#pragma once

#include <span>

namespace sightline::load {

// Rounding to single precision is monotone, so a largest double d passes. If every finite number
// passes, d is the largest double; if the threshold is NaN, d is NaN.

// Replaces each threshold with the d for which float(x) <= threshold is equivalent to x <= d.
void single_at_most(std::span<double> thresholds);
// Replaces each threshold with the d for which float(x) < threshold is equivalent to x <= d; d is minus
// infinity if nothing passes.
void single_below(std::span<double> thresholds);

}  // namespace sightline::load
