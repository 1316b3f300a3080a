// Reads decimal numbers as people write them in text files.
#pragma once

#include <string_view>

namespace sightline::table {

enum class Reading { kNumber, kInfinite, kText };

struct NumberReading {
  Reading reading;
  double value;
};

// Reads a whole cell as a decimal number. `inf` in any spelling and numbers too large for a double
// are infinite. Hexadecimal numbers, `nan` and cells with trailing characters are text.
NumberReading read_number(std::string_view text);

// Whether a number starts with a zero and another digit, as in 007: more likely an identifier.
bool has_leading_zero(std::string_view text);

}  // namespace sightline::table
