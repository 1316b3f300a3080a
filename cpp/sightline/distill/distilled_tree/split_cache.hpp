// What growth found for the rows of leaves. Trees of several sizes, and the rounds of one, grow through the same leaves.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>

#include "sightline/distill/distilled_tree/code_set.hpp"

namespace sightline::distill::distilled_tree {

// The best test of a leaf; feature -1: none gains.
struct Split {
  double gain = 1e-9;  // a test must gain more
  std::int32_t feature = -1;
  std::int32_t cut = -1;
  CodeSet to_yes;
};

// The rows of a leaf, and whatever else its best test depends on. Rows are known by 128 bits of a hash, so that two
// different leaves are as good as never taken for the same.
struct LeafKey {
  LeafKey(std::span<const std::uint32_t> rows, std::uint8_t criterion, double min_weight, double min_leaf);
  auto operator<=>(const LeafKey&) const = default;

  std::size_t n_rows;
  std::uint64_t first = 0x9E3779B97F4A7C15;
  std::uint64_t second = 0xD1B54A32D192ED03;
  std::uint8_t criterion;
  double min_weight;
  double min_leaf;
};

// Several threads may ask at once.
class SplitCache {
 public:
  std::optional<Split> find(const LeafKey& key);
  void insert(const LeafKey& key, const Split& split);
  void clear();

 private:
  std::mutex mutex_;
  std::map<LeafKey, Split> splits_;
};

}  // namespace sightline::distill::distilled_tree
