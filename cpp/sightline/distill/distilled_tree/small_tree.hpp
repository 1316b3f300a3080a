// A mutable tree over binned rows, for growing, alternating optimization and pruning.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sightline/distill/distilled_tree/code_set.hpp"
#include "sightline/distill/distilled_tree/distillation_rows.hpp"
#include "sightline/model/decision_nodes.hpp"

namespace sightline::distill::distilled_tree {

struct SmallNode {
  std::int32_t feature = -1;  // -1: a leaf
  std::int32_t cut = -1;      // numeric: codes up to this go to `yes`
  CodeSet to_yes;             // missing values included
  model::NodeId yes = -1;
  model::NodeId no = -1;
  std::int32_t label = 0;     // the label that costs the node's rows least
  std::vector<double> value;  // the target that costs them least; empty if targets cost nothing
  double squares = 0;         // sum of the squares of `value`
  // Of the last pass of alternating optimization: whether the node changed, and whether the next pass would keep it.
  bool changed = false;
  bool settled = false;

  bool is_leaf() const { return feature < 0; }
};

// The rows that reach each node. They are contiguous, those that take the yes branch first. A node with one parent has
// a part of its parent's range; one with several has a copy.
class NodeRows {
 public:
  // All rows at the root.
  explicit NodeRows(std::size_t n_rows);

  std::span<const std::uint32_t> of(model::NodeId node) const {
    return {rows_.data() + range_[node].begin, range_[node].end - range_[node].begin};
  }
  // How many rows of a divided node take the yes branch.
  std::size_t n_yes(model::NodeId node) const { return n_yes_[node]; }
  // Divides the rows of a node among its children, keeping their order. Parents before children.
  void divide(model::NodeId v, const SmallNode& node, const DistillationRows& rows);

 private:
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  void give(model::NodeId child, Range part);

  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> scratch_;
  std::vector<Range> range_;  // per node
  std::vector<std::size_t> n_yes_;
};

// A tree; a graph if nodes have several parents. Trees stay trees.
class SmallTree {
 public:
  // A single leaf.
  SmallTree() : nodes_(1) {}

  std::size_t n_nodes() const { return nodes_.size(); }
  std::size_t n_leaves() const;
  std::size_t n_tests() const;
  // The nodes that can be reached, parents before children: depth first, of a tree.
  std::vector<model::NodeId> order() const;
  SmallNode& operator[](model::NodeId v) { return nodes_[v]; }
  const SmallNode& operator[](model::NodeId v) const { return nodes_[v]; }

  model::NodeId add_leaf() {
    nodes_.emplace_back();
    return static_cast<model::NodeId>(nodes_.size() - 1);
  }
  // Turns a leaf into a test with two new leaves.
  void split(model::NodeId v, std::int32_t feature, std::int32_t cut, const CodeSet& to_yes);

  model::NodeId leaf_of(const DistillationRows& rows, model::NodeId from, std::uint32_t row) const {
    model::NodeId v = from;
    while (!nodes_[v].is_leaf()) {
      const SmallNode& node = nodes_[v];
      v = node.to_yes.contains(rows.codes(node.feature)[row]) ? node.yes : node.no;
    }
    return v;
  }

  // Drops unreachable nodes and numbers the rest in their order.
  void compact();

  NodeRows node_rows(const DistillationRows& rows) const;
  // Fits the label and the value of every node that has rows.
  void refit(const DistillationRows& rows, const NodeRows& node_rows);
  void refit(const DistillationRows& rows) { refit(rows, node_rows(rows)); }
  // Sum of the losses of all rows.
  double loss(const DistillationRows& rows) const;

 private:
  std::vector<SmallNode> nodes_;
};

// Distance of a row's target from the value of a leaf, as the objective charges it.
inline double target_loss(const DistillationRows& rows, std::uint32_t row, const SmallNode& leaf) {
  if (rows.has_full_targets()) {
    double distance = 0;
    rows.target(row).for_each([&](std::size_t k, float target) {
      const double gap = target - leaf.value[k];
      distance += gap * gap;
    });
    return rows.objective().target * distance;
  }
  // Of a thousand classes a row has a few: (t - v)^2 = v^2 + t (t - 2 v), and the squares of all v are known.
  double distance = leaf.squares;
  rows.target(row).for_each([&](std::size_t k, float target) { distance += target * (target - 2 * leaf.value[k]); });
  return rows.objective().target * std::max(0.0, distance);
}

// Loss of a row in a leaf.
inline double loss_of(const DistillationRows& rows, std::uint32_t row, const SmallNode& leaf) {
  const Objective& objective = rows.objective();
  if (rows.has_numbers()) {
    const double gap = rows.scaled_number(row) - leaf.value[0];
    return rows.importance(row) * on_grid(objective.target * (objective.absolute ? std::abs(gap) : gap * gap));
  }
  const double label = objective.label * rows.charge(row, leaf.label);
  return rows.importance(row) * (objective.target > 0 ? on_grid(label + target_loss(rows, row, leaf)) : label);
}

// Calls take(i, loss of row_of(i) in the leaf) for i < n.
template <class RowOf, class Take>
void for_each_loss(const DistillationRows& rows, std::size_t n, RowOf row_of, const SmallNode& leaf, Take take) {
  const Objective& objective = rows.objective();
  const float* targets = rows.full_targets();
  if (rows.n_classes() != 2 || targets == nullptr || rows.has_charges() || !(objective.target > 0)) {
    for (std::size_t i = 0; i < n; ++i) take(i, loss_of(rows, row_of(i), leaf));
    return;
  }
  // The same for two classes, with the leaf in registers: losses are computed all the time.
  const std::int32_t label = leaf.label;
  const double first = leaf.value[0], second = leaf.value[1];
  const double label_loss = objective.label, scale = objective.target;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t row = row_of(i);
    const double gap = targets[2 * std::size_t{row}] - first;
    const double other_gap = targets[2 * std::size_t{row} + 1] - second;
    const double wrong = label_loss * (label != rows.label(row));
    take(i, rows.importance(row) * on_grid(wrong + scale * (gap * gap + other_gap * other_gap)));
  }
}

// Finds the label and the value that cost some rows least. Ties of labels go to the larger
// probability, then to the lower class. The value is the mean target; the median if the distance
// is absolute.
class LeafFit {
 public:
  explicit LeafFit(const DistillationRows& rows) : rows_(rows), votes_(rows.n_targets()), sums_(rows.n_targets()) {}

  // Sets label and value of the leaf to fit `of`, at least one row.
  void operator()(std::span<const std::uint32_t> of, SmallNode& leaf);

 private:
  std::int32_t label_for(std::span<const std::uint32_t> of);
  void sum_votes(std::span<const std::uint32_t> of);
  void sum_targets(std::span<const std::uint32_t> of);
  double median(std::span<const std::uint32_t> of);

  const DistillationRows& rows_;
  std::vector<double> votes_;  // per label: what it saves the rows
  std::vector<double> sums_;
  std::vector<std::pair<float, double>> sorted_;
  double weight_ = 0;
};

// Sum of the losses of some rows in one leaf.
double loss_in(const DistillationRows& rows, std::span<const std::uint32_t> of, const SmallNode& leaf);

}  // namespace sightline::distill::distilled_tree
