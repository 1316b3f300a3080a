#include "sightline/table/parsed_table.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_set>

namespace sightline::table {
namespace {

constexpr std::size_t kLongestShown = 60;

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

}  // namespace

std::string line_text(std::size_t line) { return "line " + std::to_string(line); }

std::string quoted(std::string_view value) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::size_t length = std::min(value.size(), kLongestShown);
  while (length < value.size() && length > 0 && continues_character(value[length])) --length;
  std::string result = "'";
  for (const char c : value.substr(0, length)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      result += "\\x";
      result += kHex[byte >> 4U];
      result += kHex[byte & 0xFU];
    } else {
      result += c;
    }
  }
  return result + (length < value.size() ? "...'" : "'");
}

void check_distinct_names(const std::vector<ParsedColumn>& columns) {
  std::unordered_set<std::string_view> seen;
  for (const ParsedColumn& column : columns) {
    if (!seen.insert(column.name).second) {
      throw std::invalid_argument("two columns have the name " + quoted(column.name));
    }
  }
}

}  // namespace sightline::table
