// Distills the best small tree, and turns it into a model::Tree.
#pragma once

#include "sightline/distill/distilled_tree/small_tree.hpp"
#include "sightline/model/tree.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::distill::distilled_tree {

// A tree is grown to this multiple of its size before it is pruned, or before its nodes are shared.
constexpr std::size_t kOverGrowth = 3;

struct Recipe {
  std::size_t n_leaves;
  bool refine = true;
  int search_rounds = 0;
  int n_threads = 1;
};

// Without refinement: best-first growth only. With it: overgrow, optimize all tests in turn,
// prune, then grow and optimize alternately while the loss falls. The search repeats this from
// the best tree so far, overgrown by different amounts and criteria.
SmallTree distill(const DistillationRows& rows, const Recipe& recipe, runtime::StopPoll& poll);

// The tree with its thresholds and categories. Weights and class counts are those of training
// rows. Outputs are the ensemble's means over all rows of a node: of its probabilities, with the
// smallest change that makes the node's label the most probable, or of its numbers. If distances
// are absolute, the output is the median.
model::TreePtr finished(const SmallTree& tree, const DistillationRows& rows);
// The same, of a graph too, before it is built.
model::TreeArrays arrays_of(const SmallTree& tree, const DistillationRows& rows);

// Per node, row-major: the ensemble's mean probabilities over all its rows.
std::vector<double> probabilities(const SmallTree& tree, const DistillationRows& rows);

}  // namespace sightline::distill::distilled_tree
