// The parts of growing a tree that `grow` and the growth cache share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "sightline/learn/c45/row_stacks.hpp"
#include "sightline/learn/c45/split.hpp"
#include "sightline/learn/training_set.hpp"
#include "sightline/table/columns.hpp"

namespace sightline::learn::c45 {

// The largest training value that is not above the threshold; `distinct` must ascend.
double settled(double threshold, std::span<const double> distinct);

// How the values of these features are split in this training set, per feature of the table. With very many values C4.5's own
// tests do not end: one value against the rest makes a path as long as their number, one branch per value that many nodes. They
// are grouped instead.
std::vector<ValueSplit> value_splits(const TrainingSet& training, std::span<const std::uint32_t> features,
                                     const GrowOptions& options);

// Whether a value is one of some, which must ascend.
inline bool is_among(std::span<const std::int32_t> values, std::int32_t value) {
  return std::binary_search(values.begin(), values.end(), value);
}

// Which features count in the mean gain: not those with very many values, unless all are like that or their gain is that of
// a group of values.
std::vector<bool> features_in_average(const table::Columns& columns, std::span<const std::uint32_t> features,
                                      std::span<const ValueSplit> value_splits, double weight_of_all);

// Distributes rows with a missing value over the branches, in proportion to the known rows there.
struct BranchShares {
  std::vector<double> share;   // per branch; 0 if it gets none
  std::vector<double> counts;  // branches x classes, including the shares of missing rows
  bool shares_rows = false;    // whether any row has a missing value

  // `branch`, `label` and `weight` are indexed by row; an empty `weight` means that all weights are 1.
  void find(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> branch, std::span<const std::int32_t> label,
            std::span<const double> weight, std::size_t n_branches, std::size_t n_classes);

 private:
  std::vector<double> missing_;
};

}  // namespace sightline::learn::c45
