// The same member of many JSON objects, as one array.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "sightline/load/json_document.hpp"

namespace sightline::load {

// Copies the arrays of numbers that some objects of an array have under a key, those from `first` on, to `out`, one after the
// other. Returns whether it could: every one of them has such an array, of the length that `lengths` gives, and of whole
// numbers if T is an integer, all of them 0 or 1 if it is bool. Numbers beyond single precision become infinite. `file` holds
// the packed numbers.
template <class T>
bool join_numbers(const JsonDocument& document, std::string_view file, JsonDocument::Index array, std::string_view key,
                  std::size_t first, std::span<const std::int64_t> lengths, T* out);

extern template bool join_numbers(const JsonDocument&, std::string_view, JsonDocument::Index, std::string_view, std::size_t,
                                  std::span<const std::int64_t>, std::int64_t*);
extern template bool join_numbers(const JsonDocument&, std::string_view, JsonDocument::Index, std::string_view, std::size_t,
                                  std::span<const std::int64_t>, float*);
extern template bool join_numbers(const JsonDocument&, std::string_view, JsonDocument::Index, std::string_view, std::size_t,
                                  std::span<const std::int64_t>, bool*);

// A whole number, also if it is stored as a string of nothing but up to 18 digits.
std::optional<std::int64_t> parsed_whole(const JsonDocument& document, JsonDocument::Index index);

// The value of a member; none (position 0, the root) if it is not an object or has no such key.
JsonDocument::Index find_member(const JsonDocument& document, JsonDocument::Index object, std::string_view key);

}  // namespace sightline::load
