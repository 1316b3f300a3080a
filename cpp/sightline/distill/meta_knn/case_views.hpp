// Cases described by the predictions of an ensemble's members.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sightline/runtime/stop.hpp"

namespace sightline::distill::meta_knn {

// The members' predictions for every case. A member may have several columns, one per class, which are kept or dropped together.
class CaseViews {
 public:
  // Cases are stored in blocks of this many, column by column within a block; the last block is padded with zeros. A row is
  // compared with a whole block at once, which then lies in a few pages.
  static constexpr std::size_t kBlock = 32;

  CaseViews(std::span<const float> row_major, std::size_t n_cases, std::vector<std::int32_t> codes, std::size_t n_classes);

  std::size_t n_cases() const { return codes_.size(); }
  std::size_t width() const { return width_; }
  std::size_t n_classes() const { return n_classes_; }
  std::int32_t code(std::size_t row) const { return codes_[row]; }
  // The block that begins with a case.
  const float* block(std::size_t first_case) const { return values_.data() + first_case * width_; }
  // A copy, column by column over all cases.
  std::vector<float> by_column() const;

 private:
  std::size_t place(std::size_t index, std::size_t row) const {
    return row / kBlock * kBlock * width_ + index * kBlock + row % kBlock;
  }

  std::size_t width_, n_classes_;
  std::vector<std::int32_t> codes_;
  std::vector<float> values_;
};

struct ViewQuery {
  std::span<const float> views;  // row-major, as wide as those of the cases
  std::size_t n_rows = 0;
  std::size_t k = 1;
  std::span<const std::int32_t> itself;  // per row the case to ignore because it is the row itself, or empty
  std::span<const std::int32_t> codes;   // per row the class that its cases must have, or empty
};

// The k nearest cases of every row, nearest first, ties to the lowest case; -1 if there are fewer.
// Distances are squared. Sums run over the columns in order, so that the result depends neither on
// the number of threads nor on the width of SIMD registers.
void nearest_views(const CaseViews& cases, const ViewQuery& query, int n_threads, runtime::StopPoll& poll, std::int32_t* rows,
                   float* distances);

}  // namespace sightline::distill::meta_knn
