// One bit per row of a block, and counters stored as bit planes.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sightline::model {

// Four machine words: the loops over them become vector instructions.
struct RowBits {
  static constexpr std::size_t kWords = 4;
  static constexpr std::size_t kRows = 64 * kWords;

  std::array<std::uint64_t, kWords> word{};

  // The first n rows.
  static RowBits first(std::size_t n) {
    RowBits bits;
    for (std::size_t w = 0; w < kWords; ++w) {
      if (n >= 64 * (w + 1)) {
        bits.word[w] = ~std::uint64_t{0};
      } else if (n > 64 * w) {
        bits.word[w] = (std::uint64_t{1} << (n - 64 * w)) - 1;
      }
    }
    return bits;
  }

  void set(std::size_t row) { word[row / 64] |= std::uint64_t{1} << (row % 64); }
  bool any() const { return (word[0] | word[1] | word[2] | word[3]) != 0; }
  std::size_t count() const {
    std::size_t n = 0;
    for (const std::uint64_t w : word) n += static_cast<std::size_t>(std::popcount(w));
    return n;
  }

  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t w = 0; w < kWords; ++w) {
      for (std::uint64_t rest = word[w]; rest != 0; rest &= rest - 1) {
        visit(64 * w + static_cast<std::size_t>(std::countr_zero(rest)));
      }
    }
  }

  RowBits& operator&=(const RowBits& o) {
    for (std::size_t w = 0; w < kWords; ++w) word[w] &= o.word[w];
    return *this;
  }
  RowBits& operator|=(const RowBits& o) {
    for (std::size_t w = 0; w < kWords; ++w) word[w] |= o.word[w];
    return *this;
  }
  RowBits& operator^=(const RowBits& o) {
    for (std::size_t w = 0; w < kWords; ++w) word[w] ^= o.word[w];
    return *this;
  }
  friend RowBits operator&(RowBits a, const RowBits& b) { return a &= b; }
  friend RowBits operator|(RowBits a, const RowBits& b) { return a |= b; }
  friend RowBits operator^(RowBits a, const RowBits& b) { return a ^= b; }
  friend RowBits operator~(RowBits a) {
    for (std::uint64_t& w : a.word) w = ~w;
    return a;
  }
};

// Rows whose number is at least `bound`, where bit b of the numbers is in plane b.
inline RowBits at_least(const RowBits* planes, std::size_t n_planes, std::size_t bound) {
  if (static_cast<std::size_t>(std::bit_width(bound)) > n_planes) return {};
  // From the highest bit down: already above, or equal so far.
  RowBits above;
  RowBits equal = ~RowBits{};
  for (std::size_t plane = n_planes; plane-- > 0;) {
    if (bound >> plane & 1) {
      equal &= planes[plane];
    } else {
      above |= equal & planes[plane];
      equal &= ~planes[plane];
    }
  }
  return above | equal;
}

// A number per row, bit b of all of them in plane b: adding one bit to 256 numbers costs
// about two operations per word, since carries die out.
class RowCounters {
 public:
  // Forgets the numbers; from now on they may grow up to `largest`.
  void reset(std::size_t largest) { planes_.assign(static_cast<std::size_t>(std::bit_width(largest)), RowBits{}); }

  const std::vector<RowBits>& planes() const { return planes_; }

  // Adds 2^plane to the rows of `carry`.
  void add(RowBits carry, std::size_t plane = 0) {
    for (; plane < planes_.size() && carry.any(); ++plane) {
      const RowBits both = planes_[plane] & carry;
      planes_[plane] ^= carry;
      carry = both;
    }
  }

  // Adds the numbers of n planes, of the rows in `mask` only.
  void add(const RowBits* added, std::size_t n, const RowBits& mask) {
    RowBits carry;
    std::size_t plane = 0;
    for (; plane < n && plane < planes_.size(); ++plane) {
      const RowBits own = added[plane] & mask;
      const RowBits half = planes_[plane] ^ own;
      const RowBits overflow = (planes_[plane] & own) | (half & carry);
      planes_[plane] = half ^ carry;
      carry = overflow;
    }
    add(carry, plane);
  }

  // Writes the numbers of all rows.
  void expand(std::uint32_t* numbers) const;

 private:
  std::vector<RowBits> planes_;
};

}  // namespace sightline::model
