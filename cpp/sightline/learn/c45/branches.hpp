// What growing a tree does around the choice of a test, whoever keeps the rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightline/learn/c45/row_stacks.hpp"
#include "sightline/learn/c45/split.hpp"
#include "sightline/table/columns.hpp"

namespace sightline::learn::c45 {

// Between two neighbouring values, never at the upper one.
double midpoint(double below, double above);

// A threshold becomes the largest value of the training set that is not above it; `distinct` ascends.
double settled(double threshold, std::span<const double> distinct);

// Which of the features take part in the mean gain: not those with very many values, unless all are such.
std::vector<bool> features_in_average(const table::Columns& columns, std::span<const std::uint32_t> features,
                                      double weight_of_all);

// Rows with a missing value go to every branch in proportion to the known ones there.
struct BranchShares {
  std::vector<double> share;   // per branch; 0 where it gets none
  std::vector<double> counts;  // branches x classes, shares of the missing included
  bool shares_rows = false;    // whether any row is missing

  // `branch` and `label` are indexed by row; `weight` is too, and empty where all weigh 1.
  void find(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> branch, std::span<const std::int32_t> label,
            std::span<const double> weight, std::size_t n_branches, std::size_t n_classes);

 private:
  std::vector<double> missing_;
};

}  // namespace sightline::learn::c45
