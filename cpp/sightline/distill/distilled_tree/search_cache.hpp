// What searches found for the rows of nodes. Trees of several sizes, and the rounds of one, come through the same nodes.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>

#include "sightline/distill/distilled_tree/code_set.hpp"

namespace sightline::distill::distilled_tree {

// With fewer columns a look at all of them is hardly more expensive than finding out whether the node is known.
inline constexpr std::size_t kWorthCache = 16;

// The best test of a leaf; feature -1: none gains.
struct Split {
  double gain = 1e-9;  // a test must gain more
  std::int32_t feature = -1;
  std::int32_t cut = -1;
  CodeSet to_yes;
};

// The best test of a feature for a node whose children stay, and its gain over sending all rows to `no`.
struct Candidate {
  double gain = 0;
  std::int32_t cut = -1;
  bool swapped = false;  // numeric: small values go to what is now the no child
};

// The best test of a node of all features; feature -1: none gains.
struct Replacement {
  std::int32_t feature = -1;
  Candidate test;
};

// Of a list: 128 bits of a hash, so that two different lists are as good as never taken for the same.
class Fingerprint {
 public:
  void add(std::uint64_t value);
  auto operator<=>(const Fingerprint&) const = default;

 private:
  std::uint64_t first_ = 0x9E3779B97F4A7C15;
  std::uint64_t second_ = 0xD1B54A32D192ED03;
};

// The rows of a leaf, and whatever else its best test depends on.
struct LeafKey {
  LeafKey(std::span<const std::uint32_t> rows, std::uint8_t criterion, double min_weight, double min_leaf);
  auto operator<=>(const LeafKey&) const = default;

  std::size_t n_rows;
  Fingerprint content;
  std::uint8_t criterion;
  double min_weight;
  double min_leaf;
};

// The rows of a node whose loss depends on the branch, what each gains at `yes`, and whatever else the best replacement of
// its test depends on: what that must gain, and all training rows of the node if each side must keep enough of them.
struct NodeKey {
  NodeKey(std::span<const std::uint32_t> rows, std::span<const double> gains, std::span<const std::uint32_t> training, double now,
          double min_leaf);
  auto operator<=>(const NodeKey&) const = default;

  std::size_t n_rows;
  std::size_t n_training;
  Fingerprint content;
  double now;
  double min_leaf;
};

// Several threads may ask at once.
template <class Key, class Found>
class SearchCache {
 public:
  std::optional<Found> find(const Key& key) {
    const std::lock_guard lock(mutex_);
    const auto known = found_.find(key);
    return known == found_.end() ? std::nullopt : std::optional(known->second);
  }
  void insert(const Key& key, const Found& found) {
    const std::lock_guard lock(mutex_);
    if (found_.size() < kMaxEntries) found_.emplace(key, found);
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    found_.clear();
  }

 private:
  static constexpr std::size_t kMaxEntries = std::size_t{1} << 16;  // 7 to 10 MB

  std::mutex mutex_;
  std::map<Key, Found> found_;
};

using SplitCache = SearchCache<LeafKey, Split>;
using ReplacementCache = SearchCache<NodeKey, Replacement>;

}  // namespace sightline::distill::distilled_tree
