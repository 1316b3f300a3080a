// C4.5 over many feature sets of the same rows: what a node becomes by pruning is found once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sightline/learn/c45/growth_cache.hpp"
#include "sightline/learn/c45/list_table.hpp"
#include "sightline/learn/c45/prune.hpp"
#include "sightline/learn/c45/pruner.hpp"

namespace sightline::learn::c45 {

// What becomes of a grown node depends on its test and on what its branches were pruned to: trees that differ only in
// what is pruned away, or elsewhere, share it. The rows of a node are its own, as they were grown; whoever prunes a single tree
// puts them together again from its leaves, where the parts of rows with missing values may add up to weights that differ in the
// last bits, far below the tolerance of every comparison. Not safe for several threads at once.
class PruningCache {
 public:
  PruningCache(const TrainingSet& training, GrowthCache& growth, bool collapse, const PruneOptions& options);
  PruningCache(const PruningCache&) = delete;
  PruningCache& operator=(const PruningCache&) = delete;

  // Bytes that the pruned subtrees take. Once the growth memory forgets, this has to be made anew.
  std::size_t used() const;

  // Grows, collapses and prunes the tree of a set of features, which must ascend. Equal numbers are equal trees.
  std::uint32_t prune(std::span<const std::uint32_t> features, runtime::StopPoll& poll);
  // Without the rows of the leaves, and without a limit of leaves.
  void build(std::uint32_t pruned, GrownTree& tree);

 private:
  using NodeIndex = GrowthCache::NodeIndex;
  using Step = GrowthCache::Step;

  // A subtree of the store, or a node of the growth memory that became a leaf: most are never asked for their errors.
  using Result = std::uint32_t;
  static constexpr Result kIsLeaf = Result{1} << 31;
  struct Done {
    Result result;
    double leaf_errors;  // of the subtree as it was grown
  };
  // A node whose first branches are done.
  struct Growing {
    NodeIndex node;
    Step step;
    std::size_t n_done;
  };

  void enter(NodeIndex node, runtime::StopPoll& poll);
  void leave(const Growing& growing, runtime::StopPoll& poll);
  Result settle(const Growing& growing, runtime::StopPoll& poll);
  model::NodeId stored(Result result);

  const TrainingSet& training_;
  GrowthCache& growth_;
  bool collapse_;
  bool prune_;
  ErrorEstimate estimate_;
  RowGatherer gatherer_;
  Pruner pruner_;
  GrownTree store_;  // subtrees that others share
  SubtreeCopier copier_;
  std::vector<model::NodeId> leaf_;  // in the store, per node of the growth memory; -1: not there
  ListTable results_;                // by the test and the results of the branches
  std::vector<std::uint32_t> key_;
  std::vector<model::NodeId> branches_;
  std::vector<Growing> growing_;
  std::vector<Done> done_;
};

}  // namespace sightline::learn::c45
