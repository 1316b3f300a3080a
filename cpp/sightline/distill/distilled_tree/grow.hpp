// Best-first growth on the ensemble's probabilities or numbers.
#pragma once

#include "sightline/distill/distilled_tree/small_tree.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::distill::distilled_tree {

enum class Criterion : std::uint8_t {
  kSquares = 0,  // squared distance from the mean target: of probabilities, Gini impurity
  kMixed = 1,    // the same, plus the probability of the most probable class
};

struct GrowthOptions {
  Criterion criterion = Criterion::kSquares;
  double min_weight = 1;  // minimum weight of the rows on either side of a test
  int n_threads = 1;
};

// Splits the leaf with the largest gain until the tree has `n_leaves` or no split gains. Growing
// to fewer leaves gives an intermediate tree of growing to more.
void grow(SmallTree& tree, const DistillationRows& rows, std::size_t n_leaves, const GrowthOptions& options,
          runtime::StopPoll& poll);

}  // namespace sightline::distill::distilled_tree
