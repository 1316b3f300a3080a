// Makes a grown ISM tree smaller: by truncating, joining siblings or pruning.
#pragma once

#include "sightline/distill/ism/grow.hpp"
#include "sightline/learn/c45/error_estimate.hpp"

namespace sightline::distill::ism {

// The beginning of the growth: what the most useful splits give while there are at most so
// many leaves, siblings that say the same counted as one where they will be joined.
Growth truncated(const Growth& growth, std::size_t max_leaves, bool join_siblings);

// With one leaf for every subtree whose leaves all have one label: no label changes. Proved is
// what all those leaves were.
Growth joined(const Growth& growth);

// Without the splits that do not lower the errors to expect against the ensemble's labels,
// estimated as C4.5 does.
Growth pruned(const Growth& growth, const learn::c45::ErrorEstimate& estimate);

}  // namespace sightline::distill::ism
