// The candidate tests of a node, at most one per feature, and the choice among them.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sightline/learn/c45/measures.hpp"
#include "sightline/learn/c45/options.hpp"
#include "sightline/learn/value_order.hpp"

namespace sightline::learn::c45 {

// The class distribution of a node.
struct NodeCounts {
  double weight = 0;
  std::vector<double> per_class;
  double sum_xlogx = 0;  // over the classes

  // Sets the class counts and derives the rest.
  void set(std::span<const double> counts);
};

// Whether a node with these class counts, which sum to `weight`, is too pure or too small to be split.
bool pure_or_small(std::span<const double> counts, double weight, double min_leaf);

// How a test splits the values of a nominal feature.
enum class ValueSplit : std::uint8_t {
  kEach,   // one branch per value
  kOne,    // one value against the rest
  kGroup,  // some values against the rest
};

struct Candidate {
  bool valid = false;
  // Whether neither these rows nor any subset of them, whatever their weights, can have a test. False if uncertain.
  bool spent = false;
  double gain = 0;
  double gain_ratio = 0;
  // Numeric: the cut lies before this index of the sorted rows; the values on both sides of it.
  std::size_t cut = 0;
  double below = 0;
  double above = 0;
  // Nominal with two branches: the values of branch 0, ascending.
  std::vector<std::int32_t> values;

  bool is_valid() const { return valid; }
};

// What the choice among the best tests of the features depends on.
struct Score {
  double gain;  // negative infinity if there is no test
  double gain_ratio;

  bool is_valid() const { return gain > -std::numeric_limits<double>::infinity(); }
};

// The rows of a node in ascending order of a numeric feature, without missing values.
struct SortedRows {
  std::span<const double> value;
  std::span<const std::uint32_t> row;
};

class SplitFinder {
 public:
  // `label` and `row_weight` are indexed by training row; `row_weight` must hold the
  // weights of the current node's rows whenever `unit_weights` is false.
  SplitFinder(const GrowOptions& options, std::int32_t n_classes, std::span<const std::int32_t> label,
              std::span<const double> row_weight, std::span<const double> root_weight);

  // `n_rows` is the number of rows of the node, including those with a missing value.
  Candidate numeric(const SortedRows& sorted, std::size_t n_rows, const NodeCounts& node, bool unit_weights);
  Candidate nominal(std::span<const std::int32_t> code, std::int32_t n_values, ValueSplit split,
                    std::span<const std::uint32_t> rows, const NodeCounts& node, bool unit_weights);

 private:
  bool is_spent(const SortedRows& sorted) const;
  void count_known(const SortedRows& sorted, bool unit_weights);
  template <class Measure>
  void scan(const SortedRows& sorted, double known, double min_split, Measure&& measure, Candidate& best, std::size_t& n_cuts);
  template <class Count>
  std::size_t index_of(std::int32_t value, std::vector<Count>& table);
  void count_rows(std::span<const std::int32_t> code, std::span<const std::uint32_t> rows);
  void count_weights(std::span<const std::int32_t> code, std::span<const std::uint32_t> rows);
  Candidate multiway(const NodeCounts& node, double known, bool unit);
  Candidate one_against_rest(const NodeCounts& node, double known, bool unit);
  Candidate group_against_rest(const NodeCounts& node, double known, bool unit);
  // With weights of 1, every count is an integer and its xlogx a table lookup.
  double xlogx_of(double value, bool is_whole) const;
  double sum_xlogx_of(std::span<const double> values, bool are_whole) const;
  double ratio_of(double gain, double sum_branch_xlogx, double known, double node_weight, bool are_whole) const;

  const GrowOptions& options_;
  std::size_t n_classes_;
  std::span<const std::int32_t> label_;
  std::span<const double> row_weight_;
  std::span<const double> root_weight_;
  XlogxTable xlogx_;

  NodeCounts known_counts_;    // over the rows with a known value
  std::vector<double> known_;  // the same for a nominal feature
  std::vector<std::uint32_t> left_n_, right_n_;
  std::vector<double> left_w_, right_w_, left_xlogx_, right_xlogx_;
  std::vector<std::uint8_t> is_stale_;  // per class
  std::vector<std::int32_t> stale_;
  // The table of a nominal feature has rows only for the values seen.
  std::vector<std::int32_t> seen_;
  std::vector<std::int32_t> index_;     // per value: 1 + index into seen_, 0 if not seen
  std::vector<double> table_;           // seen values x classes
  std::vector<std::uint32_t> table_n_;  // the same if all weights are 1
  std::vector<double> table_weight_;    // per seen value
  ValueOrder order_;
};

// The index of the best candidate, or -1 for a leaf. The winner must reach the mean gain of the candidates marked in
// `counts_in_average`.
template <class Scored, class Flag>
std::int32_t choose(const std::vector<Scored>& candidates, const std::vector<Flag>& counts_in_average) {
  double sum = 0;
  int n = 0;
  for (std::size_t f = 0; f < candidates.size(); ++f) {
    if (candidates[f].is_valid() && counts_in_average[f]) {
      sum += candidates[f].gain;
      ++n;
    }
  }
  if (n == 0) return -1;
  const double required = sum / n - 1e-3;
  std::int32_t best = -1;
  double best_ratio = 0;
  for (std::size_t f = 0; f < candidates.size(); ++f) {
    if (candidates[f].is_valid() && candidates[f].gain >= required && greater(candidates[f].gain_ratio, best_ratio)) {
      best = static_cast<std::int32_t>(f);
      best_ratio = candidates[f].gain_ratio;
    }
  }
  return best;
}

}  // namespace sightline::learn::c45
