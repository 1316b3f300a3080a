#include "sightline/load/joined_numbers.hpp"

#include <algorithm>
#include <type_traits>

#include "sightline/load/packed_numbers.hpp"

namespace sightline::load {
namespace {

using Index = JsonDocument::Index;

// Whether all are 0 or 1, if they are to be flags.
template <class T>
bool copy_integers(std::size_t size, T* out, auto integer) {
  std::uint64_t all_bits = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::int64_t value = integer(i);
    all_bits |= static_cast<std::uint64_t>(value);
    out[i] = static_cast<T>(value);
  }
  return !std::is_same_v<T, bool> || all_bits <= 1;
}

template <char type, class T>
bool unpack_as(const char* bytes, std::size_t size, T* out) {
  if constexpr (type == 'd' || type == 'D') {
    for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<T>(number_at(bytes + i * width_of(type), type));
    return true;
  } else {
    return copy_integers(size, out, [&](std::size_t i) { return integer_at(bytes + i * width_of(type), type); });
  }
}

template <class T>
bool unpack(const char* bytes, char type, std::size_t size, T* out) {
  switch (type) {
    case 'i':
      return unpack_as<'i'>(bytes, size, out);
    case 'U':
      return unpack_as<'U'>(bytes, size, out);
    case 'I':
      return unpack_as<'I'>(bytes, size, out);
    case 'l':
      return unpack_as<'l'>(bytes, size, out);
    case 'L':
      return unpack_as<'L'>(bytes, size, out);
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    return false;
  } else {
    return type == 'd' ? unpack_as<'d'>(bytes, size, out) : unpack_as<'D'>(bytes, size, out);
  }
}

template <class T>
bool copy_numbers(const JsonDocument& document, std::string_view file, Index index, T* out) {
  const JsonDocument::Value& value = document[index];
  if (value.kind == JsonKind::kPacked) return unpack(file.data() + value.begin, value.type, value.size, out);
  if (value.kind == JsonKind::kIntegers) {
    const auto integers = document.integers(index);
    return copy_integers(integers.size(), out, [&](std::size_t i) { return integers[i]; });
  }
  if constexpr (!std::is_integral_v<T>) {
    if (value.kind == JsonKind::kNumbers) {
      const auto numbers = document.numbers(index);
      std::transform(numbers.begin(), numbers.end(), out, [](double number) { return static_cast<T>(number); });
      return true;
    }
  }
  return false;
}

}  // namespace

Index find_member(const JsonDocument& document, Index object, std::string_view key) {
  if (document[object].kind != JsonKind::kObject) return 0;
  Index at = object + 1;
  for (std::size_t i = 0; i < document[object].size; ++i) {
    if (document.string(at) == key) return at + 1;
    at = document[at + 1].next;
  }
  return 0;
}

template <class T>
bool join_numbers(const JsonDocument& document, std::string_view file, Index array, std::string_view key, std::size_t first,
                  std::span<const std::int64_t> lengths, T* out) {
  if (document[array].kind != JsonKind::kArray || first > document[array].size) return false;
  if (document[array].size - first < lengths.size()) return false;
  Index object = array + 1;
  for (std::size_t i = 0; i < first; ++i) object = document[object].next;
  for (const std::int64_t length : lengths) {
    const Index member = find_member(document, object, key);
    if (member == 0 || static_cast<std::int64_t>(document[member].size) != length) return false;
    if (!copy_numbers(document, file, member, out)) return false;
    out += length;
    object = document[object].next;
  }
  return true;
}

template bool join_numbers(const JsonDocument&, std::string_view, Index, std::string_view, std::size_t,
                           std::span<const std::int64_t>, std::int64_t*);
template bool join_numbers(const JsonDocument&, std::string_view, Index, std::string_view, std::size_t,
                           std::span<const std::int64_t>, float*);
template bool join_numbers(const JsonDocument&, std::string_view, Index, std::string_view, std::size_t,
                           std::span<const std::int64_t>, bool*);

std::optional<std::int64_t> parsed_whole(const JsonDocument& document, Index index) {
  if (document[index].kind == JsonKind::kInteger) return document[index].integer;
  constexpr std::size_t kMaxDigits = 18;
  if (document[index].kind != JsonKind::kString || document[index].size == 0 || document[index].size > kMaxDigits) return {};
  std::int64_t value = 0;
  for (const char digit : document.string(index)) {
    if (digit < '0' || digit > '9') return {};
    value = 10 * value + (digit - '0');
  }
  return value;
}

}  // namespace sightline::load
