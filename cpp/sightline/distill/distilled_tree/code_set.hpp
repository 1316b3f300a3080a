// Sets of the bins that a test sends one way.
#pragma once

#include <array>
#include <compare>
#include <cstdint>

#include "sightline/distill/distilled_tree/bins.hpp"

namespace sightline::distill::distilled_tree {

// A set of the 256 codes, for numbers, categories and missing values alike.
class CodeSet {
 public:
  bool contains(Code code) const { return (bits_[code >> 6] >> (code & 63)) & 1; }
  void insert(Code code) { bits_[code >> 6] |= std::uint64_t{1} << (code & 63); }
  // Codes 0 to `last`.
  static CodeSet up_to(Code last);
  auto operator<=>(const CodeSet&) const = default;

 private:
  std::array<std::uint64_t, 4> bits_{};
};

}  // namespace sightline::distill::distilled_tree
