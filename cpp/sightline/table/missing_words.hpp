// What stands for a missing value in text files.
#pragma once

#include <string_view>

namespace sightline::table {

// Whether programs write this for a missing value, in this spelling: NA, NULL, (null), NaN and so on. Such a cell is
// missing in every column.
bool is_missing_marker(std::string_view cell);

// Whether a spreadsheet program shows this instead of a result: #VALUE!, #BEZUG!, #N/A, Err:502. Such a cell is missing
// in every column.
bool is_spreadsheet_error(std::string_view cell);

// Whether people write this for a missing value: unknown, k.A., -, or a marker or error as above, in any case. Such a cell
// is missing in columns of numbers and dates, and a category in all others.
bool is_missing_word(std::string_view cell);

}  // namespace sightline::table
