// Caches the pruning of C4.5 trees on many feature sets of the same rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightline/learn/c45/growth_cache.hpp"
#include "sightline/learn/c45/list_table.hpp"
#include "sightline/learn/c45/prune.hpp"
#include "sightline/learn/c45/pruner.hpp"

namespace sightline::learn::c45 {

// What a grown node is pruned to depends only on its test and its pruned branches. Trees that differ only in pruned parts, or
// elsewhere, share the result. Rows are those of the grown node. Pruning a single tree gathers them from its leaves instead,
// where the parts of rows with missing values may add up to weights that differ in the last bits, far below the tolerance
// of every comparison. Not thread-safe.
class PruningCache {
 public:
  PruningCache(const TrainingSet& training, GrowthCache& growth, bool collapse, const PruneOptions& options);
  PruningCache(const PruningCache&) = delete;
  PruningCache& operator=(const PruningCache&) = delete;

  // Bytes of the pruned subtrees. After the growth cache is cleared, this cache must be rebuilt.
  std::size_t used() const;

  // Grows, collapses and prunes the tree of a feature set, which must ascend. Equal results mean equal trees.
  std::uint32_t prune(std::span<const std::uint32_t> features, runtime::StopPoll& poll);
  // Builds the tree without the rows of its leaves. max_leaves is not applied.
  void build(std::uint32_t pruned, GrownTree& tree);

 private:
  using NodeIndex = GrowthCache::NodeIndex;
  using Step = GrowthCache::Step;

  // A subtree of the store, or a node of the growth cache that became a leaf. Most leaves are never stored.
  using Result = std::uint32_t;
  static constexpr Result kIsLeaf = Result{1} << 31;
  struct Done {
    Result result;
    double leaf_errors;  // training errors of the grown subtree
  };
  // A node whose first n_done branches are done.
  struct Growing {
    NodeIndex node;
    Step step;
    std::size_t n_done;
  };

  void enter(NodeIndex node, NodeIndex parent, runtime::StopPoll& poll);
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
  GrownTree store_;  // shared subtrees
  SubtreeCopier copier_;
  std::vector<model::NodeId> leaf_;  // in the store, per node of the growth cache; -1: not stored
  ListTable results_;                // by test and results of the branches
  std::vector<std::uint32_t> key_;
  std::vector<model::NodeId> branches_;
  std::vector<Growing> growing_;
  std::vector<Done> done_;
};

}  // namespace sightline::learn::c45
