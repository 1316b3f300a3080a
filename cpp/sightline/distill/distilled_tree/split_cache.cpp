#include "sightline/distill/distilled_tree/split_cache.hpp"

namespace sightline::distill::distilled_tree {
namespace {

constexpr std::size_t kMaxSplits = std::size_t{1} << 16;  // 7 MB

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value, std::uint64_t factor) {
  hash = (hash ^ value) * factor;
  return hash ^ (hash >> 32);
}

}  // namespace

LeafKey::LeafKey(std::span<const std::uint32_t> rows, std::uint8_t criterion_, double min_weight_, double min_leaf_)
    : n_rows(rows.size()), criterion(criterion_), min_weight(min_weight_), min_leaf(min_leaf_) {
  for (const std::uint32_t row : rows) {
    first = mixed(first, row, 0xBF58476D1CE4E5B9);
    second = mixed(second, row, 0x94D049BB133111EB);
  }
}

std::optional<Split> SplitCache::find(const LeafKey& key) {
  const std::lock_guard lock(mutex_);
  const auto found = splits_.find(key);
  return found == splits_.end() ? std::nullopt : std::optional(found->second);
}

void SplitCache::insert(const LeafKey& key, const Split& split) {
  const std::lock_guard lock(mutex_);
  if (splits_.size() < kMaxSplits) splits_.emplace(key, split);
}

void SplitCache::clear() {
  const std::lock_guard lock(mutex_);
  splits_.clear();
}

}  // namespace sightline::distill::distilled_tree
