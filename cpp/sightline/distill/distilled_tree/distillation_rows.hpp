// Binned rows with the ensemble's labels and probabilities.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sightline/distill/distilled_tree/bins.hpp"

namespace sightline::distill::distilled_tree {

inline constexpr std::int32_t kArtificial = -1;

// Filled by `add`, block by block, then only read. Probabilities are rounded to multiples of
// 2^-20. If the weights are multiples of a power of two, too, sums are exact, so that the tree
// depends neither on the order of the rows nor on the number of threads.
class DistillationRows {
 public:
  DistillationRows(std::shared_ptr<const Bins> bins, std::int32_t n_classes);

  // Skips rows of weight 0. `labels` and `probabilities` (row-major) are the ensemble's;
  // `observed` are the rows' own labels, kArtificial for artificial rows.
  void add(const table::Columns& rows, std::span<const std::int32_t> labels, std::span<const double> probabilities,
           std::span<const double> weights, std::span<const std::int32_t> observed);

  std::size_t n_rows() const { return label_.size(); }
  std::size_t n_features() const { return bins_->size(); }
  std::int32_t n_classes() const { return n_classes_; }
  const Bins& bins() const { return *bins_; }

  // Bin of every row for one feature that has tests.
  const Code* codes(std::size_t feature) const { return codes_[feature].data(); }
  bool has_missing(std::size_t feature) const { return has_missing_[feature]; }
  std::int32_t label(std::size_t row) const { return label_[row]; }
  std::int32_t observed(std::size_t row) const { return observed_[row]; }
  double weight(std::size_t row) const { return weight_[row]; }
  // Weight times probability per class.
  std::span<const float> mass(std::size_t row) const {
    return {mass_.data() + row * static_cast<std::size_t>(n_classes_), static_cast<std::size_t>(n_classes_)};
  }

 private:
  std::shared_ptr<const Bins> bins_;
  std::int32_t n_classes_;
  std::vector<std::vector<Code>> codes_;
  std::vector<char> has_missing_;
  std::vector<std::int32_t> label_;
  std::vector<std::int32_t> observed_;
  std::vector<double> weight_;
  std::vector<float> mass_;
};

}  // namespace sightline::distill::distilled_tree
