// Best-first growth on the ensemble's probabilities.
#pragma once

#include "sightline/distill/distilled_tree/small_tree.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::distill::distilled_tree {

enum class Criterion : std::uint8_t {
  kGini = 0,   // of the mean probabilities
  kMixed = 1,  // Gini plus the probability of the most probable class
};

struct GrowthOptions {
  Criterion criterion = Criterion::kGini;
  double min_weight = 1;  // minimum weight of the rows on either side of a test
  int n_threads = 1;
};

// Splits the leaf with the largest gain until the tree has `n_leaves` or no split gains. Growing
// to fewer leaves gives an intermediate tree of growing to more.
void grow(SmallTree& tree, const DistillationRows& rows, std::size_t n_leaves, const GrowthOptions& options,
          runtime::StopPoll& poll);

}  // namespace sightline::distill::distilled_tree
