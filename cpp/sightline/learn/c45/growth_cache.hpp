// C4.5 over many feature sets of the same rows: what was found at a node is found once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sightline/learn/c45/branches.hpp"
#include "sightline/learn/c45/grow.hpp"
#include "sightline/learn/c45/split.hpp"
#include "sightline/learn/training_set.hpp"
#include "sightline/runtime/stop.hpp"
#include "sightline/table/orders.hpp"

namespace sightline::learn::c45 {

// The best test on a feature at a node depends on the rows there, thus on the tests above it, but not on which other
// features there are. Sets that agree on the upper tests share these nodes. What is chosen is what `grow` chooses, to
// the last bit. Not safe for several threads at once.
class GrowthCache {
 public:
  using NodeIndex = std::uint32_t;
  static constexpr NodeIndex kRoot = 0;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // A test that was chosen somewhere. The same number is the same test of the same node until all is forgotten.
  struct Step {
    std::uint32_t feature;
    std::uint32_t chosen;
  };

  // The training set must outlive this. Its rows weigh 1 each; what it says of candidates is not looked at. `room` is
  // set aside, in bytes.
  GrowthCache(const TrainingSet& training, const GrowOptions& options, const table::Orders& orders, std::size_t room);

  // Bytes that the root alone takes for `n_rows` rows of these columns.
  static std::size_t least_use(const table::Columns& columns, std::size_t n_rows);
  // Bytes that the nodes take.
  std::size_t used() const;
  void forget();

  // The set that all of the following is about, until the next one. Its features must ascend.
  void set_features(std::span<const std::uint32_t> features);

  // Too pure, too small or too deep to be split.
  bool is_final(NodeIndex node) const { return is_final_[node] != 0; }
  // Of a node that is not final, and of whose parent this has been asked for the same set. Nothing: it is a leaf.
  std::optional<Step> choose_test(NodeIndex node, runtime::StopPoll& poll);

  // What a test on each feature gains at the root.
  std::vector<double> root_gains(runtime::StopPoll& poll);

  NodeIndex branch_of(std::uint32_t chosen, std::size_t branch) const {
    return chosen_[chosen].first_branch + static_cast<NodeIndex>(branch);
  }
  std::size_t n_branches(std::uint32_t feature) const { return n_branches_[feature]; }
  std::size_t n_nodes() const { return nodes_.size(); }
  double weight_of(NodeIndex node) const { return nodes_[node].weight; }
  // Training errors of the node as a leaf.
  double errors_of(NodeIndex node) const { return errors_[node]; }
  std::span<const double> counts_of(NodeIndex node) const {
    const auto n_classes = static_cast<std::size_t>(training_.n_classes);
    return {counts_.data() + node * n_classes, n_classes};
  }
  void add_rows(NodeIndex node, std::vector<Fragment>& rows) const;
  // Makes an inner node of a leaf of another tree, still without children.
  void add_test(const Step& step, GrownTree& tree, model::NodeId node) const;

 private:
  // A test that was chosen once, and where it leads.
  struct Chosen {
    double threshold;        // numeric: of the finished tree
    std::int32_t value;      // nominal, one value against the rest
    NodeIndex first_branch;  // the others follow it
    std::uint32_t feature;
    std::uint32_t next;  // another one of the same node, or kNone
  };

  // Rows, weights, class counts and what was seen are parts of lists that all nodes share.
  struct Node {
    std::uint32_t rows_begin;
    std::uint32_t weights_begin;
    std::uint32_t n_rows;
    NodeIndex parent;
    std::uint32_t looked_at;  // its place among those that were looked at, or kNone
    std::uint32_t chosen;     // one of the tests that were chosen, or kNone
    std::int32_t depth;
    bool unit_weights;  // then there are no weights
    double weight;
    double sum_xlogx;
  };

  NodeIndex add_node(NodeIndex parent, std::size_t rows_begin, std::size_t weights_begin);
  void list_open_features(NodeIndex node);
  bool look_at(NodeIndex node);
  void enter(NodeIndex node);
  Candidate find(const Node& node, std::uint32_t feature);
  SortedRows sorted_rows(const Node& node, std::uint32_t feature);
  void make_known(std::uint32_t feature);
  std::uint32_t follow(NodeIndex node, std::size_t place);
  NodeIndex split(NodeIndex node, std::uint32_t feature, const Candidate& test);
  void assign_branches(const Node& node, std::uint32_t feature, const Candidate& test);
  void part_rows(const Node& node, std::size_t n_branches);

  std::uint64_t* spent_at(const Node& node) { return spent_.data() + node.looked_at * n_words_; }
  std::span<const std::uint32_t> rows_of(const Node& node) const { return {rows_.data() + node.rows_begin, node.n_rows}; }
  std::span<const double> weights_of(const Node& node) const {
    return {weights_.data() + node.weights_begin, node.unit_weights ? 0 : node.n_rows};
  }

  const TrainingSet& training_;
  const GrowOptions& options_;
  const table::Orders& orders_;
  std::vector<double> row_weight_;
  SplitFinder finder_;
  std::vector<std::uint32_t> n_branches_;  // per feature

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
  // Of the branches of a node that are final, these are all that is read.
  std::vector<std::uint8_t> is_final_;
  std::vector<double> errors_;
  std::vector<double> counts_;  // nodes x classes
  std::vector<Chosen> chosen_;
  // Nodes that were looked at x features: the best test's. The gain is NaN where none was looked for.
  std::vector<Score> seen_;
  std::vector<std::uint64_t> spent_;  // the same nodes x words: features without a test there and in all that is below

  static constexpr std::size_t kRowsBetweenPolls = 10'000;
  std::size_t n_rows_seen_ = 0;

  // The set of features.
  std::size_t n_words_;
  std::vector<std::uint64_t> members_;    // bits
  std::vector<std::uint8_t> in_average_;  // per feature
  std::vector<std::uint32_t> branch_;     // per training row, of the node that is split
  // Rows and weights of the node that is split, branch by branch.
  std::vector<std::size_t> part_begin_, part_end_;
  std::vector<std::uint32_t> parted_rows_;
  std::vector<double> parted_weights_;
  std::vector<std::uint32_t> by_rank_;
  std::vector<std::uint64_t> is_there_;  // a bit per rank; all 0 between calls
  std::vector<std::uint32_t> sorted_row_;
  std::vector<double> sorted_value_;
  // Of the node that was looked at last, per feature that may be tested there.
  std::vector<std::uint32_t> features_;
  std::vector<std::uint8_t> counted_;
  std::vector<Score> scores_;
  std::vector<Candidate> candidates_;  // in full where found at this visit
  std::vector<std::uint8_t> is_new_;
  NodeCounts node_counts_;
  BranchShares shares_;
};

}  // namespace sightline::learn::c45
