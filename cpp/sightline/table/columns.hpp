// The rows that kernels read: typed columns, borrowed from the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sightline::table {

inline constexpr std::int32_t kMissingCode = -1;

// One column: doubles (NaN is missing) or codes of declared values (negative is missing).
// Strided, so that the columns of a row-major matrix can be borrowed without a copy.
class Column {
 public:
  static Column numeric(const double* values, std::ptrdiff_t stride) { return {values, nullptr, stride, 0}; }
  static Column nominal(const std::int32_t* codes, std::ptrdiff_t stride, std::int32_t n_values) {
    return {nullptr, codes, stride, n_values};
  }

  bool is_nominal() const { return codes_ != nullptr; }
  // Declared values of a nominal column, occurring or not; 0 for a numeric one.
  std::int32_t n_values() const { return n_values_; }
  double number(std::size_t row) const { return values_[static_cast<std::ptrdiff_t>(row) * stride_]; }
  std::int32_t code(std::size_t row) const { return codes_[static_cast<std::ptrdiff_t>(row) * stride_]; }
  // NaN, or a code that is not declared.
  bool is_missing(std::size_t row) const {
    return is_nominal() ? static_cast<std::uint32_t>(code(row)) >= static_cast<std::uint32_t>(n_values_)
                        : number(row) != number(row);
  }
  // The column without its first rows.
  Column from(std::size_t row) const {
    const std::ptrdiff_t offset = static_cast<std::ptrdiff_t>(row) * stride_;
    return is_nominal() ? nominal(codes_ + offset, stride_, n_values_) : numeric(values_ + offset, stride_);
  }

 private:
  Column(const double* values, const std::int32_t* codes, std::ptrdiff_t stride, std::int32_t n_values)
      : values_(values), codes_(codes), stride_(stride), n_values_(n_values) {}

  const double* values_;
  const std::int32_t* codes_;
  std::ptrdiff_t stride_;
  std::int32_t n_values_;
};

class Columns {
 public:
  Columns(std::vector<Column> columns, std::size_t n_rows) : columns_(std::move(columns)), n_rows_(n_rows) {}

  std::size_t n_rows() const { return n_rows_; }
  std::size_t size() const { return columns_.size(); }
  const Column& operator[](std::size_t feature) const { return columns_[feature]; }
  // Declared values per column, 0 if numeric: all that a model must know about the columns.
  std::vector<std::int32_t> n_values() const;

  // Rows [begin, end) alone, borrowed from the same arrays.
  Columns part(std::size_t begin, std::size_t end) const;

  // Copies rows [begin, end) into a row-major block: numbers unchanged, codes as doubles, missing
  // and undeclared values as NaN. Returns whether there is a NaN.
  bool gather(std::size_t begin, std::size_t end, double* block) const;

 private:
  std::vector<Column> columns_;
  std::size_t n_rows_;
};

}  // namespace sightline::table
