// Candidate tests of one node: at most one per attribute, and which of them wins.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sightline/learn/c45/measures.hpp"
#include "sightline/learn/c45/options.hpp"

namespace sightline::learn::c45 {

// The rows of a node as far as its class distribution goes.
struct NodeCounts {
  double weight = 0;
  std::vector<double> per_class;
  double sum_xlogx = 0;  // over the classes

  // Takes over class counts and derives the rest from them.
  void set(std::span<const double> counts);
};

// Whether a node of these class counts, which sum to `weight`, cannot be split.
bool pure_or_small(std::span<const double> counts, double weight, double min_leaf);

struct Candidate {
  bool valid = false;
  // Neither these rows nor any part of them, however little they weigh there, have a test. Left false where that is not
  // certain.
  bool spent = false;
  double gain = 0;
  double gain_ratio = 0;
  // Numeric: the cut lies before this place of the sorted rows; values on both sides of it.
  std::size_t cut = 0;
  double below = 0;
  double above = 0;
  // Nominal, one value against the rest.
  std::int32_t value = 0;

  bool is_valid() const { return valid; }
};

// What decides whether the best test on a feature is chosen.
struct Score {
  double gain;  // negative infinity where there is no test
  double gain_ratio;

  bool is_valid() const { return gain > -std::numeric_limits<double>::infinity(); }
};

// The rows of a node in ascending order of a numeric attribute, missing ones left out.
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

  // `n_rows` is the number of rows of the node, those with a missing value included.
  Candidate numeric(const SortedRows& sorted, std::size_t n_rows, const NodeCounts& node, bool unit_weights);
  Candidate nominal(std::span<const std::int32_t> code, std::int32_t n_values, std::span<const std::uint32_t> rows,
                    const NodeCounts& node, bool unit_weights);

 private:
  bool is_spent(const SortedRows& sorted) const;
  void count_known(const SortedRows& sorted, bool unit_weights);
  template <class Measure>
  void scan(const SortedRows& sorted, double known, double min_split, Measure&& measure, Candidate& best, std::size_t& n_cuts);
  template <class Count>
  std::size_t place_of(std::int32_t value, std::vector<Count>& table);
  void count_rows(std::span<const std::int32_t> code, std::span<const std::uint32_t> rows);
  void count_weights(std::span<const std::int32_t> code, std::span<const std::uint32_t> rows);
  Candidate multiway(const NodeCounts& node, double known, bool unit);
  Candidate one_against_rest(const NodeCounts& node, double known, bool unit);
  // With weights of 1 every count is whole, and its xlogx a look-up.
  double xlogx_of(double value, bool is_whole) const;
  double sum_xlogx_of(std::span<const double> values, bool are_whole) const;
  double ratio_of(double gain, double sum_branch_xlogx, double known, double node_weight, bool are_whole) const;

  const GrowOptions& options_;
  std::size_t n_classes_;
  std::span<const std::int32_t> label_;
  std::span<const double> row_weight_;
  std::span<const double> root_weight_;
  XlogxTable xlogx_;

  NodeCounts known_counts_;    // over the rows whose value is known
  std::vector<double> known_;  // the same for a nominal attribute
  std::vector<std::uint32_t> left_n_, right_n_;
  std::vector<double> left_w_, right_w_, left_xlogx_, right_xlogx_;
  std::vector<std::uint8_t> is_stale_;  // per class
  std::vector<std::int32_t> stale_;
  // Table of a nominal attribute: rows exist only for the values that were seen.
  std::vector<std::int32_t> seen_;
  std::vector<std::int32_t> place_;     // per value: 1 + index into seen_, 0 if not seen
  std::vector<double> table_;           // seen values x classes
  std::vector<std::uint32_t> table_n_;  // the same where all weigh 1
  std::vector<double> table_weight_;    // per seen value
};

// Index of the winning candidate, or -1: make a leaf. `counts_in_average` tells which
// attributes take part in the mean gain that the winner must reach.
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
