#include "sightline/load/json_document.hpp"

#include <algorithm>
#include <stdexcept>

namespace sightline::load {

JsonDocument::Index JsonDocument::add(JsonKind kind) {
  const Index index = values_.size();
  Value& value = values_.emplace_back();
  value.kind = kind;
  value.next = index + 1;
  if (kind == JsonKind::kIntegers) value.begin = integers_.size();
  return index;
}

void JsonDocument::add_integer(std::int64_t value) { values_[add(JsonKind::kInteger)].integer = value; }

void JsonDocument::add_number(double value) { values_[add(JsonKind::kNumber)].number = value; }

void JsonDocument::add_string(std::string_view value) {
  Value& added = values_[add(JsonKind::kString)];
  added.begin = strings_.size();
  added.size = value.size();
  strings_.append(value);
}

void JsonDocument::add_packed(char type, std::size_t begin, std::size_t size) {
  Value& added = values_[add(JsonKind::kPacked)];
  added.type = type;
  added.begin = begin;
  added.size = size;
}

void JsonDocument::add_unread(std::size_t begin, std::size_t size) {
  Value& added = values_[add(JsonKind::kUnread)];
  added.begin = begin;
  added.size = size;
}

void JsonDocument::append_integer(std::int64_t value) {
  Value& array = values_.back();
  if (array.kind == JsonKind::kNumbers) return append_number(static_cast<double>(value));
  integers_.push_back(value);
  ++array.size;
}

bool JsonDocument::ends_with_one_of(const std::vector<std::string>& strings) const {
  if (values_.empty() || values_.back().kind != JsonKind::kString) return false;
  return std::find(strings.begin(), strings.end(), string(values_.size() - 1)) != strings.end();
}

void JsonDocument::append_number(double value) {
  Value& array = values_.back();
  if (array.kind == JsonKind::kIntegers) {
    const std::size_t begin = numbers_.size();
    numbers_.insert(numbers_.end(), integers_.begin() + static_cast<std::ptrdiff_t>(array.begin), integers_.end());
    integers_.resize(array.begin);
    array.kind = JsonKind::kNumbers;
    array.begin = begin;
  }
  numbers_.push_back(value);
  ++array.size;
}

void JsonDocument::loosen_last() {
  const Index index = values_.size() - 1;
  const Value array = values_[index];
  values_[index].kind = JsonKind::kArray;
  for (std::size_t i = 0; i < array.size; ++i) {
    if (array.kind == JsonKind::kIntegers) {
      add_integer(integers_[array.begin + i]);
    } else {
      add_number(numbers_[array.begin + i]);
    }
  }
  if (array.kind == JsonKind::kIntegers) integers_.resize(array.begin);
  if (array.kind == JsonKind::kNumbers) numbers_.resize(array.begin);
}

void JsonDocument::tighten_last(Index array) {
  const auto is_number = [](const Value& value) { return value.kind == JsonKind::kInteger || value.kind == JsonKind::kNumber; };
  const auto begin = values_.begin() + static_cast<std::ptrdiff_t>(array) + 1;
  if (begin == values_.end() || !std::all_of(begin, values_.end(), is_number)) return;
  const std::vector<Value> entries(begin, values_.end());
  values_.resize(array);
  add(JsonKind::kIntegers);
  for (const Value& entry : entries) {
    if (entry.kind == JsonKind::kInteger) {
      append_integer(entry.integer);
    } else {
      append_number(entry.number);
    }
  }
}

void JsonDocument::close(Index container, std::size_t size) {
  values_[container].size = size;
  values_[container].next = values_.size();
  if (values_[container].kind == JsonKind::kObject) check_distinct_keys(container);
}

void JsonDocument::check_distinct_keys(Index object) const {
  constexpr std::size_t kFew = 24;
  std::string_view few[kFew];
  std::vector<std::string_view> many;
  const std::size_t size = values_[object].size;
  if (size > kFew) many.resize(size);
  std::string_view* keys = size > kFew ? many.data() : few;
  Index at = object + 1;
  for (std::size_t i = 0; i < size; ++i) {
    keys[i] = string(at);
    at = values_[at + 1].next;
  }
  std::sort(keys, keys + size);
  const auto* twice = std::adjacent_find(keys, keys + size);
  if (twice != keys + size) throw std::invalid_argument("the key '" + std::string(*twice) + "' occurs twice in one object");
}

}  // namespace sightline::load
