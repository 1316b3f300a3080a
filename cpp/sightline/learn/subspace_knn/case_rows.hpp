// Rows scaled for distances: numbers in units of their range, codes unchanged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sightline/table/columns.hpp"

namespace sightline::learn::subspace_knn {

// The cases of a table, column by column, in single precision; NaN is missing. A distance is a sum over features of squared
// differences, each at most 1, in fixed point. Integers can be added and subtracted without rounding, which makes the search
// over feature subsets exact and independent of the order of its steps.
class CaseRows {
 public:
  // The cases themselves, which define the minimum and range of every numeric column.
  explicit CaseRows(const table::Columns& rows);
  // Other rows, scaled like the cases.
  CaseRows(const table::Columns& rows, const CaseRows& cases);

  std::size_t n_rows() const { return n_rows_; }
  std::size_t n_features() const { return is_nominal_.size(); }
  bool is_nominal(std::size_t feature) const { return is_nominal_[feature]; }
  bool has_missing(std::size_t feature) const { return has_missing_[feature]; }
  const float* column(std::size_t feature) const { return values_.data() + feature * n_rows_; }
  float value(std::size_t feature, std::size_t row) const { return column(feature)[row]; }
  // Range of a numeric column; 1 if all numbers are equal or missing.
  double range(std::size_t feature) const { return 2 * half_range_[feature]; }
  // The number 1 in fixed point: a power of two such that n_features times it fits in 31 bits.
  std::int32_t unit() const { return unit_; }

 private:
  void measure(const table::Columns& rows);
  void scale(const table::Columns& rows);

  std::size_t n_rows_;
  std::int32_t unit_;
  std::vector<std::uint8_t> is_nominal_;
  std::vector<std::uint8_t> has_missing_;
  // Halved, so that even the range of the largest doubles is finite.
  std::vector<double> half_low_, half_range_;
  std::vector<float> values_;
};

// Squared differences between a row's value and those of the cases [begin, end), in fixed point. Nominal values differ by 0
// or 1. A missing value has the largest possible difference.
void write_differences(const CaseRows& cases, std::size_t feature, float value, std::size_t begin, std::size_t end,
                       std::int32_t* out);
// The same, added to the output.
void add_differences(const CaseRows& cases, std::size_t feature, float value, std::size_t begin, std::size_t end,
                     std::int32_t* out);

}  // namespace sightline::learn::subspace_knn
