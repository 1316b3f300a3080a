// Prunes a small tree at the smallest loss.
#pragma once

#include "sightline/distill/distilled_tree/small_tree.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::distill::distilled_tree {

// Replaces nodes by a leaf or by one of their children until at most `n_leaves` are left. It works
// in rounds, cheapest first (loss per removed leaf), in disjoint subtrees. A round removes at most
// half of the excess, because every change moves the prices of the others.
void prune_to(SmallTree& tree, const DistillationRows& rows, std::size_t n_leaves, runtime::StopPoll& poll);

}  // namespace sightline::distill::distilled_tree
