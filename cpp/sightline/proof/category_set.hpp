// Sets of the declared values of a nominal feature, one bit per value.
#pragma once

#include <algorithm>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sightline::proof {

// A set owned elsewhere. Sets of one feature have the same number of words.
using CategoryBits = std::span<const std::uint64_t>;

inline std::size_t n_category_words(std::size_t n_values) { return (n_values + 63) / 64; }

inline bool contains(CategoryBits set, std::size_t value) { return set[value / 64] >> (value % 64) & 1; }

// The smallest value of a set that is not empty.
inline std::size_t lowest(CategoryBits set) {
  std::size_t word = 0;
  while (set[word] == 0) ++word;
  return word * 64 + std::countr_zero(set[word]);
}

// Where the values of a box lie relative to the set of a test.
enum class Overlap { kNothingLeft, kInside, kOutside, kBoth };

inline Overlap overlap(CategoryBits values, CategoryBits test) {
  bool inside = false;
  bool outside = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    inside |= (values[i] & test[i]) != 0;
    outside |= (values[i] & ~test[i]) != 0;
  }
  if (inside) return outside ? Overlap::kBoth : Overlap::kInside;
  return outside ? Overlap::kOutside : Overlap::kNothingLeft;
}

class CategorySet {
 public:
  CategorySet() = default;
  // The empty set.
  explicit CategorySet(std::size_t n_values) : words_(n_category_words(n_values), 0) {}
  static CategorySet all(std::size_t n_values) {
    CategorySet set(n_values);
    std::fill(set.words_.begin(), set.words_.end(), ~std::uint64_t{0});
    if (n_values % 64 != 0) set.words_.back() = (std::uint64_t{1} << (n_values % 64)) - 1;
    return set;
  }

  operator CategoryBits() const { return words_; }
  auto operator<=>(const CategorySet&) const = default;

  void add(std::size_t value) { words_[value / 64] |= bit(value); }
  void keep(CategoryBits set) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= set[i];
  }
  void remove(CategoryBits set) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~set[i];
  }
  // The same with ascending values.
  void keep_values(std::span<const std::int32_t> values) {
    auto value = values.begin();
    for (std::size_t i = 0; i < words_.size(); ++i) {
      std::uint64_t kept = 0;
      for (; value != values.end() && static_cast<std::size_t>(*value) / 64 == i; ++value) kept |= bit(*value);
      words_[i] &= kept;
    }
  }
  void remove_values(std::span<const std::int32_t> values) {
    for (const std::int32_t value : values) words_[value / 64] &= ~bit(value);
  }
  void clear() { std::fill(words_.begin(), words_.end(), 0); }

  bool contains(std::size_t value) const { return proof::contains(words_, value); }
  bool empty() const {
    return std::all_of(words_.begin(), words_.end(), [](std::uint64_t word) { return word == 0; });
  }
  std::size_t size() const {
    std::size_t n = 0;
    for (const std::uint64_t word : words_) n += std::popcount(word);
    return n;
  }

 private:
  static std::uint64_t bit(std::size_t value) { return std::uint64_t{1} << (value % 64); }

  std::vector<std::uint64_t> words_;
};

}  // namespace sightline::proof
