// Lets paths of a small graph end in the same nodes.
#pragma once

#include "sightline/distill/distilled_tree/small_tree.hpp"

namespace sightline::distill::distilled_graph {

using distilled_tree::DistillationRows;
using distilled_tree::SmallTree;

// Merges equal tests with equal branches, and drops tests whose branches lead to the same node. Predicts the same.
void join_equal(SmallTree& graph);

// Gives every branch that leads to a leaf a leaf of its own.
void separate_leaves(SmallTree& graph);

// Merges leaves of the same label whose mean answers are similar, the most similar first. Leaves with too few
// training rows are merged with the most similar one of their label, however far it is. Labels do not change.
void pool_leaves(SmallTree& graph, const DistillationRows& rows);

}  // namespace sightline::distill::distilled_graph
