// The training rows of a tree learner: rows of a table with class labels and weights.
#pragma once

#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "sightline/table/columns.hpp"

namespace sightline::learn {

// Training rows are numbered from 0; each refers to a row of the table. A bag refers to a table row as often as it was drawn:
// copies are separate rows, as in Weka.
struct TrainingSet {
  const table::Columns* columns = nullptr;
  std::int32_t n_classes = 0;
  std::vector<std::uint32_t> table_row;
  std::vector<std::int32_t> label;
  std::vector<double> weight;  // all positive; empty: all 1
  // The columns that may be tested, ascending; absent: all. The others are never read.
  std::optional<std::vector<std::uint32_t>> candidates;

  std::size_t size() const { return table_row.size(); }
  // Per column, whether any training row has no value; absent: not determined yet.
  std::optional<std::vector<bool>> is_incomplete;

  std::vector<std::uint32_t> features() const {
    if (candidates) return *candidates;
    std::vector<std::uint32_t> all(columns->size());
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  bool has_missing(std::size_t feature) const {
    if (is_incomplete) return (*is_incomplete)[feature];
    for (std::uint32_t row = 0; row < size(); ++row) {
      if ((*columns)[feature].is_nominal() ? code(feature, row) < 0 : std::isnan(number(feature, row))) return true;
    }
    return false;
  }
  double number(std::size_t feature, std::uint32_t row) const { return (*columns)[feature].number(table_row[row]); }
  std::int32_t code(std::size_t feature, std::uint32_t row) const { return (*columns)[feature].code(table_row[row]); }
};

// The training rows of each table row, as offsets into one list.
struct Copies {
  std::vector<std::uint32_t> begin;
  std::vector<std::uint32_t> training_row;

  explicit Copies(const TrainingSet& training) : begin(training.columns->n_rows() + 1, 0), training_row(training.size()) {
    for (const std::uint32_t row : training.table_row) ++begin[row + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    for (std::uint32_t i = 0; i < training.size(); ++i) training_row[next[training.table_row[i]]++] = i;
  }

  // The training rows in the order of their table rows.
  std::vector<std::uint32_t> in_order(const std::vector<std::uint32_t>& table_rows) const {
    std::vector<std::uint32_t> result;
    result.reserve(training_row.size());
    for (const std::uint32_t row : table_rows) {
      for (std::uint32_t i = begin[row]; i < begin[row + 1]; ++i) result.push_back(training_row[i]);
    }
    return result;
  }
};

}  // namespace sightline::learn
