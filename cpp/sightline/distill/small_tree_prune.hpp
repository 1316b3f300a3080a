// Making a small tree smaller, at the least price.
#pragma once

#include "sightline/distill/small_tree.hpp"
#include "sightline/learn/c45_prune.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::distill {

// Replaces nodes by a leaf or by one of their children until at most `n_leaves` are left:
// in rounds, cheapest first (loss per leaf freed), in separate subtrees, and at most half of
// what is too much in each, since every change moves the prices of the others.
void prune_to(SmallTree& tree, const TaughtRows& rows, std::size_t n_leaves, StopPoll& poll);

// C4.5's pessimistic pruning against the ensemble's labels: replaces nodes by a leaf where
// the errors to expect do not rise. `scale` turns weights into the number of rows that they
// are worth.
void prune_pessimistically(SmallTree& tree, const TaughtRows& rows, const c45::ErrorEstimate& estimate, double scale,
                           StopPoll& poll);

}  // namespace sightline::distill
