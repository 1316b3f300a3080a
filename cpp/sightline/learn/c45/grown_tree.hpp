// A C4.5 tree under construction, with the rows of its leaves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sightline/learn/training_set.hpp"
#include "sightline/model/tree.hpp"

namespace sightline::learn::c45 {

// A training row, or the part of it that went this way because a tested value was missing.
struct Fragment {
  std::uint32_t row;
  double weight;
};

// Children, values and rows are ranges of the lists of the tree; class counts are a row of its counts.
struct GrownNode {
  double threshold = 0;
  double weight = 0;
  std::int32_t feature = -1;
  model::Test test = model::Test::kLeaf;
  std::uint32_t n_values = 0;  // kSubset: the values of branch 0
  std::uint32_t first_value = 0;
  std::uint32_t n_children = 0;
  std::uint32_t first_child = 0;
  std::uint32_t count_row = 0;
  // For leaves. After parts of rows were merged, there is more room than rows.
  std::size_t first_row = 0;
  std::uint32_t n_rows = 0;
  std::uint32_t room = 0;

  bool is_leaf() const { return n_children == 0; }
};

// Nodes in depth-first order. A leaf without rows (weight 0) predicts like its parent. `clear` keeps the memory for the
// next tree.
struct GrownTree {
  std::vector<GrownNode> nodes;
  std::vector<model::NodeId> children;
  std::vector<std::int32_t> values;
  model::NumberRows<double> counts;
  std::vector<Fragment> rows;
  std::size_t n_classes = 0;

  void clear(std::size_t n_classes_of_next);
  // Adds a leaf, still without rows.
  model::NodeId add_node(model::NumberRow<double> class_counts, double weight);
  // Removes the last node. Nothing may have been added after its counts and child slots.
  void drop_last();
  // Makes slots for children, to be filled by `set_child`.
  void open(model::NodeId node, std::size_t n_children);
  void set_child(model::NodeId node, std::size_t branch, model::NodeId child) {
    children[nodes[node].first_child + branch] = child;
  }
  // Assigns the rows added since `first` to a leaf.
  void close_leaf(model::NodeId node, std::size_t first);

  // Makes a node test whether a value is one of these, which must ascend.
  void set_values(model::NodeId node, std::span<const std::int32_t> of_branch_0);
  std::span<const std::int32_t> values_of(const GrownNode& node) const {
    return {values.data() + node.first_value, node.test == model::Test::kSubset ? node.n_values : 0};
  }

  std::span<const model::NodeId> children_of(model::NodeId node) const {
    return {children.data() + nodes[node].first_child, nodes[node].n_children};
  }
  model::NumberRow<double> counts_of(model::NodeId node) const { return counts[nodes[node].count_row]; }
  void set_counts(model::NodeId node, std::span<const double> class_counts) {
    nodes[node].count_row = static_cast<std::uint32_t>(counts.replace(nodes[node].count_row, class_counts));
  }
  std::span<const Fragment> rows_of(model::NodeId node) const {
    return {rows.data() + nodes[node].first_row, nodes[node].n_rows};
  }
  double training_errors(model::NodeId node) const;
};

// Turns inner nodes into leaves and gathers the rows of their subtrees.
class RowGatherer {
 public:
  // Call once for each tree, before gathering its rows.
  void start(const GrownTree& tree, const TrainingSet& training);
  // The same for trees that may test any feature.
  void start(const TrainingSet& training);

  // Whether a row may lie in several leaves, because a tested value is missing.
  bool fragments_repeat() const { return fragments_repeat_; }
  // Whether a tested feature has missing values.
  bool is_incomplete(std::int32_t feature) const { return is_incomplete_[feature]; }

  // Gathers the rows of some subtrees of one node. If rows may repeat, parts of one row are merged: a row with k missing
  // values may lie in 2^k leaves.
  void gather(const GrownTree& tree, std::span<const model::NodeId> roots, bool may_repeat, std::vector<Fragment>& rows);
  void make_leaf(GrownTree& tree, model::NodeId node);

 private:
  void find_leaves(const GrownTree& tree, std::span<const model::NodeId> roots);
  void gather_leaves(const GrownTree& tree, bool may_repeat, std::vector<Fragment>& rows);
  void merge(std::span<const Fragment> part, std::vector<Fragment>& rows);

  bool fragments_repeat_ = false;
  std::vector<bool> is_known_;  // per feature: whether is_incomplete_ is filled in
  std::vector<bool> is_incomplete_;
  std::vector<std::uint32_t> index_;  // per row: 1 + index in the merged rows; all 0 between calls
  std::vector<model::NodeId> stack_;
  std::vector<model::NodeId> leaves_;
  std::vector<Fragment> rows_;
};

// A node to copy, and the parent and branch it belongs to.
struct ToCopy {
  model::NodeId node;
  model::NodeId parent;
  std::size_t branch;
};

// Removes unreachable nodes and numbers the rest depth-first.
class Compactor {
 public:
  void compact(GrownTree& tree);

 private:
  std::vector<ToCopy> stack_;
  std::vector<GrownNode> nodes_;
};

// Appends a copy of a subtree, without its rows, to another tree.
class SubtreeCopier {
 public:
  void copy(const GrownTree& from, model::NodeId root, GrownTree& to);

 private:
  std::vector<ToCopy> stack_;
};

model::TreePtr to_tree(const GrownTree& tree, const table::Columns& columns, bool laplace);

}  // namespace sightline::learn::c45
