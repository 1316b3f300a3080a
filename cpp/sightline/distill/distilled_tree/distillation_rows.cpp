#include "sightline/distill/distilled_tree/distillation_rows.hpp"

#include <cmath>

namespace sightline::distill::distilled_tree {
namespace {

float rounded(double value) {
  constexpr double kGrain = 0x1p20;
  return static_cast<float>(std::round(value * kGrain) / kGrain);
}

}  // namespace

DistillationRows::DistillationRows(std::shared_ptr<const Bins> bins, std::int32_t n_classes, const Objective& objective,
                                   const Limits& limits)
    : bins_(std::move(bins)),
      n_classes_(n_classes),
      objective_(objective),
      limits_(limits),
      codes_(bins_->size()),
      has_missing_(bins_->size(), false) {}

void DistillationRows::add(const table::Columns& rows, std::span<const std::int32_t> labels, std::span<const double> answers,
                           std::span<const double> weights, std::span<const std::int32_t> observed,
                           std::span<const double> charges, std::span<const double> targets) {
  splits_->clear();
  replacements_->clear();
  has_own_targets_ = !targets.empty();
  std::vector<std::size_t> used;
  for (std::size_t row = 0; row < rows.n_rows(); ++row) {
    if (weights[row] > 0) used.push_back(row);
  }
  for (std::size_t f = 0; f < rows.size(); ++f) {
    const table::Column& column = rows[f];
    const FeatureBins& bins = (*bins_)[f];
    if (!bins.has_tests()) continue;
    codes_[f].reserve(codes_[f].size() + used.size());
    for (const std::size_t row : used) {
      const Code code = column.is_nominal() ? bins.of_code(column.code(row)) : bins.of_number(column.number(row));
      has_missing_[f] |= code == kMissingBin;
      codes_[f].push_back(code);
    }
  }
  for (const std::size_t row : used) {
    label_.push_back(labels[row]);
    observed_.push_back(observed[row]);
    if (observed[row] != kArtificial) end_of_training_ = observed_.size();
    weight_.push_back(weights[row]);
    importance_.push_back(objective_.class_weight.empty() ? weights[row] : weights[row] * objective_.class_weight[labels[row]]);
    for (std::size_t c = 0; c < n_targets() && !charges.empty(); ++c) {
      charge_.push_back(rounded(charges[row * n_targets() + c]));
    }
    const std::span<const double> answer = answers.subspan(row * n_targets(), n_targets());
    target_.add(scaled(has_own_targets_ ? targets.subspan(row * n_targets(), n_targets()) : answer));
    if (has_own_targets_) answer_.add(scaled(answer));
    if (has_numbers()) number_.push_back(answer[0]);
  }
}

std::vector<std::size_t> DistillationRows::testable_features() const {
  std::vector<std::size_t> features;
  for (std::size_t f = 0; f < n_features(); ++f) {
    const FeatureBins& bins = (*bins_)[f];
    if (bins.n_bins > 1 || (bins.nominal && has_missing_[f])) features.push_back(f);
  }
  return features;
}

const std::vector<float>& DistillationRows::scaled(std::span<const double> numbers) {
  rounded_.clear();
  for (const double value : numbers) rounded_.push_back(rounded((value - objective_.center) / objective_.scale));
  return rounded_;
}

}  // namespace sightline::distill::distilled_tree
