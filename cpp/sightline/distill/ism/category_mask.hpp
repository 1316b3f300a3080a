// Sets of categories as words of bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sightline::distill::ism::category_mask {

inline std::size_t n_words(std::size_t n_values) { return (n_values + 63) / 64; }

inline void add(std::uint64_t* mask, std::size_t value) { mask[value / 64] |= std::uint64_t{1} << (value % 64); }

inline bool contains(const std::uint64_t* mask, std::size_t value) { return mask[value / 64] >> (value % 64) & 1; }

// All declared values, and nothing beyond them.
inline std::vector<std::uint64_t> all(std::size_t n_values) {
  std::vector<std::uint64_t> mask(n_words(n_values), ~std::uint64_t{0});
  if (n_values % 64 != 0) mask.back() = (std::uint64_t{1} << (n_values % 64)) - 1;
  return mask;
}

inline std::size_t count(const std::uint64_t* mask, std::size_t words) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < words; ++i) n += std::popcount(mask[i]);
  return n;
}

// The smallest value of a set that is not empty.
inline std::size_t lowest(const std::uint64_t* mask) {
  std::size_t word = 0;
  while (mask[word] == 0) ++word;
  return word * 64 + std::countr_zero(mask[word]);
}

// How a set relates to a test's set: every value in it, none, or some.
enum class Side { kNothingLeft, kInside, kOutside, kBoth };

inline Side side_of(const std::uint64_t* values, const std::uint64_t* test, std::size_t words) {
  bool inside = false;
  bool outside = false;
  for (std::size_t i = 0; i < words; ++i) {
    inside |= (values[i] & test[i]) != 0;
    outside |= (values[i] & ~test[i]) != 0;
  }
  if (inside) return outside ? Side::kBoth : Side::kInside;
  return outside ? Side::kOutside : Side::kNothingLeft;
}

}  // namespace sightline::distill::ism::category_mask
