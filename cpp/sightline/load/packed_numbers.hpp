// The numbers of UBJSON, as they lie in a file.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace sightline::load {

// The bytes of the numeric types of UBJSON, each named by a letter.
inline std::size_t width_of(char type) {
  switch (type) {
    case 'i':
    case 'U':
      return 1;
    case 'I':
      return 2;
    case 'l':
    case 'd':
      return 4;
    case 'L':
    case 'D':
      return 8;
    default:
      return 0;
  }
}

inline bool is_floating(char type) { return type == 'd' || type == 'D'; }

// Numbers are big-endian. Compilers turn this expression into one load and a swap of bytes.
template <std::size_t... i>
std::uint64_t big_endian(const char* bytes, std::index_sequence<i...>) {
  return ((std::uint64_t{static_cast<unsigned char>(bytes[i])} << 8 * (sizeof...(i) - 1 - i)) | ...);
}

inline std::uint64_t big_endian(const char* bytes, std::size_t width) {
  // The two most frequent widths first.
  if (width == 4) return big_endian(bytes, std::make_index_sequence<4>());
  if (width == 8) return big_endian(bytes, std::make_index_sequence<8>());
  std::uint64_t result = 0;
  for (std::size_t i = 0; i < width; ++i) result = result << 8 | static_cast<unsigned char>(bytes[i]);
  return result;
}

template <class T>
T as_signed(std::uint64_t bits) {
  return static_cast<T>(static_cast<std::make_unsigned_t<T>>(bits));
}

inline std::int64_t integer_at(const char* bytes, char type) {
  const std::uint64_t bits = big_endian(bytes, width_of(type));
  switch (type) {
    case 'i':
      return as_signed<std::int8_t>(bits);
    case 'I':
      return as_signed<std::int16_t>(bits);
    case 'l':
      return as_signed<std::int32_t>(bits);
    case 'L':
      return as_signed<std::int64_t>(bits);
    default:
      return static_cast<std::int64_t>(bits);  // U
  }
}

inline double number_at(const char* bytes, char type) {
  if (type == 'd') return std::bit_cast<float>(static_cast<std::uint32_t>(big_endian(bytes, 4)));
  return std::bit_cast<double>(big_endian(bytes, 8));
}

}  // namespace sightline::load
