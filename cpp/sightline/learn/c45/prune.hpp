// Making a grown C4.5 tree smaller: collapse, pessimistic pruning with subtree raising, a limit of leaves.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sightline/learn/c45/grown_tree.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::learn::c45 {

// Errors to expect of a leaf: those seen, plus what the upper limit of a binomial
// confidence interval adds.
class ErrorEstimate {
 public:
  // `confidence` is rounded to float, as in Weka; `z` is the normal quantile of 1 - confidence.
  ErrorEstimate(double confidence, double z) : confidence_(static_cast<float>(confidence)), z_(z) {}
  // Leaves without an error of up to so many rows are looked up from now on.
  void remember(std::size_t n_rows);
  // Most leaves without an error are small.
  static constexpr std::size_t kRemembered = 1024;

  double operator()(std::span<const double> counts) const;
  double extra(double n, double errors) const;

 private:
  double without_errors(double n) const;

  double confidence_;
  double z_;
  std::vector<double> without_errors_;  // by the number of rows
};

// What happens to a tree once it is grown and collapsed.
struct PruneOptions {
  bool prune = true;
  double confidence = 0.25;
  double z = 0;  // the normal quantile of 1 - confidence
  bool subtree_raising = true;
  std::optional<std::size_t> max_leaves;

  bool operator==(const PruneOptions&) const = default;
};

// A subtree is collapsed whose leaves make at most so much fewer training errors.
inline constexpr double kCollapseSlack = 1e-3;

class Pruner;

// Makes trees smaller, in place. It keeps its memory from tree to tree, so that many small ones cost no allocations;
// for one thread at a time.
class Trimmer {
 public:
  Trimmer();
  ~Trimmer();

  // Replaces every subtree by a leaf that makes no more training errors than its leaves do.
  void collapse(GrownTree& tree, const TrainingSet& training);
  // Prunes and limits the leaves, as far as that is wanted.
  void finish(GrownTree& tree, const TrainingSet& training, const PruneOptions& options, runtime::StopPoll& poll);
  // Undoes the splits that save the fewest expected errors, from the leaves up. The leaves need not hold rows.
  void limit_leaves(GrownTree& tree, const TrainingSet& training, const PruneOptions& options);

 private:
  const ErrorEstimate& estimate_for(const PruneOptions& options, std::size_t n_rows);

  RowGatherer gatherer_;
  Compactor compactor_;
  std::vector<double> leaf_errors_;
  std::vector<model::NodeId> stack_;
  std::unique_ptr<Pruner> pruner_;
  // The last estimate and what it was made for.
  std::optional<ErrorEstimate> estimate_;
  double confidence_ = 0;
  double z_ = 0;
  std::size_t n_rows_ = 0;
};

}  // namespace sightline::learn::c45
