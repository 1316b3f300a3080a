// C4.5 over many feature sets of the same rows: what was found at a node is found once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightline/learn/c45_branches.hpp"
#include "sightline/learn/c45_grow.hpp"
#include "sightline/learn/c45_split.hpp"
#include "sightline/learn/training_set.hpp"
#include "sightline/runtime/stop.hpp"
#include "sightline/table/orders.hpp"

namespace sightline::c45 {

// The best test on a feature at a node depends on the rows there, thus on the tests above it, but not on which other
// features there are. Sets that agree on the upper tests share these nodes. Trees are equal to those of `grow`, to the
// last bit. Not safe for several threads at once.
class GrowthMemory {
 public:
  // The training set must outlive this; what it says of candidates is not looked at. `budget` is in bytes: beyond it
  // everything is forgotten and found again.
  GrowthMemory(const TrainingSet& training, const Options& options, const Orders& orders, std::size_t budget);

  // Memory that the root alone takes for `n_rows` rows of these columns.
  static std::size_t least_budget(const Columns& columns, std::size_t n_rows);

  // The features that are tested, in depth-first order of the nodes, kLeaf at leaves: all that tells trees apart.
  static constexpr std::uint32_t kLeaf = ~std::uint32_t{0};
  std::vector<std::uint32_t> decide(std::span<const std::uint32_t> features, StopPoll& poll);
  // The tree of such a list, which must be the last one that `decide` gave.
  GrownTree build(std::span<const std::uint32_t> decisions);

 private:
  using NodeIndex = std::uint32_t;

  // The best test on one feature, and where it leads once it was chosen.
  struct Finding {
    std::uint32_t feature;
    NodeIndex first_branch = 0;  // the others follow it; 0, the root, until the test was chosen
    double threshold = 0;        // numeric: of the finished tree
    Candidate test;
  };

  // Rows, weights and class counts are parts of lists that all nodes share.
  struct Node {
    std::size_t rows_begin;
    std::size_t weights_begin;
    std::size_t counts_begin;
    std::uint32_t n_rows;
    bool unit_weights;  // then there are no weights
    bool is_final;      // too pure or too small to be split
    double weight;
    double sum_xlogx;
    std::vector<Finding> findings;  // by feature
  };

  void start_again();
  NodeIndex add_node(std::size_t rows_begin, std::size_t weights_begin);
  void look_at(NodeIndex node, std::span<const std::uint32_t> features);
  Finding find(const Node& node, std::uint32_t feature);
  SortedRows sorted_rows(const Node& node, std::uint32_t feature);
  void make_known(std::uint32_t feature);
  NodeIndex split(NodeIndex node, const Finding& finding);
  void assign_branches(const Node& node, const Finding& finding);
  void add_branch(NodeIndex node, std::uint32_t branch, double share);
  std::size_t n_branches(std::uint32_t feature) const;
  bool may_split(const Node& node, std::int32_t depth) const;
  std::size_t used() const;

  std::span<const std::uint32_t> rows_of(const Node& node) const { return {rows_.data() + node.rows_begin, node.n_rows}; }
  std::span<const double> weights_of(const Node& node) const {
    return {weights_.data() + node.weights_begin, node.unit_weights ? 0 : node.n_rows};
  }
  std::span<const double> counts_of(const Node& node) const {
    return {counts_.data() + node.counts_begin, static_cast<std::size_t>(training_.n_classes)};
  }
  static Finding& finding_of(Node& node, std::uint32_t feature);

  const TrainingSet& training_;
  const Options& options_;
  const Orders& orders_;
  std::size_t budget_;
  std::vector<double> row_weight_;
  SplitFinder finder_;
  double weight_of_all_ = 0;

  // A column in the order of the training rows, made when it is first asked for.
  struct Known {
    bool is_made = false;
    std::vector<std::int32_t> code;        // nominal
    std::vector<double> number;            // numeric
    std::vector<std::uint32_t> ascending;  // numeric: rows by value, missing ones left out
    std::vector<std::uint32_t> rank;       // numeric: the place in `ascending`; size() where missing
    std::vector<double> distinct;          // numeric: values, ascending
  };
  std::vector<Known> known_;

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> rows_;
  std::vector<double> weights_;
  std::vector<double> counts_;
  std::size_t n_findings_ = 0;

  std::vector<std::uint32_t> branch_;   // per training row, of the node that is split
  std::vector<std::uint32_t> rows_of_branch_;
  std::vector<std::uint64_t> by_rank_;  // rank and row
  std::vector<std::uint32_t> mark_;     // per training row: the last node that asked for it
  std::uint32_t mark_now_ = 0;
  std::vector<std::uint32_t> sorted_row_;
  std::vector<double> sorted_value_;
  std::vector<Candidate> candidates_;
  NodeCounts node_counts_;
  BranchShares shares_;
};

}  // namespace sightline::c45
