// A cache of feature subsets that a search tries again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace sightline::learn::subspace_knn {

// A pass repeats most trials of the pass before, and members often have the same subsets. The shares of a subset do not
// depend on the rest of the ensemble; only the decision does.
class SubsetCache {
 public:
  using Subset = std::vector<bool>;  // per feature

  struct Entry {
    std::int64_t min_wrong;            // a lower bound of its errors
    std::vector<std::int32_t> shares;  // (row, class); empty if the trial stopped early
  };

  // `n_shares` is the number of shares per subset.
  explicit SubsetCache(std::size_t n_shares)
      : n_kept_(std::max<std::size_t>(1, kBudget / (n_shares * sizeof(std::int32_t) + 1))) {}

  // Null if unknown. Valid until the next `keep`.
  const Entry* find(const Subset& subset) const {
    const auto known = entries_.find(subset);
    return known == entries_.end() ? nullptr : &known->second;
  }

  void keep(const Subset& subset, Entry entry) {
    if (entries_.size() >= n_kept_) entries_.clear();
    entries_.insert_or_assign(subset, std::move(entry));
  }

 private:
  static constexpr std::size_t kBudget = std::size_t{64} << 20;  // bytes of shares

  std::size_t n_kept_;
  std::unordered_map<Subset, Entry> entries_;
};

}  // namespace sightline::learn::subspace_knn
