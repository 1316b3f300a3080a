#include "sightline/learn/stumps/rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sightline::learn::stumps {
namespace {

StumpColumn laid_out(const table::Column& from, std::size_t n_rows) {
  StumpColumn column;
  column.is_nominal = from.is_nominal();
  column.n_values = from.n_values();
  if (column.is_nominal) {
    column.code.resize(n_rows);
    for (std::size_t row = 0; row < n_rows; ++row) {
      const std::int32_t code = from.code(row);
      column.code[row] = code < 0 || code >= column.n_values ? table::kMissingCode : code;
      column.has_missing = column.has_missing || column.code[row] < 0;
    }
    return column;
  }
  column.number.resize(n_rows);
  for (std::size_t row = 0; row < n_rows; ++row) {
    column.number[row] = from.number(row);
    column.has_missing = column.has_missing || std::isnan(column.number[row]);
  }
  return column;
}

}  // namespace

StumpRows::StumpRows(const table::Columns& columns, const table::Orders* orders, std::vector<std::uint8_t> labels,
                     std::int32_t n_classes, runtime::StopPoll& poll)
    : label_(std::move(labels)), n_values_(columns.n_values()), by_frequency_(n_classes), n_classes_(n_classes) {
  table::ColumnSorter sorter;
  for (std::size_t f = 0; f < columns.size(); ++f) {
    poll();
    columns_.push_back(laid_out(columns[f], n_rows()));
    if (columns_[f].is_nominal) continue;
    columns_[f].order = orders != nullptr ? (*orders)[f] : sorter.ascending_rows(columns[f], n_rows());
    for (const std::uint32_t row : columns_[f].order) columns_[f].ascending.push_back(columns_[f].number[row]);
  }
  std::vector<std::size_t> count(n_classes, 0);
  for (const std::uint8_t label : label_) ++count[label];
  std::iota(by_frequency_.begin(), by_frequency_.end(), 0);
  std::stable_sort(by_frequency_.begin(), by_frequency_.end(), [&](auto a, auto b) { return count[a] > count[b]; });
}

std::int32_t StumpRows::majority(std::span<const std::int32_t> weights, std::int32_t parents) const {
  const std::int32_t most = *std::max_element(weights.begin(), weights.end());
  if (parents >= 0 && weights[parents] == most) return parents;
  return *std::find_if(by_frequency_.begin(), by_frequency_.end(), [&](std::int32_t c) { return weights[c] == most; });
}

}  // namespace sightline::learn::stumps
