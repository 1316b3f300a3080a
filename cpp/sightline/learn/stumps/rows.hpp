// The training rows of stumps, laid out for scans over whole columns.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "sightline/model/decision_nodes.hpp"
#include "sightline/table/columns.hpp"
#include "sightline/table/orders.hpp"

namespace sightline::learn::stumps {

// A vote is stored as the bits of a class index, at most six.
inline constexpr std::int32_t kMaxClasses = 64;

struct StumpColumn {
  bool is_nominal = false;
  std::int32_t n_values = 0;
  bool has_missing = false;
  std::vector<double> number;      // numeric: NaN is missing
  std::vector<std::int32_t> code;  // nominal: -1 is missing
  // Numeric: rows with a known value, ascending, and these values.
  std::vector<std::uint32_t> order;
  std::vector<double> ascending;

  // The branch that a row takes at a test of the column.
  std::int32_t branch(std::size_t row, model::Test test, double threshold, std::int32_t value,
                      std::int32_t missing_branch) const {
    if (!is_nominal) return std::isnan(number[row]) ? missing_branch : number[row] > threshold;
    if (code[row] < 0) return missing_branch;
    return test == model::Test::kMultiway ? code[row] : code[row] != value;
  }
};

// Every row counts once here; a generation of stumps may count some rows several times.
class StumpRows {
 public:
  StumpRows(const table::Columns& columns, const table::Orders* orders, std::vector<std::uint8_t> labels, std::int32_t n_classes,
            runtime::StopPoll& poll);

  std::size_t n_rows() const { return label_.size(); }
  std::size_t n_features() const { return columns_.size(); }
  std::int32_t n_classes() const { return n_classes_; }
  const StumpColumn& operator[](std::size_t feature) const { return columns_[feature]; }
  const std::vector<std::uint8_t>& label() const { return label_; }
  const std::vector<std::int32_t>& n_values() const { return n_values_; }

  // The class with the largest weight. On ties, the parent's class if it is among them, else the class with most training
  // rows, else the first.
  std::int32_t majority(std::span<const std::int32_t> weights, std::int32_t parents) const;
  // Classes by number of training rows, largest first: the order in which they win ties.
  const std::vector<std::int32_t>& by_frequency() const { return by_frequency_; }

 private:
  std::vector<StumpColumn> columns_;
  std::vector<std::uint8_t> label_;
  std::vector<std::int32_t> n_values_;
  std::vector<std::int32_t> by_frequency_;
  std::int32_t n_classes_;
};

}  // namespace sightline::learn::stumps
