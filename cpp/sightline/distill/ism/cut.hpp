// Makes a grown ISM tree smaller: by truncating, joining siblings or pruning.
#pragma once

#include "sightline/distill/ism/grow.hpp"
#include "sightline/learn/c45/error_estimate.hpp"

namespace sightline::distill::ism {

// Keeps the most useful splits, as many as fit into `max_leaves` leaves. With `join_siblings`,
// siblings of the same label count as one leaf.
Growth truncated(const Growth& growth, std::size_t max_leaves, bool join_siblings);

// Replaces every subtree whose leaves all have the same label with one leaf, so no label changes.
// The new leaf is proved if all those leaves were.
Growth joined(const Growth& growth);

// Removes the splits that do not lower the expected number of errors against the ensemble's labels,
// estimated as in C4.5.
Growth pruned(const Growth& growth, const learn::c45::ErrorEstimate& estimate);

// The same for numbers, with the estimate of M5: the distances of n rows from their mean count
// (n + 1) / (n - 1) times. A leaf with one row says nothing about others, so the row's
// distance from the parent's output counts instead.
Growth pruned(const Growth& growth);

}  // namespace sightline::distill::ism
