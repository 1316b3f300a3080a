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
  kPacked,    // an array of numbers of one type that lie in the file one after the other
  kUnread,    // an object that stays in the file: a nested tree, read when its turn comes
};

// Values in the order of the text, each container right before its content. Arrays of numbers,
// of which model files mostly consist, take eight bytes per number and can be lent to Python.
class JsonDocument {
 public:
  // Position of a value in the document; the root is 0.
  using Index = std::size_t;

  struct Value {
    JsonKind kind = JsonKind::kNull;
    char type = 0;  // packed numbers: UBJSON's letter for it
    // Texts and arrays of numbers: where they begin in their pool, or in the file. Others: what they are.
    union {
      std::int64_t integer = 0;
      double number;
      std::size_t begin;
    };
    std::size_t size = 0;  // bytes of a text, numbers, entries of an array, members of an object
    Index next = 0;        // the value behind this one and its content
  };

  const Value& operator[](Index index) const { return values_[index]; }
  std::size_t size() const { return values_.size(); }
  std::string_view string(Index index) const { return {strings_.data() + values_[index].begin, values_[index].size}; }
  std::span<const std::int64_t> integers(Index index) const {
    return {integers_.data() + values_[index].begin, values_[index].size};
  }
  std::span<const double> numbers(Index index) const { return {numbers_.data() + values_[index].begin, values_[index].size}; }

  // Room that arrays of numbers will not outgrow soon; memory is used up only as it is filled.
  void reserve(std::size_t n_integers, std::size_t n_numbers) {
    integers_.reserve(n_integers);
    numbers_.reserve(n_numbers);
  }
  // For the parsers. A container is opened, filled and closed; its keys are strings before the values.
  Index add(JsonKind kind);
  void add_integer(std::int64_t value);
  void add_number(double value);
  void add_string(std::string_view value);
  // Numbers that stay in the file, from a byte on: most of a large file is never asked for.
  void add_packed(char type, std::size_t begin, std::size_t size);
  void add_unread(std::size_t begin, std::size_t size);
  // Entries of an array of numbers, the last of which has been added with `add`.
  void append_integer(std::int64_t value);
  void append_number(double value);
  // Throws std::invalid_argument if a key of the object stands there twice.
  void close(Index container, std::size_t size);
  // Makes an array of numbers that was begun as one an array of anything.
  void loosen_last();
  // The reverse, for a closed array at the end of the document: if there are only numbers in it,
  // it becomes an array of numbers.
  void tighten_last(Index array);

 private:
  void check_distinct_keys(Index object) const;

  std::vector<Value> values_;
  std::string strings_;
  std::vector<std::int64_t> integers_;
  std::vector<double> numbers_;
};

using JsonDocumentPtr = std::shared_ptr<const JsonDocument>;

// Strict: the whole text is one value, no comments, no NaN, no number beyond the doubles, no key
// twice. Objects are left unread behind certain keys, given as the way to them from the root
// (`names.with.points`; arrays on the way do not count): as values they would take twenty times the
// room of their text. Throws std::invalid_argument naming the byte.
JsonDocumentPtr parse_json(std::string_view text, const std::vector<std::string>& unread, runtime::StopPoll& poll);
// The same for UBJSON, as far as XGBoost writes it. Packed numbers are finite; they stay in the bytes.
JsonDocumentPtr parse_ubjson(std::string_view bytes, runtime::StopPoll& poll);

}  // namespace sightline::load
