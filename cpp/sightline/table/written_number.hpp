// Reads numbers as people write them: 1.234,56  $1,234.56  12,3 %  1'234  (12.50)  500,00-  12:30  30 min  1.2M.
#pragma once

#include <cstddef>
#include <string_view>

namespace sightline::table {

// Which marks a number may contain.
struct NumberMarks {
  char decimal = '.';
  std::string_view thousands = ",' ";  // ' includes ’, and a blank includes every kind of blank
};

struct WrittenNumber {
  bool is_number = false;
  double value = 0.0;
  char thousands = '\0';     // the mark between thousands, if there is one
  std::size_t n_groups = 0;  // of thousands, such as two in 1,234,567
  bool has_fraction = false;
  bool is_code = false;         // a leading zero as in 007
  bool has_last_minus = false;  // of 500,00-
  bool has_magnitude = false;   // a letter, as in 3M
  int n_colons = 0;             // of 12:30 and 12:30:59, which are 12.5 and a bit more
  std::string_view unit = {};   // what stands before or after the number: a currency, %, min, kg
};

// Reads a whole cell. What is written is the value: 12 % is 12, and 12:30 is 12.5 of what 12 counts.
// Parentheses, a minus at the end and U+2212 are signs.
WrittenNumber read_written_number(std::string_view cell, const NumberMarks& marks);

// Whether a cell has a digit of a script that read_written_number reads.
bool has_digit(std::string_view cell);

}  // namespace sightline::table
