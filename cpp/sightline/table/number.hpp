// Reads decimal numbers as people write them in text files.
#pragma once

#include <string_view>

namespace sightline::table {

enum class Reading { kNumber, kInfinite, kText };

struct NumberReading {
  Reading reading;
  double value;
};

// Reads a whole cell as a decimal number. `inf` in any spelling and numbers beyond the
// doubles are infinite; hexadecimals, `nan` and anything with a remainder are text.
NumberReading read_number(std::string_view text);

// Whether a zero is followed by another digit, as in 007: an identifier more than a number.
bool has_leading_zero(std::string_view text);

}  // namespace sightline::table
