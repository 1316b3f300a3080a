// Reads delimited text such as CSV.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "sightline/runtime/stop.hpp"
#include "sightline/table/parsed_table.hpp"

namespace sightline::table {

struct DelimitedOptions {
  NumberStyle style;  // its decimal mark is for columns that do not prove theirs
  // Columns whose cells are categories unless every one is a plain number such as 12 or -0.5e3.
  std::unordered_set<std::string> plain_columns;
  // The target: its numbers have no units, and it has no cells that are left out.
  std::string target;
  // Columns that are known to hold numbers. Unless most cells are text, any other cell is missing.
  std::unordered_set<std::string> numeric_columns;
};

// Reads a header and its records (RFC 4180). Blanks around an unquoted cell and blank lines are
// dropped; so are columns without name and cells, records without cells at the end, comments, lines
// drawn below the header, and footers such as (120 rows). Empty cells are missing, and unquoted ones that are one of
// NA N/A NaN nan NULL null None ? <NA> NaT #N/A #NV \N.
//
// A column is numeric if all its known cells are numbers as people write them, none has a leading
// zero (007), and all have the same unit. The decimal mark is what most columns prove, because in
// 8.199 both are possible; a column that proves the other mark has its own. Few cells that are not
// numbers in a column of numbers are missing, and listed; so are many, if the cells are all different. All
// other columns are nominal with their
// distinct values in byte order.
// Throws std::invalid_argument that names the malformed line.
ParsedTable parse_delimited(std::string_view text, const DelimitedOptions& options, runtime::StopPoll& poll);

}  // namespace sightline::table
