#include "sightline/table/orders.hpp"

#include <cmath>

#include "sightline/table/radix_sort.hpp"

namespace sightline::table {
const std::vector<std::uint32_t>& ColumnSorter::ascending_rows(const Column& column, std::size_t n_rows) {
  entries_.clear();
  entries_.reserve(n_rows);
  for (std::size_t row = 0; row < n_rows; ++row) {
    const double value = column.number(row);
    if (std::isnan(value)) continue;
    const std::uint64_t key = ordered_bits(value + 0.0);  // -0.0 counts as 0.0
    entries_.push_back({static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(row)});
  }
  radix_sort(entries_, scratch_, [](const Entry& entry) { return entry.key(); });
  order_.clear();
  for (const Entry& entry : entries_) order_.push_back(entry.row);
  return order_;
}

Orders::Orders(const Columns& columns, runtime::StopPoll& poll) : orders_(columns.size()) {
  ColumnSorter sorter;
  for (std::size_t f = 0; f < columns.size(); ++f) {
    poll();
    if (!columns[f].is_nominal()) orders_[f] = sorter.ascending_rows(columns[f], columns.n_rows());
  }
}

}  // namespace sightline::table
