// Rows as nearest neighbours see them: numbers as multiples of their range, codes as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sightline/table/columns.hpp"

namespace sightline::learn::subspace_knn {

// Cases of one table, column by column, in single precision; NaN is missing. Distances
// between them are sums over features of squared differences, each at most 1, in fixed
// point: integers can be added and taken away again without a trace, which makes the search
// over feature subsets exact and independent of the order of its steps.
class CaseRows {
 public:
  // The cases themselves: low and range of every numeric column are theirs.
  explicit CaseRows(const table::Columns& rows);
  // Other rows, in the scale of the cases.
  CaseRows(const table::Columns& rows, const CaseRows& cases);

  std::size_t n_rows() const { return n_rows_; }
  std::size_t n_features() const { return is_nominal_.size(); }
  bool is_nominal(std::size_t feature) const { return is_nominal_[feature]; }
  bool has_missing(std::size_t feature) const { return has_missing_[feature]; }
  const float* column(std::size_t feature) const { return values_.data() + feature * n_rows_; }
  float value(std::size_t feature, std::size_t row) const { return column(feature)[row]; }
  // Range of a numeric column, 1 where all numbers are the same or missing.
  double range(std::size_t feature) const { return 2 * half_range_[feature]; }
  // What the number 1 is in fixed point: a power of two of which n_features times fit 31 bits.
  std::int32_t unit() const { return unit_; }

 private:
  void measure(const table::Columns& rows);
  void scale(const table::Columns& rows);

  std::size_t n_rows_;
  std::int32_t unit_;
  std::vector<std::uint8_t> is_nominal_;
  std::vector<std::uint8_t> has_missing_;
  // Halves, so that the range of the largest doubles is finite, too.
  std::vector<double> half_low_, half_range_;
  std::vector<float> values_;
};

// Squared difference of a row's value from those of the cases [begin, end), in fixed point.
// Nominal values differ by 0 or 1; a missing value is as far away as it could be.
void write_differences(const CaseRows& cases, std::size_t feature, float value, std::size_t begin, std::size_t end,
                       std::int32_t* out);
// The same, added to what is there.
void add_differences(const CaseRows& cases, std::size_t feature, float value, std::size_t begin, std::size_t end,
                     std::int32_t* out);

}  // namespace sightline::learn::subspace_knn
