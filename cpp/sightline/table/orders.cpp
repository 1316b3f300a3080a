#include "sightline/table/orders.hpp"

#include <array>
#include <bit>
#include <cmath>

namespace sightline {
namespace {

struct Entry {
  std::uint64_t key;
  std::uint32_t row;
};

// Unsigned integers that ascend as the doubles do; -0.0 counts as 0.0.
std::uint64_t sortable(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  return bits & sign ? ~bits : bits | sign;
}

// Least significant digit first, so that equal keys keep their order; digits in which
// all keys agree (most of them, for integers and short decimals) cost one look.
void radix_sort(std::vector<Entry>& entries) {
  constexpr int kBits = 11;
  constexpr std::size_t kBuckets = std::size_t{1} << kBits;
  std::vector<Entry> scratch(entries.size());
  for (int shift = 0; shift < 64; shift += kBits) {
    std::array<std::uint32_t, kBuckets> start{};
    for (const Entry& entry : entries) ++start[(entry.key >> shift) & (kBuckets - 1)];
    if (start[(entries[0].key >> shift) & (kBuckets - 1)] == entries.size()) continue;
    std::uint32_t total = 0;
    for (std::uint32_t& count : start) {
      const std::uint32_t here = count;
      count = total;
      total += here;
    }
    for (const Entry& entry : entries) scratch[start[(entry.key >> shift) & (kBuckets - 1)]++] = entry;
    entries.swap(scratch);
  }
}

}  // namespace

std::vector<std::uint32_t> ascending_rows(const Column& column, std::size_t n_rows) {
  std::vector<Entry> entries;
  entries.reserve(n_rows);
  for (std::size_t row = 0; row < n_rows; ++row) {
    const double value = column.number(row);
    if (!std::isnan(value)) entries.push_back({sortable(value), static_cast<std::uint32_t>(row)});
  }
  if (!entries.empty()) radix_sort(entries);
  std::vector<std::uint32_t> order;
  order.reserve(entries.size());
  for (const Entry& entry : entries) order.push_back(entry.row);
  return order;
}

Orders::Orders(const Columns& columns, StopPoll& poll) : orders_(columns.size()) {
  for (std::size_t f = 0; f < columns.size(); ++f) {
    poll();
    if (!columns[f].is_nominal()) orders_[f] = ascending_rows(columns[f], columns.n_rows());
  }
}

}  // namespace sightline
