// Reads Weka's attribute-relation file format (ARFF).
#pragma once

#include <string_view>

#include "sightline/runtime/stop.hpp"
#include "sightline/table/parsed_table.hpp"

namespace sightline::table {

// Reads header and rows, dense or sparse, with instance weights. As in Weka, cells are
// separated by a comma or by blanks, and only an unquoted ? is missing. More lenient than Weka in
// one respect: %, quotes and braces are special only at the start of a cell. Strings become
// nominal, with their values in order of appearance; dates are rejected.
// Throws std::invalid_argument that names the malformed line.
ParsedTable parse_arff(std::string_view text, runtime::StopPoll& poll);

}  // namespace sightline::table
