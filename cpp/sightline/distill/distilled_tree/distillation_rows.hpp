// Binned rows with the ensemble's answers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sightline/distill/distilled_tree/bins.hpp"
#include "sightline/distill/distilled_tree/limits.hpp"
#include "sightline/distill/distilled_tree/objective.hpp"
#include "sightline/distill/distilled_tree/search_cache.hpp"
#include "sightline/model/number_rows.hpp"

namespace sightline::distill::distilled_tree {

inline constexpr std::int32_t kArtificial = -1;

// Filled by `add`, block by block, then only read. Targets are rounded to multiples of 2^-20. If
// the weights are multiples of a power of two, too, sums are exact, so that the tree depends
// neither on the order of the rows nor on the number of threads.
class DistillationRows {
 public:
  // Without classes the ensemble answers with one number.
  DistillationRows(std::shared_ptr<const Bins> bins, std::int32_t n_classes, const Objective& objective = {},
                   const Limits& limits = {});

  // Skips rows of weight 0. `labels` and `answers` (row-major) are the ensemble's: class
  // probabilities, or numbers and labels of 0. `observed` are the rows' own labels, kArtificial
  // for artificial rows. `charges` (row-major) are what each label costs each row; empty: 1 for
  // any but the row's own. `targets` (row-major) are the probabilities whose distance is charged;
  // empty: the answers. All blocks have targets, or none.
  void add(const table::Columns& rows, std::span<const std::int32_t> labels, std::span<const double> answers,
           std::span<const double> weights, std::span<const std::int32_t> observed, std::span<const double> charges = {},
           std::span<const double> targets = {});

  std::size_t n_rows() const { return label_.size(); }
  std::size_t n_features() const { return bins_->size(); }
  std::int32_t n_classes() const { return n_classes_; }
  bool has_numbers() const { return n_classes_ == 0; }
  // Numbers per target.
  std::size_t n_targets() const { return has_numbers() ? 1 : static_cast<std::size_t>(n_classes_); }
  const Bins& bins() const { return *bins_; }
  const Objective& objective() const { return objective_; }
  const Limits& limits() const { return limits_; }
  // How large leaves must be may depend on how many there shall be.
  void set_min_leaf(double min_leaf) { limits_.min_leaf = min_leaf; }

  // What growth found for leaves of these rows.
  SplitCache& splits() const { return *splits_; }
  // What alternating optimization found for nodes of these rows.
  ReplacementCache& replacements() const { return *replacements_; }

  // Those that can tell rows apart, ascending. Of thousands of columns an ensemble tests few.
  std::vector<std::size_t> testable_features() const;
  // Bin of every row for one feature that has tests.
  const Code* codes(std::size_t feature) const { return codes_[feature].data(); }
  bool has_missing(std::size_t feature) const { return has_missing_[feature]; }
  std::int32_t label(std::size_t row) const { return label_[row]; }
  std::int32_t observed(std::size_t row) const { return observed_[row]; }
  bool is_artificial(std::size_t row) const { return observed_[row] == kArtificial; }
  // All rows from here on are artificial. Known without a look into memory.
  std::size_t end_of_training() const { return end_of_training_; }
  double weight(std::size_t row) const { return weight_[row]; }
  // Weight of its loss.
  double importance(std::size_t row) const { return importance_[row]; }
  bool has_charges() const { return !charge_.empty(); }
  // What a label costs a row.
  double charge(std::size_t row, std::int32_t label) const {
    return charge_.empty() ? label != label_[row] : charge_[row * static_cast<std::size_t>(n_classes_) + label];
  }
  // What distances are charged from: class probabilities, or the number on the scale of the objective.
  model::NumberRow<float> target(std::size_t row) const { return target_[row]; }
  // What leaves average: the ensemble's own class probabilities, or the number on the scale of the objective.
  model::NumberRow<float> answer(std::size_t row) const { return has_own_targets_ ? answer_[row] : target_[row]; }
  // Whether targets are on another scale than answers.
  bool has_own_targets() const { return has_own_targets_; }
  // All targets, if they are stored with their zeros.
  const float* full_targets() const { return target_.in_full(); }
  bool has_full_targets() const { return full_targets() != nullptr; }
  // The only target; only if there are no classes.
  float scaled_number(std::size_t row) const { return target_.stored()[row]; }
  // The number as the ensemble gave it; only if there are no classes.
  double number(std::size_t row) const { return number_[row]; }

 private:
  // Rounds numbers on the scale of the objective into the scratch.
  const std::vector<float>& scaled(std::span<const double> numbers);

  std::shared_ptr<const Bins> bins_;
  std::int32_t n_classes_;
  Objective objective_;
  Limits limits_;
  std::vector<std::vector<Code>> codes_;
  std::vector<char> has_missing_;
  std::vector<std::int32_t> label_;
  std::vector<std::int32_t> observed_;
  std::vector<double> weight_;
  std::vector<double> importance_;
  std::vector<float> charge_;
  model::NumberRows<float> target_;
  bool has_own_targets_ = false;
  model::NumberRows<float> answer_;  // empty unless there are own targets
  std::vector<float> rounded_;       // scratch
  std::vector<double> number_;
  std::size_t end_of_training_ = 0;
  std::unique_ptr<SplitCache> splits_ = std::make_unique<SplitCache>();
  std::unique_ptr<ReplacementCache> replacements_ = std::make_unique<ReplacementCache>();
};

}  // namespace sightline::distill::distilled_tree
