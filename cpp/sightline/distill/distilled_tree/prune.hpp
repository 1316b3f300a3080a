// Making a small tree smaller, at the least price.
#pragma once

#include "sightline/distill/distilled_tree/small_tree.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::distill::distilled_tree {

// Replaces nodes by a leaf or by one of their children until at most `n_leaves` are left:
// in rounds, cheapest first (loss per leaf freed), in separate subtrees, and at most half of
// what is too much in each, since every change moves the prices of the others.
void prune_to(SmallTree& tree, const DistillationRows& rows, std::size_t n_leaves, runtime::StopPoll& poll);

}  // namespace sightline::distill::distilled_tree
