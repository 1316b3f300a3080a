// Numbers by short lists of numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sightline::learn::c45 {

// Lists that begin alike are of one length, and never empty. What was asked for lies in one place, and the last answer
// to a first number is found without a search: memory out of the cache is what this costs.
class ListTable {
 public:
  std::optional<std::uint32_t> find(std::span<const std::uint32_t> list);
  // Of a list that is not there.
  void insert(std::span<const std::uint32_t> list, std::uint32_t number);
  // Bytes.
  std::size_t used() const { return (entries_.size() + slots_.size() + last_.size()) * sizeof(std::uint32_t); }

 private:
  bool is_at(std::uint32_t place, std::span<const std::uint32_t> list) const;
  std::size_t slot_of(std::span<const std::uint32_t> list) const;
  void grow();

  std::vector<std::uint32_t> entries_{0};  // length, list, number; place 0 is none
  std::vector<std::uint32_t> slots_;       // places, hashed
  std::vector<std::uint32_t> last_;        // places, by the first number
  std::size_t n_lists_ = 0;
};

}  // namespace sightline::learn::c45
