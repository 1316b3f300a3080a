// A map from short integer lists to integers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sightline::learn::c45 {

// Lists with the same first number have the same length, and no list is empty. Entries lie in one block, and the last
// answer for a first number is found without hashing, because cache misses dominate the cost.
class ListTable {
 public:
  std::optional<std::uint32_t> find(std::span<const std::uint32_t> list);
  // The list must not be in the table.
  void insert(std::span<const std::uint32_t> list, std::uint32_t number);
  // Bytes used.
  std::size_t used() const { return (entries_.size() + slots_.size() + last_.size()) * sizeof(std::uint32_t); }

 private:
  bool is_at(std::uint32_t entry, std::span<const std::uint32_t> list) const;
  std::size_t slot_of(std::span<const std::uint32_t> list) const;
  void grow();

  std::vector<std::uint32_t> entries_{0};  // length, list, number; offset 0 means none
  std::vector<std::uint32_t> slots_;       // offsets of entries, hashed
  std::vector<std::uint32_t> last_;        // offsets of entries, by first number
  std::size_t n_lists_ = 0;
};

}  // namespace sightline::learn::c45
