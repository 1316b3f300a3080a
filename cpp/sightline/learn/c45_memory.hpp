// C4.5 over many feature sets of the same rows: what was found at a node is found once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sightline/learn/c45_branches.hpp"
#include "sightline/learn/c45_grow.hpp"
#include "sightline/learn/c45_split.hpp"
#include "sightline/learn/training_set.hpp"
#include "sightline/runtime/stop.hpp"
#include "sightline/table/orders.hpp"

namespace sightline::c45 {

// The features that are tested, in depth-first order of the nodes, kNoTest at leaves: all that tells trees of the
// same rows apart.
using Decisions = std::u32string;
inline constexpr char32_t kNoTest = ~char32_t{0};

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

  // Valid until the next call.
  const Decisions& decide(std::span<const std::uint32_t> features, StopPoll& poll);
  // The tree of what `decide` gave last.
  void build(const Decisions& decisions, GrownTree& tree);

  using NodeIndex = std::uint32_t;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // Where a decision was made. The same node and test are the same numbers until everything is forgotten.
  struct Place {
    NodeIndex node;
    std::uint32_t chosen;  // the test, or kNone
  };
  // Of what `decide` gave last.
  const std::vector<Place>& places() const { return places_; }
  // Grows whenever everything is forgotten.
  std::size_t n_beginnings() const { return n_beginnings_; }
  std::size_t n_nodes() const { return nodes_.size(); }
  double weight_of(NodeIndex node) const { return nodes_[node].weight; }
  std::span<const double> counts_of(NodeIndex node) const {
    const auto n_classes = static_cast<std::size_t>(training_.n_classes);
    return {counts_.data() + node * n_classes, n_classes};
  }
  NodeIndex branch_of(std::uint32_t chosen, std::size_t branch) const {
    return chosen_[chosen].first_branch + static_cast<NodeIndex>(branch);
  }
  std::size_t n_branches(std::uint32_t feature) const;
  void add_rows(NodeIndex node, std::vector<Fragment>& rows) const;
  // Makes an inner node of a leaf, still without children.
  void add_test(std::uint32_t feature, std::uint32_t chosen, GrownTree& tree, NodeId node) const;

 private:

  // Kept of the best test on each feature of a node. The gain is NaN where none was looked for.
  struct Seen {
    Score score;
    std::uint32_t chosen;  // where it leads, or kNone: it was never chosen
  };

  // A test that was chosen once, and where it leads.
  struct Chosen {
    NodeIndex first_branch;  // the others follow it
    std::int32_t value;      // nominal, one value against the rest
    std::uint64_t is_open;   // a bit for each of the first branches: it is not final, without looking there
    double threshold;        // numeric: of the finished tree
  };

  // Rows, weights, class counts and what was seen are parts of lists that all nodes share.
  struct Node {
    std::uint32_t rows_begin;
    std::uint32_t weights_begin;
    std::uint32_t seen_begin;  // one per feature, or kNone
    std::uint32_t n_rows;
    bool unit_weights;  // then there are no weights
    bool is_final;      // too pure or too small to be split
    double weight;
    double sum_xlogx;
  };

  struct Building {
    NodeIndex node;
    NodeId parent;
    std::size_t branch;
  };

  void start_again();
  NodeIndex add_node(std::size_t rows_begin, std::size_t weights_begin);
  // Whether anything was looked for that was not known.
  bool look_at(NodeIndex node, std::span<const std::uint32_t> features);
  void enter(NodeIndex node);
  Candidate find(const Node& node, std::uint32_t feature);
  SortedRows sorted_rows(const Node& node, std::uint32_t feature);
  void make_known(std::uint32_t feature);
  const Chosen& follow(NodeIndex node, std::uint32_t feature, std::size_t place);
  NodeIndex split(NodeIndex node, std::uint32_t feature, const Candidate& test);
  void assign_branches(const Node& node, std::uint32_t feature, const Candidate& test);
  void part_rows(const Node& node, std::size_t n_branches);
  bool may_split(const Node& node, std::int32_t depth) const;
  std::size_t used() const;

  std::span<const std::uint32_t> rows_of(const Node& node) const { return {rows_.data() + node.rows_begin, node.n_rows}; }
  std::span<const double> weights_of(const Node& node) const {
    return {weights_.data() + node.weights_begin, node.unit_weights ? 0 : node.n_rows};
  }

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
    std::vector<double> ascending_value;   // numeric: theirs
    std::vector<std::uint32_t> rank;       // numeric: the place in `ascending`; size() where missing
    std::vector<double> distinct;          // numeric: values, ascending
  };
  std::vector<Known> known_;

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> rows_;
  std::vector<double> weights_;
  std::vector<double> counts_;  // nodes x classes
  std::vector<Seen> seen_;
  std::vector<Chosen> chosen_;

  static constexpr std::size_t kRowsBetweenPolls = 10'000;
  std::size_t n_rows_seen_ = 0;
  std::size_t n_beginnings_ = 0;
  Decisions decisions_;
  std::vector<Place> places_;
  std::vector<std::pair<NodeIndex, std::int32_t>> waiting_;  // with the depth; -1 for what is final
  std::vector<Building> building_;
  std::vector<std::uint32_t> branch_;   // per training row, of the node that is split
  // Rows and weights of the node that is split, branch by branch.
  std::vector<std::size_t> part_begin_, part_end_;
  std::vector<std::uint32_t> parted_rows_;
  std::vector<double> parted_weights_;
  std::vector<std::uint32_t> by_rank_;
  std::vector<std::uint64_t> is_there_;  // a bit per rank; all 0 between calls
  std::vector<std::uint32_t> sorted_row_;
  std::vector<double> sorted_value_;
  std::vector<Score> scores_;          // per feature of the set
  std::vector<Candidate> candidates_;  // the same in full, of those found at this visit
  std::vector<bool> is_new_;
  NodeCounts node_counts_;
  BranchShares shares_;
};

}  // namespace sightline::c45
