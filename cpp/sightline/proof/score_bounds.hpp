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
  ScoreBounds& operator+=(const ScoreBounds& other) {
    low += other.low;
    high += other.high;
    return *this;
  }
};

// A row of the box reaches one of the live leaves, so the tree adds neither less nor more than they
// do. `leaf_values` has `width` values per leaf of the forest, `result` has `width` entries.
template <class Entry>
void bound_by_leaves(const Entry* begin, const Entry* end, const double* leaf_values, std::size_t width, ScoreBounds* result) {
  std::fill(result, result + width, ScoreBounds{});
  if (width == 2) {
    // Which entries are leaves cannot be predicted, so an inner node includes the leaf before it again. The last is a leaf.
    ScoreBounds first, second;
    const double* value = leaf_values + (end - 1)->leaf() * width;
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

}  // namespace sightline::proof
