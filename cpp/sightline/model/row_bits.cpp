#include "sightline/model/row_bits.hpp"

#include <algorithm>
#include <cstring>

namespace sightline::model {
namespace {

// Eight bits spread over the lowest bits of eight bytes, the first bit in the first byte.
constexpr std::array<std::uint64_t, 256> spread_bytes() {
  std::array<std::uint64_t, 256> spread{};
  for (std::size_t bits = 0; bits < 256; ++bits) {
    for (std::size_t index = 0; index < 8; ++index) {
      const std::size_t byte = std::endian::native == std::endian::little ? index : 7 - index;
      spread[bits] |= static_cast<std::uint64_t>(bits >> index & 1) << (8 * byte);
    }
  }
  return spread;
}

constexpr std::array<std::uint64_t, 256> kSpread = spread_bytes();

}  // namespace

void RowCounters::expand(std::uint32_t* numbers) const {
  std::memset(numbers, 0, RowBits::kRows * sizeof(std::uint32_t));
  // Eight planes at a time fill one byte per row, eight rows per word.
  for (std::size_t first = 0; first < planes_.size(); first += 8) {
    const std::size_t last = std::min(first + 8, planes_.size());
    for (std::size_t octet = 0; octet < RowBits::kRows / 8; ++octet) {
      std::uint64_t bytes = 0;
      for (std::size_t plane = first; plane < last; ++plane) {
        const std::uint64_t word = planes_[plane].word[octet / 8];
        bytes |= kSpread[word >> (8 * (octet % 8)) & 0xff] << (plane - first);
      }
      unsigned char byte[8];
      std::memcpy(byte, &bytes, 8);
      for (std::size_t i = 0; i < 8; ++i) numbers[8 * octet + i] |= static_cast<std::uint32_t>(byte[i]) << first;
    }
  }
}

}  // namespace sightline::model
