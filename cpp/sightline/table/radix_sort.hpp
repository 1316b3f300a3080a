// Sorting by 64-bit keys, digit by digit.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sightline::table {

// An unsigned integer with the same order as the doubles; -0.0 is below 0.0.
inline std::uint64_t ordered_bits(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  return bits & sign ? ~bits : bits | sign;
}

// Least significant digit first, so equal keys keep their order. A digit in which all keys agree costs
// one check; for integers and short decimals, that is most of them.
template <class Entry, class Key>
void radix_sort(std::vector<Entry>& entries, std::vector<Entry>& scratch, const Key& key) {
  constexpr int kBits = 11;
  constexpr std::size_t kBuckets = std::size_t{1} << kBits;
  if (entries.empty()) return;
  scratch.resize(entries.size());
  for (int shift = 0; shift < 64; shift += kBits) {
    std::array<std::uint32_t, kBuckets> start{};
    for (const Entry& entry : entries) ++start[(key(entry) >> shift) & (kBuckets - 1)];
    if (start[(key(entries[0]) >> shift) & (kBuckets - 1)] == entries.size()) continue;
    std::uint32_t total = 0;
    for (std::uint32_t& count : start) {
      const std::uint32_t here = count;
      count = total;
      total += here;
    }
    for (const Entry& entry : entries) scratch[start[(key(entry) >> shift) & (kBuckets - 1)]++] = entry;
    entries.swap(scratch);
  }
}

// Sorts numbers, none of them NaN. The buckets of a radix sort pay off from a thousand numbers on.
inline void sort_ascending(std::vector<double>& values) {
  constexpr std::size_t kMany = 1000;
  if (values.size() < kMany) return std::sort(values.begin(), values.end());
  std::vector<double> scratch;
  radix_sort(values, scratch, ordered_bits);
}

}  // namespace sightline::table
