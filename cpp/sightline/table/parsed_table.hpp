// The content of a text file: typed columns, before features and target are chosen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sightline::table {

struct ParsedColumn {
  std::string name;
  bool is_nominal = false;
  std::vector<double> numbers;      // of a numeric column; NaN is missing
  std::vector<std::int32_t> codes;  // of a nominal column; kMissingCode is missing
  std::vector<std::string> values;  // declared or distinct values, indexed by code
};

struct ParsedTable {
  std::string name;
  std::vector<ParsedColumn> columns;
  std::vector<double> weights;  // one per row, or empty if the file has none
  std::size_t n_rows = 0;
};

// "line 17": how every error about a text file begins.
std::string line_text(std::size_t line);

// A quoted value for an error message. It is cut to a readable length between characters, and
// control characters are escaped, so the message stays on one line and is valid UTF-8.
std::string quoted(std::string_view value);

// Throws std::invalid_argument if two columns have the same name.
void check_distinct_names(const std::vector<ParsedColumn>& columns);

}  // namespace sightline::table
