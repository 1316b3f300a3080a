// A JSON or UBJSON document in flat memory, parsed without recursion.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sightline/runtime/stop.hpp"

namespace sightline::load {

enum class JsonKind : std::uint8_t {
  kNull,
  kFalse,
  kTrue,
  kInteger,
  kNumber,
  kString,
  kArray,
  kObject,
  kIntegers,  // an array of nothing but whole numbers
  kNumbers,   // an array of nothing but numbers, at least one of them with a point or exponent
  kPacked,    // an array of numbers of one type, contiguous in the file
  kUnread,    // an object that stays in the file: a nested tree, read later
};

// Values in the order of the text, each container right before its content. Model files consist
// mostly of arrays of numbers; these take eight bytes per number, and Python can borrow them.
class JsonDocument {
 public:
  // Position of a value in the document; the root is 0.
  using Index = std::size_t;

  struct Value {
    JsonKind kind = JsonKind::kNull;
    char type = 0;  // of packed numbers: UBJSON's letter
    // Strings and arrays of numbers: where they begin in their pool or in the file. Others: the value.
    union {
      std::int64_t integer = 0;
      double number;
      std::size_t begin;
    };
    std::size_t size = 0;  // bytes of a string, entries of an array, members of an object
    Index next = 0;        // the value after this one and its content
  };

  const Value& operator[](Index index) const { return values_[index]; }
  std::size_t size() const { return values_.size(); }
  std::string_view string(Index index) const { return {strings_.data() + values_[index].begin, values_[index].size}; }
  // For the parsers: whether the value that was added last is one of these strings.
  bool ends_with_one_of(const std::vector<std::string>& strings) const;
  std::span<const std::int64_t> integers(Index index) const {
    return {integers_.data() + values_[index].begin, values_[index].size};
  }
  std::span<const double> numbers(Index index) const { return {numbers_.data() + values_[index].begin, values_[index].size}; }

  // Reserves room for arrays of numbers. The system provides the memory only as it is filled.
  void reserve(std::size_t n_integers, std::size_t n_numbers) {
    integers_.reserve(n_integers);
    numbers_.reserve(n_numbers);
  }
  // For the parsers. A container is added, filled and closed. A key is a string before its value.
  Index add(JsonKind kind);
  void add_integer(std::int64_t value);
  void add_number(double value);
  void add_string(std::string_view value);
  // Numbers that stay in the file at byte `begin`: most of a large file is never read.
  void add_packed(char type, std::size_t begin, std::size_t size);
  void add_unread(std::size_t begin, std::size_t size);
  // Appends to the array of numbers that was added last.
  void append_integer(std::int64_t value);
  void append_number(double value);
  // Throws std::invalid_argument if an object has a key twice.
  void close(Index container, std::size_t size);
  // Turns the last array of numbers into an array of any values.
  void loosen_last();
  // The reverse, for a closed array at the end of the document: turns it into an array of numbers
  // if it contains only numbers.
  void tighten_last(Index array);

 private:
  void check_distinct_keys(Index object) const;

  std::vector<Value> values_;
  std::string strings_;
  std::vector<std::int64_t> integers_;
  std::vector<double> numbers_;
};

using JsonDocumentPtr = std::shared_ptr<const JsonDocument>;

// Strict: the whole text is one value; no comments, no NaN, no number too large for a double, no
// duplicate key. Objects at the paths in `unread` stay unread, because as values they would take
// twenty times the memory of their text. A path is the dotted list of keys from the root, without the
// arrays in between. Arrays of numbers under the keys in `with_nan` may contain NaN and minus infinity. Throws
// std::invalid_argument that names the byte.
JsonDocumentPtr parse_json(std::string_view text, const std::vector<std::string>& unread,
                           const std::vector<std::string>& with_nan, runtime::StopPoll& poll);
// The same for the part of UBJSON that XGBoost writes. Packed numbers stay in `bytes`.
JsonDocumentPtr parse_ubjson(std::string_view bytes, const std::vector<std::string>& with_nan, runtime::StopPoll& poll);

}  // namespace sightline::load
