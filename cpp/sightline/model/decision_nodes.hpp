// The nodes of trees and graphs, as parallel arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sightline/model/number_rows.hpp"

namespace sightline::model {

using NodeId = std::int32_t;

enum class Test : std::uint8_t {
  kLeaf = 0,
  kThreshold = 1,  // x <= threshold: branch 0, else branch 1
  kSubset = 2,     // x in the node's categories: branch 0, else branch 1
  kMultiway = 3,   // one branch per declared value, in their order
};

// The arrays of a tree or graph, one entry per node unless said otherwise. Filled by
// learners, importers and readers, in any order of nodes with the root first; `build_tree`
// and `build_graph` turn them into what they describe.
struct TreeArrays {
  std::vector<std::int32_t> n_values;  // per FEATURE: declared values, 0 where numeric
  std::size_t n_outputs = 0;

  std::vector<Test> test;
  std::vector<std::int32_t> feature;  // -1 at leaves
  std::vector<double> threshold;      // 0 unless kThreshold

  // Branches of node v are [branch_begin[v], branch_begin[v + 1]).
  std::vector<std::int64_t> branch_begin;
  std::vector<NodeId> child;  // per branch
  std::vector<double> share;  // per branch: where rows go whose value is missing; sums to 1

  // Categories of a kSubset node v are [category_begin[v], category_begin[v + 1]), ascending.
  std::vector<std::int64_t> category_begin;
  std::vector<std::int32_t> category;

  std::vector<double> weight;  // training weight (coverage)
  NumberRows<double> output;   // n_outputs per node: class probabilities, votes or margins
  NumberRows<double> counts;   // n_outputs per node: training class counts; or empty: not known

  std::size_t n_nodes() const { return test.size(); }

  void reserve(std::size_t nodes);
  // Appends a node whose branches are filled in by `add_branch` calls that follow at once.
  NodeId add_node(Test test, std::int32_t feature, double threshold, double weight);
  void add_branch(NodeId child, double share);
  void add_category(std::int32_t value);
};

// Immutable, valid by construction: every id in range, every node reached from the root,
// children behind their parents.
class DecisionNodes {
 public:
  std::size_t n_nodes() const { return a_.n_nodes(); }
  std::size_t n_features() const { return a_.n_values.size(); }
  std::size_t n_outputs() const { return a_.n_outputs; }
  std::size_t n_leaves() const { return n_leaves_; }
  // Edges on the longest path: a lone leaf has depth 0.
  std::size_t depth() const { return depth_; }
  // Features that some node tests, ascending.
  std::vector<std::int32_t> used_features() const;
  // Edges on the longest way from the root to each node.
  const std::vector<std::int32_t>& levels() const { return levels_; }

  Test test(NodeId v) const { return a_.test[v]; }
  bool is_leaf(NodeId v) const { return a_.test[v] == Test::kLeaf; }
  std::int32_t feature(NodeId v) const { return a_.feature[v]; }
  double threshold(NodeId v) const { return a_.threshold[v]; }
  std::span<const NodeId> children(NodeId v) const { return branches(a_.child, v); }
  std::span<const double> shares(NodeId v) const { return branches(a_.share, v); }
  std::span<const std::int32_t> categories(NodeId v) const {
    return {a_.category.data() + a_.category_begin[v], a_.category.data() + a_.category_begin[v + 1]};
  }
  NumberRow<double> output(NodeId v) const { return a_.output[v]; }
  double weight(NodeId v) const { return a_.weight[v]; }

  // The branch that a known value takes at an inner node.
  std::size_t branch(NodeId v, double value) const;
  // The branch that receives every row with a missing value, or -1 if several share it.
  std::int32_t missing_branch(NodeId v) const { return missing_branch_[v]; }
  // Whether rows with a missing value go, wholly or in part, to a branch.
  bool takes_missing(NodeId v, std::size_t branch) const {
    const std::int32_t only = missing_branch_[v];
    return only >= 0 ? static_cast<std::size_t>(only) == branch : shares(v)[branch] > 0;
  }

  const TreeArrays& arrays() const { return a_; }

 protected:
  // The arrays must have been checked; children behind parents.
  explicit DecisionNodes(TreeArrays arrays);

 private:
  template <class T>
  std::span<const T> branches(const std::vector<T>& values, NodeId v) const {
    return {values.data() + a_.branch_begin[v], values.data() + a_.branch_begin[v + 1]};
  }

  TreeArrays a_;
  std::vector<std::int32_t> missing_branch_;
  std::vector<std::int32_t> levels_;
  std::size_t n_leaves_ = 0;
  std::size_t depth_ = 0;
};

using NodesPtr = std::shared_ptr<const DecisionNodes>;

// The leaf that a row reaches; a missing value follows the largest share, the first on ties.
NodeId find_leaf(const DecisionNodes& nodes, const double* row);
// The leaf that a row reaches wholly, or -1 if a missing value spreads it over several.
NodeId find_whole_leaf(const DecisionNodes& nodes, const double* row);

// Adds the output for a row to `sum`, mixed over the branches wherever a value is missing.
// `part` is scratch: how much of the row each node receives.
void add_mixed_output(const DecisionNodes& nodes, const double* row, std::vector<double>& part, double* sum);

// Adds to weight[v * stride], for every node v, how much of a row of this amount passes it: all
// or nothing, or a part where a missing value spreads the row.
void add_passing(const DecisionNodes& nodes, const double* row, double amount, std::vector<double>& part, double* weight,
                 std::size_t stride);

}  // namespace sightline::model
