// Removes the leaves of a tree that have too few training rows.
#pragma once

#include "sightline/distill/distilled_tree/small_tree.hpp"

namespace sightline::distill::distilled_tree {

// The smallest leaf goes first. Its rows go down the subtree of its sibling, which replaces their parent.
void remove_small_leaves(SmallTree& tree, const DistillationRows& rows);

}  // namespace sightline::distill::distilled_tree
