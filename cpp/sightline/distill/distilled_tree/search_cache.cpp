#include "sightline/distill/distilled_tree/search_cache.hpp"

#include <bit>

namespace sightline::distill::distilled_tree {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value, std::uint64_t factor) {
  hash = (hash ^ value) * factor;
  return hash ^ (hash >> 32);
}

}  // namespace

void Fingerprint::add(std::uint64_t value) {
  first_ = mixed(first_, value, 0xBF58476D1CE4E5B9);
  second_ = mixed(second_, value, 0x94D049BB133111EB);
}

LeafKey::LeafKey(std::span<const std::uint32_t> rows, std::uint8_t criterion_, double min_weight_, double min_leaf_)
    : n_rows(rows.size()), criterion(criterion_), min_weight(min_weight_), min_leaf(min_leaf_) {
  for (const std::uint32_t row : rows) content.add(row);
}

NodeKey::NodeKey(std::span<const std::uint32_t> rows, std::span<const double> gains, std::span<const std::uint32_t> training,
                 double now_, double min_leaf_)
    : n_rows(rows.size()), n_training(training.size()), now(now_), min_leaf(min_leaf_) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    content.add(rows[i]);
    content.add(std::bit_cast<std::uint64_t>(gains[i]));
  }
  for (const std::uint32_t row : training) content.add(row);
}

}  // namespace sightline::distill::distilled_tree
