// Makes a grown C4.5 tree smaller: collapsing, pessimistic pruning with subtree raising, a limit of leaves.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sightline/learn/c45/error_estimate.hpp"
#include "sightline/learn/c45/grown_tree.hpp"
#include "sightline/learn/c45/options.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::learn::c45 {

// Collapse a subtree unless its leaves make at least this many training errors fewer than one leaf.
inline constexpr double kCollapseSlack = 1e-3;

class Pruner;

// Makes trees smaller in place. It reuses its buffers, so that many small trees cost no allocations. Not thread-safe.
class Trimmer {
 public:
  Trimmer();
  ~Trimmer();

  // Replaces every subtree by a leaf if the leaf makes no more training errors.
  void collapse(GrownTree& tree, const TrainingSet& training);
  // Prunes and limits the leaves according to the options.
  void prune(GrownTree& tree, const TrainingSet& training, const PruneOptions& options, runtime::StopPoll& poll);
  // Undoes the splits that save the fewest expected errors, from the leaves up. The leaves need no rows.
  void limit_leaves(GrownTree& tree, const TrainingSet& training, const PruneOptions& options);

 private:
  const ErrorEstimate& estimate_for(const PruneOptions& options, std::size_t n_rows);

  RowGatherer gatherer_;
  Compactor compactor_;
  std::vector<double> leaf_errors_;
  std::vector<model::NodeId> stack_;
  std::unique_ptr<Pruner> pruner_;
  // The last estimate, with its confidence, whether that is Quinlan's, and the rows it is tabulated for.
  std::optional<ErrorEstimate> estimate_;
  std::pair<double, bool> limits_;
  std::size_t n_rows_ = 0;
};

}  // namespace sightline::learn::c45
