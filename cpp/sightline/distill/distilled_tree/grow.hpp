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
  double min_weight = 1;  // least weight of the rows on either side of a test
  int n_threads = 1;
};

// Splits the leaf that gains most until the tree has `n_leaves` or nothing gains. A tree of
// fewer leaves is what this growth passed through on its way to more.
void grow(SmallTree& tree, const DistillationRows& rows, std::size_t n_leaves, const GrowthOptions& options,
          runtime::StopPoll& poll);

}  // namespace sightline::distill::distilled_tree
