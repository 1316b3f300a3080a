// The training rows of ISM, with each value coded by the tests it passes.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sightline/distill/ism/forest.hpp"
#include "sightline/distill/ism/impurity.hpp"
#include "sightline/table/columns.hpp"

namespace sightline::distill::ism {

// How the ensemble answers for each row, and how much the row counts. Numbers are the probability of
// one class.
struct RowAnswers {
  std::vector<std::int32_t> label;
  std::vector<double> probability;  // n_classes per row
  std::vector<double> weight;
};

class CodedRows {
 public:
  static constexpr std::uint32_t kMissing = std::numeric_limits<std::uint32_t>::max();

  CodedRows(const Tests& tests, const table::Columns& columns, RowAnswers answers, std::size_t n_classes);

  std::size_t size() const { return answers_.label.size(); }
  std::size_t n_classes() const { return n_classes_; }
  std::int32_t label(std::uint32_t row) const { return answers_.label[row]; }
  double weight(std::uint32_t row) const { return answers_.weight[row]; }
  const double* probability(std::uint32_t row) const { return answers_.probability.data() + row * n_classes_; }
  // Mean and deviation of the numbers. The scale is 0 if they differ by rounding errors at most.
  NumberScale number_scale() const;
  // Numeric: how many thresholds of the feature are below the value; the row passes the tests from
  // this index on. Nominal: the category.
  std::uint32_t code(std::size_t f, std::uint32_t row) const { return codes_[f][row]; }
  // The outcome of a test for a row, counted from the first; -1 if the value is missing.
  std::int32_t branch(std::int32_t test, std::uint32_t row) const;

 private:
  const Tests& tests_;
  std::size_t n_classes_;
  RowAnswers answers_;
  std::vector<std::vector<std::uint32_t>> codes_;
};

// Weight of some rows, and optionally of their class probabilities, per outcome of every
// open test of a feature.
class OutcomeCounts {
 public:
  OutcomeCounts(const Tests& tests, const CodedRows& rows, bool with_probabilities);

  void count(std::size_t feature, const Context& context, std::span<const std::uint32_t> rows);
  // For an outcome of the feature that was counted last.
  double weight(std::int32_t outcome) const { return weight_[outcome - first_outcome_]; }
  const double* probability(std::int32_t outcome) const { return probability_.data() + (outcome - first_outcome_) * n_classes_; }

 private:
  void count_numeric(std::size_t feature, const Context& context);
  void count_nominal(std::size_t feature, const Context& context);

  const Tests& tests_;
  const CodedRows& rows_;
  std::size_t n_classes_;  // 0: probabilities are not counted
  std::int32_t first_outcome_ = 0;
  std::vector<double> code_weight_;       // per code
  std::vector<double> code_probability_;  // per code and class
  std::vector<double> weight_;            // per outcome of the feature
  std::vector<double> probability_;
};

}  // namespace sightline::distill::ism
