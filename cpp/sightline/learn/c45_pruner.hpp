// Pessimistic pruning: subtrees become leaves, or give way to their largest branch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sightline/learn/c45_grown_tree.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::c45 {

class ErrorEstimate;

// Rows of a node whose leaves hold none.
class RowSource {
 public:
  virtual ~RowSource() = default;
  // All of them, or those of all branches but one: then no row is in two branches.
  virtual void gather(std::optional<std::size_t> without_branch, std::vector<Fragment>& rows) const = 0;
};

// Replaces subtrees by a leaf, or by their largest branch, where the expected errors do not rise.
class Pruner {
 public:
  void prune(GrownTree& tree, const TrainingSet& training, const ErrorEstimate& estimate, bool subtree_raising,
             RowGatherer& gatherer, StopPoll& poll);

  // A store of subtrees which others share, and which are added one after the other: each is pruned when it is given.
  // Nothing but what is added may change the store; the gatherer must know all features.
  void start_store(GrownTree& store, const TrainingSet& training, const ErrorEstimate& estimate, bool subtree_raising,
                   RowGatherer& gatherer);
  void add_leaf(NodeId leaf);
  // The last node of the store, over pruned subtrees of it. What is raised is copied first. Whether anything was.
  bool add_and_prune(NodeId node, const RowSource& rows, StopPoll& poll);

 private:
  static constexpr double kSlack = 0.1;

  struct Passing {
    NodeId node;
    std::vector<Fragment> rows;
  };

  void ask_to_stop(std::size_t n_rows);
  void make_room(NodeId first);
  void find_missing(NodeId first);
  void settle_below(NodeId root);
  bool settle(NodeId v);
  NodeId largest_branch(NodeId v) const;
  double errors_as_branch(NodeId v, NodeId branch, double as_leaf, double as_tree);
  void raise(NodeId v, NodeId branch);
  NodeId copy_of(NodeId branch);
  void gather_rows_for(NodeId v, NodeId branch);
  double pass_down(NodeId root, bool keep);
  void take_over(NodeId v, const std::vector<Fragment>& rows);
  void count(NodeId v, const std::vector<Fragment>& rows);
  void divide(NodeId v, const std::vector<Fragment>& rows);
  void drop_empty(std::size_t first);
  void distribute(const GrownNode& node, const std::vector<Fragment>& rows, std::size_t first);
  std::vector<Fragment> take_list();

  GrownTree* tree_ = nullptr;
  const TrainingSet* training_ = nullptr;
  const ErrorEstimate* estimate_ = nullptr;
  RowGatherer* gatherer_ = nullptr;
  StopPoll* poll_ = nullptr;
  const RowSource* source_ = nullptr;  // of the node of a store that is pruned; null: its leaves hold rows
  bool subtree_raising_ = false;

  std::vector<std::pair<NodeId, bool>> stack_;
  std::vector<double> errors_;    // of the subtree as it is now
  std::vector<bool> may_repeat_;  // whether a row may lie in two leaves of the subtree
  bool counts_add_up_ = true;     // of what is passed down now
  std::vector<NodeId> sources_;
  double enough_ = 0;
  std::size_t n_rows_passed_ = 0;
  std::vector<Fragment> rows_;
  std::vector<Passing> passing_;
  std::vector<std::vector<Fragment>> free_lists_;
  std::vector<Fragment> missing_;
  std::vector<double> known_;
  std::vector<double> counts_;
  SubtreeCopier copier_;
  GrownTree copied_;
};

}  // namespace sightline::c45
