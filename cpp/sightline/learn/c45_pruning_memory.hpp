// C4.5 over many feature sets of the same rows: what a subtree becomes by pruning is found once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightline/learn/c45_memory.hpp"
#include "sightline/learn/c45_prune.hpp"
#include "sightline/learn/c45_pruner.hpp"

namespace sightline::c45 {

// Numbers by short lists of numbers; those that begin alike are of one length. What was asked for lies in one place,
// and the last answer to a first number is found without a search: memory out of the cache is what this costs.
class ListTable {
 public:
  // Where the number of a list is, or null.
  const std::uint32_t* find(std::span<const std::uint32_t> list);
  void insert(std::span<const std::uint32_t> list, std::uint32_t number);
  std::size_t size() const { return n_lists_; }

 private:
  bool is_at(std::uint32_t place, std::span<const std::uint32_t> list) const;
  std::size_t slot_of(std::span<const std::uint32_t> list) const;
  void grow();

  std::vector<std::uint32_t> entries_{0};  // length, list, number; place 0 is none
  std::vector<std::uint32_t> slots_;       // places, hashed
  std::vector<std::uint32_t> last_;        // places, by the first number
  std::size_t n_lists_ = 0;
};

// What becomes of a node depends on its rows, its test and on what its branches were pruned to: trees that differ only
// in what is pruned away, or elsewhere, share it. Not safe for several threads at once.
class PruningMemory {
 public:
  // Of trees of one growth memory until that forgets, all finished in one way, without a limit of leaves.
  PruningMemory(const TrainingSet& training, const GrowthMemory& growth, bool collapse, const Finish& finish);
  PruningMemory(const PruningMemory&) = delete;
  PruningMemory& operator=(const PruningMemory&) = delete;

  // Whether the growth memory forgot what this was made for, or this has become too large.
  bool is_stale() const;

  // Collapses and prunes the tree that was decided last. Equal numbers are equal trees.
  std::uint32_t prune(const Decisions& decisions, StopPoll& poll);
  // Without the rows of the leaves.
  void build(std::uint32_t pruned, GrownTree& tree);

 private:
  using NodeIndex = GrowthMemory::NodeIndex;

  // A subtree of the store, or a node of the growth memory that became a leaf: most are never asked for their errors.
  using Result = std::uint32_t;
  static constexpr Result kIsLeaf = Result{1} << 31;
  struct Done {
    Result result;
    double leaf_errors;  // of the subtree as it was grown
  };

  NodeId stored(Result result);
  Result settle(const GrowthMemory::Place& place, std::uint32_t feature, StopPoll& poll);

  const TrainingSet& training_;
  const GrowthMemory& growth_;
  std::size_t n_beginnings_;
  bool collapse_;
  ErrorEstimate estimate_;
  RowGatherer gatherer_;
  Pruner pruner_;
  GrownTree store_;  // subtrees that others share
  SubtreeCopier copier_;
  std::vector<NodeId> leaf_;  // in the store, per node of the growth memory; -1: not there
  ListTable results_;         // by the test and the results of the branches
  std::vector<std::uint32_t> key_;
  std::vector<NodeId> branches_;
  std::vector<Done> done_;
};

}  // namespace sightline::c45
