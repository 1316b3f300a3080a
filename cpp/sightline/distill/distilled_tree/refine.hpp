// The recipe for the best small tree, and the finished tree.
#pragma once

#include "sightline/distill/distilled_tree/small_tree.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::distill::distilled_tree {

struct Recipe {
  std::size_t n_leaves;
  bool refine = true;
  double over_growth = 2;  // how many times too large the tree is grown before it is pruned
  int search_rounds = 0;
  int n_threads = 1;
};

// Without refinement: best-first growth alone. With it: grow too large, optimise all
// tests in turn, prune, then grow and optimise in turn while the loss falls. The search
// repeats that from the best tree so far, grown too large in different measures.
SmallTree distill(const DistillationRows& rows, const Recipe& recipe, runtime::StopPoll& poll);

// The tree with its thresholds and categories. Weights and class counts are those of observed
// rows; probabilities the ensemble's mean over all rows of a node, changed as little as makes
// the node's label the most probable.
model::TreePtr finished(const SmallTree& tree, const DistillationRows& rows);

}  // namespace sightline::distill::distilled_tree
