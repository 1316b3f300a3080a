// A mutable tree over binned rows, on which growing, alternating and pruning work.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sightline/distill/distilled_tree/distillation_rows.hpp"
#include "sightline/model/tree.hpp"

namespace sightline::distill::distilled_tree {

// A set of the 256 codes, for numbers, categories and missing values alike.
class CodeSet {
 public:
  bool contains(Code code) const { return (bits_[code >> 6] >> (code & 63)) & 1; }
  void insert(Code code) { bits_[code >> 6] |= std::uint64_t{1} << (code & 63); }
  // Codes 0 to `last`.
  static CodeSet up_to(Code last);

 private:
  std::array<std::uint64_t, 4> bits_{};
};

struct SmallNode {
  std::int32_t feature = -1;  // -1: a leaf
  std::int32_t cut = -1;      // numeric: codes up to this go to `yes`
  CodeSet to_yes;             // missing values included
  model::NodeId yes = -1;
  model::NodeId no = -1;
  std::int32_t label = 0;  // the ensemble's most frequent label among the node's rows

  bool is_leaf() const { return feature < 0; }
};

// The rows of every node, contiguous; those of its children are the two parts of its own.
class NodeRows {
 public:
  // All rows at the root.
  explicit NodeRows(std::size_t n_rows);

  std::span<const std::uint32_t> of(model::NodeId node) const {
    return {rows_.data() + range_[node].begin, range_[node].end - range_[node].begin};
  }
  // Divides the rows of a node among its children, keeping their order.
  void divide(model::NodeId v, const SmallNode& node, const DistillationRows& rows);

 private:
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> scratch_;
  std::vector<Range> range_;  // per node
};

class SmallTree {
 public:
  // A single leaf.
  SmallTree() : nodes_(1) {}

  std::size_t n_nodes() const { return nodes_.size(); }
  std::size_t n_leaves() const;
  SmallNode& operator[](model::NodeId v) { return nodes_[v]; }
  const SmallNode& operator[](model::NodeId v) const { return nodes_[v]; }

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

  // Drops unreachable nodes and numbers the rest depth first, so that children come after
  // their parents.
  void compact();

  NodeRows node_rows(const DistillationRows& rows) const;
  // Sets the label of every node that has rows.
  void relabel(const DistillationRows& rows, const NodeRows& node_rows);
  void relabel(const DistillationRows& rows) { relabel(rows, node_rows(rows)); }
  // Weight of the rows whose leaf does not have the ensemble's label.
  double loss(const DistillationRows& rows) const;

 private:
  std::vector<SmallNode> nodes_;
};

// Most frequent label by weight; ties go to the larger probability, then to the lower class.
class Majority {
 public:
  explicit Majority(const DistillationRows& rows) : rows_(rows), votes_(rows.n_classes()), mass_(rows.n_classes()) {}

  std::int32_t operator()(std::span<const std::uint32_t> of);
  // Of the last rows: their weight, and the weight of those with other labels.
  double weight() const { return weight_; }
  double errors() const { return errors_; }

 private:
  const DistillationRows& rows_;
  std::vector<double> votes_;
  std::vector<double> mass_;
  double weight_ = 0;
  double errors_ = 0;
};

}  // namespace sightline::distill::distilled_tree
