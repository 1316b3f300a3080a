#include "sightline/learn/c45/list_table.hpp"

#include <algorithm>
#include <bit>

namespace sightline::learn::c45 {

std::optional<std::uint32_t> ListTable::find(std::span<const std::uint32_t> list) {
  if (slots_.empty()) return std::nullopt;
  const bool is_last = list[0] < last_.size() && is_at(last_[list[0]], list);
  const std::uint32_t entry = is_last ? last_[list[0]] : slots_[slot_of(list)];
  if (entry == 0) return std::nullopt;
  last_[list[0]] = entry;
  return entries_[entry + 1 + list.size()];
}

void ListTable::insert(std::span<const std::uint32_t> list, std::uint32_t number) {
  if (2 * (n_lists_ + 1) > slots_.size()) grow();
  const auto entry = static_cast<std::uint32_t>(entries_.size());
  entries_.push_back(static_cast<std::uint32_t>(list.size()));
  entries_.insert(entries_.end(), list.begin(), list.end());
  entries_.push_back(number);
  slots_[slot_of(list)] = entry;
  if (last_.size() <= list[0]) last_.resize(std::max<std::size_t>(list[0] + 1, 2 * last_.size()), 0);
  last_[list[0]] = entry;
  ++n_lists_;
}

bool ListTable::is_at(std::uint32_t entry, std::span<const std::uint32_t> list) const {
  return entry != 0 && entries_[entry] == list.size() &&
         std::equal(list.begin(), list.end(), entries_.begin() + static_cast<std::ptrdiff_t>(entry) + 1);
}

// The slot of a list, or the free slot for it.
std::size_t ListTable::slot_of(std::span<const std::uint32_t> list) const {
  std::uint64_t hash = 0;
  for (const std::uint32_t number : list) hash = (std::rotl(hash, 29) ^ number) * 0x9E3779B97F4A7C15;
  std::size_t slot = (hash >> 32) & (slots_.size() - 1);
  while (slots_[slot] != 0 && !is_at(slots_[slot], list)) slot = (slot + 1) & (slots_.size() - 1);
  return slot;
}

// The number of slots is a power of two.
void ListTable::grow() {
  constexpr std::size_t kSlots = 1024;
  slots_.assign(std::max(kSlots, 2 * slots_.size()), 0);
  for (std::size_t entry = 1; entry < entries_.size(); entry += entries_[entry] + 2) {
    slots_[slot_of({entries_.data() + entry + 1, entries_[entry]})] = static_cast<std::uint32_t>(entry);
  }
}

}  // namespace sightline::learn::c45
