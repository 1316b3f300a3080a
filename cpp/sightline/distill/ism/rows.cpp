#include "sightline/distill/ism/rows.hpp"

#include <algorithm>
#include <cmath>

namespace sightline::distill::ism {

CodedRows::CodedRows(const Tests& tests, const table::Columns& columns, RowAnswers answers, std::size_t n_classes)
    : tests_(tests), n_classes_(n_classes), answers_(std::move(answers)), codes_(columns.size()) {
  for (std::size_t f = 0; f < columns.size(); ++f) {
    codes_[f].reserve(columns.n_rows());
    const double* first = tests.threshold.data() + tests.first[f];
    const double* end = tests.is_nominal(f) ? first : first + tests.n_thresholds(f);
    for (std::size_t row = 0; row < columns.n_rows(); ++row) {
      if (tests.is_nominal(f)) {
        const std::int32_t code = columns[f].code(row);
        codes_[f].push_back(code < 0 || code >= tests.n_values[f] ? kMissing : static_cast<std::uint32_t>(code));
      } else {
        const double value = columns[f].number(row);
        codes_[f].push_back(std::isnan(value) ? kMissing
                                              : static_cast<std::uint32_t>(std::lower_bound(first, end, value) - first));
      }
    }
  }
}

NumberScale CodedRows::number_scale() const {
  constexpr double kRounding = 1e-13;
  double weight = 0;
  double mean = 0;
  for (std::uint32_t row = 0; row < size(); ++row) {
    weight += this->weight(row);
    mean += this->weight(row) / weight * (probability(row)[0] - mean);
  }
  // The largest distance divides the others first: squares of huge numbers would overflow.
  double largest = 0;
  for (std::uint32_t row = 0; row < size(); ++row) largest = std::max(largest, std::abs(probability(row)[0] - mean));
  if (largest <= kRounding * std::abs(mean)) return {mean, 0};
  double squares = 0;
  for (std::uint32_t row = 0; row < size(); ++row) {
    const double distance = (probability(row)[0] - mean) / largest;
    squares += this->weight(row) / weight * distance * distance;
  }
  return {mean, largest * std::sqrt(squares)};
}

std::int32_t CodedRows::branch(std::int32_t test, std::uint32_t row) const {
  const std::int32_t f = tests_.feature[test];
  const std::uint32_t code = codes_[f][row];
  if (code == kMissing) return -1;
  switch (tests_.kind[test]) {
    case model::Test::kThreshold:
      return static_cast<std::int32_t>(code) <= test - tests_.first[f] ? 0 : 1;
    case model::Test::kSubset:
      return proof::contains(tests_.categories(tests_.first_outcome[test], f), code) ? 0 : 1;
    default:
      return static_cast<std::int32_t>(code);
  }
}

OutcomeCounts::OutcomeCounts(const Tests& tests, const CodedRows& rows, bool with_probabilities)
    : tests_(tests), rows_(rows), n_classes_(with_probabilities ? rows.n_classes() : 0) {}

void OutcomeCounts::count(std::size_t feature, const Context& context, std::span<const std::uint32_t> rows) {
  first_outcome_ = tests_.first_outcome[tests_.first[feature]];
  const auto n_outcomes = static_cast<std::size_t>(tests_.first_outcome[tests_.first[feature + 1]] - first_outcome_);
  const bool nominal = tests_.is_nominal(feature);
  const std::size_t n_codes = nominal ? tests_.n_values[feature] : tests_.n_thresholds(feature) + 1;
  code_weight_.assign(n_codes, 0.0);
  code_probability_.assign(n_codes * n_classes_, 0.0);
  weight_.assign(n_outcomes, 0.0);
  probability_.assign(n_outcomes * n_classes_, 0.0);
  for (const std::uint32_t row : rows) {
    const std::uint32_t code = rows_.code(feature, row);
    if (code == CodedRows::kMissing) continue;
    const double weight = rows_.weight(row);
    code_weight_[code] += weight;
    const double* probability = rows_.probability(row);
    for (std::size_t c = 0; c < n_classes_; ++c) code_probability_[code * n_classes_ + c] += weight * probability[c];
  }
  nominal ? count_nominal(feature, context) : count_numeric(feature, context);
}

// Running sums: yes outcomes from the left, no outcomes from the right.
void OutcomeCounts::count_numeric(std::size_t feature, const Context& context) {
  const std::int32_t low = tests_.first_open(context, feature);
  const std::int32_t high = tests_.end_open(context, feature);
  const auto run = [&](std::int32_t index, std::int32_t code, std::int32_t side, std::int32_t previous, bool first) {
    const std::size_t here = 2 * index + side;
    weight_[here] = code_weight_[code] + (first ? 0 : weight_[2 * previous + side]);
    for (std::size_t c = 0; c < n_classes_; ++c) {
      probability_[here * n_classes_ + c] =
          code_probability_[code * n_classes_ + c] + (first ? 0 : probability_[(2 * previous + side) * n_classes_ + c]);
    }
  };
  for (std::int32_t index = low; index < high; ++index) run(index, index, 0, index - 1, index == low);
  for (std::int32_t index = high; index-- > low;) run(index, index + 1, 1, index + 1, index == high - 1);
}

void OutcomeCounts::count_nominal(std::size_t feature, const Context& context) {
  const proof::CategorySet& left = context.allowed(feature);
  for (std::size_t o = 0; o < weight_.size(); ++o) {
    const proof::CategoryBits set = tests_.categories(first_outcome_ + static_cast<std::int32_t>(o), feature);
    for (std::int32_t value = 0; value < tests_.n_values[feature]; ++value) {
      if (!proof::contains(set, value) || !left.contains(value)) continue;
      weight_[o] += code_weight_[value];
      for (std::size_t c = 0; c < n_classes_; ++c) probability_[o * n_classes_ + c] += code_probability_[value * n_classes_ + c];
    }
  }
}

}  // namespace sightline::distill::ism
