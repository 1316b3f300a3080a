// Making a grown C4.5 tree smaller: collapse, pessimistic pruning with subtree raising, a limit of leaves.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "sightline/learn/c45_grow.hpp"

namespace sightline::c45 {

// Errors to expect of a leaf: those seen, plus what the upper limit of a binomial
// confidence interval adds.
class ErrorEstimate {
 public:
  // `confidence` is rounded to float, as in Weka; `z` is the normal quantile of 1 - confidence.
  ErrorEstimate(double confidence, double z) : confidence_(static_cast<float>(confidence)), z_(z) {}
  double operator()(std::span<const double> counts) const;
  double extra(double n, double errors) const;

 private:
  double confidence_;
  double z_;
};

// Replaces every subtree by a leaf that makes no more training errors than its leaves do.
void collapse(GrownTree& tree, const TrainingSet& training);

// Replaces subtrees by a leaf, or by their largest branch, where the expected errors do
// not rise.
GrownTree prune(GrownTree tree, const TrainingSet& training, const ErrorEstimate& estimate, bool subtree_raising,
                StopPoll& poll);

// Undoes the splits that save the fewest expected errors, from the leaves up.
void limit_leaves(GrownTree& tree, const TrainingSet& training, const ErrorEstimate& estimate, std::size_t max_leaves);

// What happens to a tree once it is grown and collapsed.
struct Finish {
  bool prune = true;
  double confidence = 0.25;
  double z = 0;  // the normal quantile of 1 - confidence
  bool subtree_raising = true;
  std::optional<std::size_t> max_leaves;

  bool operator==(const Finish&) const = default;
};

// Takes a copy, so that a tree can be finished at several levels.
GrownTree finish(GrownTree tree, const TrainingSet& training, const Finish& options, StopPoll& poll);

TreePtr to_tree(const GrownTree& tree, const Columns& columns, std::int32_t n_classes, bool laplace);

}  // namespace sightline::c45
