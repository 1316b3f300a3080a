// Caches the growth of C4.5 trees on many feature sets of the same rows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sightline/learn/c45/branches.hpp"
#include "sightline/learn/c45/grow.hpp"
#include "sightline/learn/c45/hash_index.hpp"
#include "sightline/learn/c45/split.hpp"
#include "sightline/learn/training_set.hpp"
#include "sightline/runtime/stop.hpp"
#include "sightline/table/orders.hpp"

namespace sightline::learn::c45 {

// The best test on a feature at a node depends on the rows there, but neither on the other features of the set nor on the
// tests above. Nodes with the same rows and weights are stored once, whichever tests lead to them. The chosen tests equal
// those of `grow` to the last bit. Not thread-safe.
class GrowthCache {
 public:
  using NodeIndex = std::uint32_t;
  static constexpr NodeIndex kRoot = 0;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // A chosen test. Until the cache is cleared, equal numbers mean the same test of the same node.
  struct Step {
    std::uint32_t feature;
    std::uint32_t chosen;
  };

  // The training set must outlive the cache. Its rows must have weight 1, and its candidates are ignored. `room` is the
  // number of bytes to reserve.
  GrowthCache(const TrainingSet& training, const GrowOptions& options, const table::Orders& orders, std::size_t room);

  // Bytes of the root alone, for `n_rows` rows of these columns.
  static std::size_t min_bytes(const table::Columns& columns, std::size_t n_rows);
  // Bytes of all nodes.
  std::size_t used() const;
  void clear();

  // Sets the feature set for all following calls. Its features must ascend.
  void set_features(std::span<const std::uint32_t> features);

  // Too pure, too small or too deep to be split.
  bool is_final(NodeIndex node) const { return is_final_[node] != 0; }
  // The test of a node that is not final, after that of its parent was chosen for the same set. Nothing: a leaf. The root has
  // the parent kNone.
  std::optional<Step> choose_test(NodeIndex node, NodeIndex parent, runtime::StopPoll& poll);

  // The gain of the best test on each feature at the root.
  std::vector<double> root_gains(runtime::StopPoll& poll);

  NodeIndex branch_of(std::uint32_t chosen, std::size_t branch) const { return branches_[chosen_[chosen].first_branch + branch]; }
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
  // Turns a leaf of another tree into an inner node, still without children.
  void add_test(const Step& step, GrownTree& tree, model::NodeId node) const;

 private:
  // A chosen test and its branches.
  struct Chosen {
    double threshold;           // numeric: the threshold of the final tree
    std::uint32_t first_value;  // nominal with two branches: the values of branch 0
    std::uint32_t n_values;
    std::uint32_t first_branch;  // its index in `branches_`; the others follow it
    std::uint32_t feature;
    std::uint32_t next;  // the next chosen test of the same node, or kNone
  };

  // Features of a visited node, as bits of a word.
  struct Masks {
    std::uint64_t searched = 0;
    std::uint64_t spent = 0;            // no test here and below
    std::uint64_t valid = 0;            // there is a test
    std::uint64_t last_candidates = 0;  // those with a test in the set that came here last
  };

  // Rows, weights and class counts are ranges of lists that all nodes share.
  struct Node {
    std::uint32_t rows_begin;
    std::uint32_t weights_begin;
    std::uint32_t n_rows;
    std::uint32_t visited;      // its index among the visited nodes, or kNone
    std::uint32_t chosen;       // the first of its chosen tests, or kNone
    std::uint32_t last_chosen;  // the one chosen among the last candidates, or kNone
    std::int32_t depth;         // 0 if depth is not limited
    bool unit_weights;          // then no weights are stored
    double weight;
    double sum_xlogx;
  };

