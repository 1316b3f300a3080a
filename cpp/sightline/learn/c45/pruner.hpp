// Pessimistic pruning: replaces subtrees with leaves, or with their largest branch.
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

// Supplies the rows of a node whose leaves hold none.
class RowSource {
 public:
  virtual ~RowSource() = default;
  // All rows, or those of all branches but one. In the second case no row may be in two branches.
  virtual void gather(std::optional<std::size_t> without_branch, std::vector<Fragment>& rows) const = 0;
};

// Replaces subtrees with a leaf or with their largest branch if that does not raise the expected errors.
class Pruner {
 public:
  void prune(GrownTree& tree, const TrainingSet& training, const ErrorEstimate& estimate, bool subtree_raising,
             RowGatherer& gatherer, runtime::StopPoll& poll);

  // A store of shared subtrees, each pruned when it is added. Only add_leaf and add_and_prune may change the store; the
  // gatherer must know all features.
  void start_store(GrownTree& store, const TrainingSet& training, const ErrorEstimate& estimate, bool subtree_raising,
                   RowGatherer& gatherer);
  void add_leaf(model::NodeId leaf);
  // Prunes the last node of the store, whose subtrees are pruned. A raised branch is copied first. Returns whether one was.
  bool add_and_prune(model::NodeId node, const RowSource& rows, runtime::StopPoll& poll);

 private:
  static constexpr double kSlack = 0.1;

  struct Passing {
    model::NodeId node;
    std::vector<Fragment> rows;
  };

  void poll_stop(std::size_t n_rows);
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
  const RowSource* source_ = nullptr;  // rows of the store node being pruned; null: leaves hold their rows
  bool subtree_raising_ = false;

  std::vector<std::pair<model::NodeId, bool>> stack_;
  std::vector<double> errors_;    // expected errors of the current subtree
  std::vector<bool> may_repeat_;  // whether two leaves of the subtree may share a row
  bool counts_add_up_ = true;     // whether rows passed down add to the counts of the branch
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
