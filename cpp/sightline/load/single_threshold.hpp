// Translates float32 comparisons into tests x <= d over doubles.
#pragma once

#include <span>

namespace sightline::load {

// Rounding to single precision is monotone: the doubles that pass lie below a largest one. Where every
// finite number passes it is the largest double, where the threshold is NaN it is NaN.

// Replaces each threshold by d with float(x) <= threshold exactly where x <= d.
void single_at_most(std::span<double> thresholds);
// Replaces each threshold by d with float(x) < threshold exactly where x <= d; minus infinity where nothing passes.
void single_below(std::span<double> thresholds);

}  // namespace sightline::load
