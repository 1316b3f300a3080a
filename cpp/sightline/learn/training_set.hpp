// What a tree learner is given: which rows of a table, with which classes and weights.
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "sightline/table/columns.hpp"

namespace sightline {

// Training rows are numbered from 0; each stands for a row of the table. A bag names a
// table row as often as it was drawn: copies are rows of their own, as in Weka.
struct TrainingSet {
  const Columns* columns = nullptr;
  std::int32_t n_classes = 0;
  std::vector<std::uint32_t> table_row;
  std::vector<std::int32_t> label;
  std::vector<double> weight;  // all positive; empty: all 1
  // The columns that may be tested, ascending; absent: all. The others are not looked at.
  std::optional<std::vector<std::uint32_t>> candidates;

  std::size_t size() const { return table_row.size(); }
  std::vector<std::uint32_t> features() const {
    if (candidates) return *candidates;
    std::vector<std::uint32_t> all(columns->size());
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  double weight_of(std::size_t row) const { return weight.empty() ? 1.0 : weight[row]; }
  double number(std::size_t feature, std::uint32_t row) const { return (*columns)[feature].number(table_row[row]); }
  std::int32_t code(std::size_t feature, std::uint32_t row) const { return (*columns)[feature].code(table_row[row]); }
};

}  // namespace sightline
