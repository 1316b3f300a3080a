// Reads delimited text such as CSV.
#pragma once

#include <string_view>

#include "sightline/runtime/stop.hpp"
#include "sightline/table/parsed_table.hpp"

namespace sightline::table {

// The separator among , ; tab | that occurs equally often in the first two records, else the most
// frequent one in the first record, else a comma.
char sniff_delimiter(std::string_view text);

// Reads a header and its records (RFC 4180). Blanks around an unquoted cell and blank lines are
// dropped. A column is numeric if all its known cells are numbers and none has a leading zero
// (007), else nominal with its distinct values in byte order. Unquoted cells that are empty or one
// of NA N/A NaN nan NULL null None ? are missing.
// Throws std::invalid_argument that names the malformed line.
ParsedTable parse_delimited(std::string_view text, runtime::StopPoll& poll);

}  // namespace sightline::table