  NodeIndex add_node(std::int32_t depth, std::size_t rows_begin, std::size_t weights_begin);
  NodeIndex add_or_share(Node& node);
  NodeIndex store(const Node& node, bool is_final);
  bool have_equal_rows(const Node& a, const Node& b) const;
  bool visit(NodeIndex node, NodeIndex parent);
  void add_visited(Node& node);
  void search(const Node& node, std::size_t word, std::uint64_t bit);
  std::uint32_t choose_among_candidates(NodeIndex node);
  void enter(NodeIndex node);
  Candidate find(const Node& node, std::uint32_t feature);
  SortedRows sorted_rows(const Node& node, std::uint32_t feature);
  void make_known(std::uint32_t feature);
  std::uint32_t follow(NodeIndex node, std::uint32_t feature);
  void split(NodeIndex node, std::uint32_t feature, const Candidate& test);
  void assign_branches(const Node& node, std::uint32_t feature, const Candidate& test);
  void part_rows(const Node& node, std::size_t n_branches);

  Masks* masks_of(const Node& node) { return masks_.data() + node.visited * n_words_; }
  std::span<const std::uint32_t> rows_of(const Node& node) const { return {rows_.data() + node.rows_begin, node.n_rows}; }
  std::span<const double> weights_of(const Node& node) const {
    return {weights_.data() + node.weights_begin, node.unit_weights ? 0 : node.n_rows};
  }

  const TrainingSet& training_;
  const GrowOptions& options_;
  const table::Orders& orders_;
  std::vector<double> row_weight_;
  SplitFinder finder_;
  std::vector<ValueSplit> value_splits_;   // per feature
  std::vector<std::uint32_t> n_branches_;  // per feature

  // A column in the order of the training rows, made on first use.
  struct Known {
    bool is_made = false;
    std::vector<std::int32_t> code;        // nominal
    std::vector<double> number;            // numeric
    std::vector<std::uint32_t> ascending;  // numeric: rows by value, without missing ones
    std::vector<double> ascending_value;   // numeric: their values
    std::vector<std::uint32_t> rank;       // numeric: the index in `ascending`; size() if missing
    std::vector<double> distinct;          // numeric: distinct values, ascending
  };
  std::vector<Known> known_;

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> rows_;
  std::vector<double> weights_;
  // Kept apart from `nodes_`, because nothing else is read of final branches.
  std::vector<std::uint8_t> is_final_;
  std::vector<double> errors_;
  std::vector<double> counts_;  // nodes x classes
  HashIndex by_rows_;           // the nodes that are not final
  std::vector<Chosen> chosen_;
  std::vector<NodeIndex> branches_;   // of the chosen tests
  std::vector<std::int32_t> values_;  // of the chosen tests
  std::vector<Score> seen_;           // visited nodes x features: the best test
  std::vector<Masks> masks_;          // visited nodes x words

  static constexpr std::size_t kRowsBetweenPolls = 10'000;
  std::size_t n_rows_seen_ = 0;

  // The current feature set.
  std::size_t n_words_;
  std::vector<std::uint64_t> members_;  // bits
  // Of the last visited node, as bits.
  std::vector<std::uint64_t> found_;       // searched on this visit
  std::vector<std::uint64_t> candidates_;  // with a test
  std::vector<Candidate> tests_;           // per feature; valid if found on this visit
  std::vector<std::uint8_t> in_average_;   // per feature
  std::vector<bool> usually_in_average_;   // per feature, in sets that have one in the average
  bool is_usual_ = true;                   // whether the current set is one of these; otherwise the last choice does not hold
  std::vector<std::uint32_t> branch_;      // per training row of the node being split
  // Rows and weights of the node being split, branch by branch.
  std::vector<std::size_t> part_begin_, part_end_;
  std::vector<std::uint32_t> parted_rows_;
  std::vector<double> parted_weights_;
  std::vector<std::uint32_t> by_rank_;
  std::vector<std::uint64_t> is_there_;  // a bit per rank; all 0 between calls
  std::vector<std::uint32_t> sorted_row_;
  std::vector<double> sorted_value_;
  // Of the last visited node, per candidate.
  std::vector<std::uint32_t> features_;
  std::vector<std::uint8_t> counted_;
  std::vector<Score> scores_;
  NodeCounts node_counts_;
  BranchShares shares_;
};

}  // namespace sightline::learn::c45
