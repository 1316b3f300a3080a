#include "sightline/table/orders.hpp"

#include <array>
#include <bit>
#include <cmath>

namespace sightline::table {
namespace {

// An unsigned integer with the same order as the doubles; -0.0 counts as 0.0.
std::uint64_t sortable(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  return bits & sign ? ~bits : bits | sign;
}

}  // namespace

// Least significant digit first, so equal keys keep their order. A digit in which all keys agree costs
// one check; for integers and short decimals, that is most of them.
void ColumnSorter::radix_sort() {
  constexpr int kBits = 11;
  constexpr std::size_t kBuckets = std::size_t{1} << kBits;
  scratch_.resize(entries_.size());
  for (int shift = 0; shift < 64; shift += kBits) {
    std::array<std::uint32_t, kBuckets> start{};
    for (const Entry& entry : entries_) ++start[(entry.key() >> shift) & (kBuckets - 1)];
    if (start[(entries_[0].key() >> shift) & (kBuckets - 1)] == entries_.size()) continue;
    std::uint32_t total = 0;
    for (std::uint32_t& count : start) {
      const std::uint32_t here = count;
      count = total;
      total += here;
    }
    for (const Entry& entry : entries_) scratch_[start[(entry.key() >> shift) & (kBuckets - 1)]++] = entry;
    entries_.swap(scratch_);
  }
}

const std::vector<std::uint32_t>& ColumnSorter::ascending_rows(const Column& column, std::size_t n_rows) {
  entries_.clear();
  entries_.reserve(n_rows);
  for (std::size_t row = 0; row < n_rows; ++row) {
    const double value = column.number(row);
    if (std::isnan(value)) continue;
    const std::uint64_t key = sortable(value);
    entries_.push_back({static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(row)});
  }
  if (!entries_.empty()) radix_sort();
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
