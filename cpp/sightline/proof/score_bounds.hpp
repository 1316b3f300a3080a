// Bounds of what a contracted tree can add to a score.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

namespace sightline::proof {

struct ScoreBounds {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  ScoreBounds joined(const ScoreBounds& other) const { return {std::min(low, other.low), std::max(high, other.high)}; }
  bool operator==(const ScoreBounds&) const = default;
  ScoreBounds& operator+=(const ScoreBounds& other) {
    low += other.low;
    high += other.high;
    return *this;
  }
};

// Includes what the leaves among some entries of a tree add, the first `width` of each leaf's values.
template <class Entry>
void include_leaves(const Entry* begin, const Entry* end, const double* leaf_values, std::size_t width, ScoreBounds* result) {
  if (width == 2) {
    // Which entries are leaves cannot be predicted, so an inner node includes the leaf before it again.
    while (begin != end && !begin->is_leaf()) ++begin;
    ScoreBounds first = result[0], second = result[1];
    const double* value = nullptr;
    for (const Entry* entry = begin; entry != end; ++entry) {
      value = entry->is_leaf() ? leaf_values + entry->leaf() * width : value;
      first.include(value[0]);
      second.include(value[1]);
    }
    result[0] = first;
    result[1] = second;
    return;
  }
  for (const Entry* entry = begin; entry != end; ++entry) {
    if (!entry->is_leaf()) continue;
    const double* value = leaf_values + entry->leaf() * width;
    for (std::size_t a = 0; a < width; ++a) result[a].include(value[a]);
  }
}

// A row of the box reaches one of the live leaves, so the tree adds neither less nor more than they
// do. `leaf_values` has `width` values per leaf of the forest, `result` has `width` entries.
template <class Entry>
void bound_by_leaves(const Entry* begin, const Entry* end, const double* leaf_values, std::size_t width, ScoreBounds* result) {
  std::fill(result, result + width, ScoreBounds{});
  include_leaves(begin, end, leaf_values, width, result);
}

// The same for the live part of a tree whose leaves are all within `widest`: no need to look further than that is reached.
template <class Entry>
void bound_by_leaves(const Entry* begin, const Entry* end, const double* leaf_values, std::size_t width,
                     const ScoreBounds* widest, ScoreBounds* result) {
  constexpr std::ptrdiff_t kEntriesAtOnce = 32;
  std::fill(result, result + width, ScoreBounds{});
  while (begin != end && !std::equal(result, result + width, widest)) {
    const Entry* stop = begin + std::min(kEntriesAtOnce, end - begin);
    include_leaves(begin, stop, leaf_values, width, result);
    begin = stop;
  }
}

}  // namespace sightline::proof
