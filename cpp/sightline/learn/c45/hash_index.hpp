// A hash table of numbers whose keys lie elsewhere.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sightline::learn::c45 {

// Stores a number below 2^32 - 1 with the hash of its key. The caller compares keys, and only those of equal hashes.
class HashIndex {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // The number with this hash whose key is the one searched for, or kNone.
  template <class HasKey>
  std::uint32_t find(std::uint32_t hash, HasKey&& has_key) const {
    if (slots_.empty()) return kNone;
    for (std::size_t slot = hash & (slots_.size() - 1); slots_[slot].number != kNone; slot = (slot + 1) & (slots_.size() - 1)) {
      if (slots_[slot].hash == hash && has_key(slots_[slot].number)) return slots_[slot].number;
    }
    return kNone;
  }

  // The key must not be in the table.
  void insert(std::uint32_t hash, std::uint32_t number) {
    if (2 * (n_numbers_ + 1) > slots_.size()) grow();
    put({hash, number});
    ++n_numbers_;
  }

  void clear() {
    slots_.clear();
    n_numbers_ = 0;
  }

  // Bytes used.
  std::size_t used() const { return slots_.size() * sizeof(Slot); }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t number = kNone;
  };

  void put(const Slot& entry) {
    std::size_t slot = entry.hash & (slots_.size() - 1);
    while (slots_[slot].number != kNone) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = entry;
  }

  // The number of slots is a power of two, and at least half of them are free.
  void grow() {
    constexpr std::size_t kSlots = 1024;
    std::vector<Slot> old(std::max(kSlots, 2 * slots_.size()));
    old.swap(slots_);
    for (const Slot& entry : old) {
      if (entry.number != kNone) put(entry);
    }
  }

  std::vector<Slot> slots_;
  std::size_t n_numbers_ = 0;
};

}  // namespace sightline::learn::c45
