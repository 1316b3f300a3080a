// Pessimistic pruning: subtrees become leaves, or give way to their largest branch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sightline/learn/c45/grown_tree.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::learn::c45 {

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
             RowGatherer& gatherer, runtime::StopPoll& poll);

  // A store of subtrees which others share, and which are added one after the other: each is pruned when it is given.
  // Nothing but what is added may change the store; the gatherer must know all features.
  void start_store(GrownTree& store, const TrainingSet& training, const ErrorEstimate& estimate, bool subtree_raising,
                   RowGatherer& gatherer);
  void add_leaf(model::NodeId leaf);
  // The last node of the store, over pruned subtrees of it. What is raised is copied first. Whether anything was.
  bool add_and_prune(model::NodeId node, const RowSource& rows, runtime::StopPoll& poll);

 private:
  static constexpr double kSlack = 0.1;

  struct Passing {
    model::NodeId node;
    std::vector<Fragment> rows;
  };

  void ask_to_stop(std::size_t n_rows);
  void make_room(model::NodeId first);
  void find_missing(model::NodeId first);
  void settle_below(model::NodeId root);
  bool settle(model::NodeId v);
  model::NodeId largest_branch(model::NodeId v) const;
  double errors_as_branch(model::NodeId v, model::NodeId branch, double as_leaf, double as_tree);
  void raise(model::NodeId v, model::NodeId branch);
  model::NodeId copy_of(model::NodeId branch);
  void gather_rows_for(model::NodeId v, model::NodeId branch);
  double pass_down(model::NodeId root, bool keep);
  void take_over(model::NodeId v, const std::vector<Fragment>& rows);
  void count(model::NodeId v, const std::vector<Fragment>& rows);
  void divide(model::NodeId v, const std::vector<Fragment>& rows);
  void drop_empty(std::size_t first);
  void distribute(const GrownNode& node, const std::vector<Fragment>& rows, std::size_t first);
  std::vector<Fragment> take_list();

  GrownTree* tree_ = nullptr;
  const TrainingSet* training_ = nullptr;
  const ErrorEstimate* estimate_ = nullptr;
  RowGatherer* gatherer_ = nullptr;
  runtime::StopPoll* poll_ = nullptr;
  const RowSource* source_ = nullptr;  // of the node of a store that is pruned; null: its leaves hold rows
  bool subtree_raising_ = false;

  std::vector<std::pair<model::NodeId, bool>> stack_;
  std::vector<double> errors_;    // of the subtree as it is now
  std::vector<bool> may_repeat_;  // whether a row may lie in two leaves of the subtree
  bool counts_add_up_ = true;     // of what is passed down now
  std::vector<model::NodeId> sources_;
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

}  // namespace sightline::learn::c45
