// The content of a text file: typed columns, before features and target are chosen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sightline::table {

// A cell that stands out in its column, and how often it occurs.
struct StrayCell {
  std::string text;
  std::size_t line = 0;
  std::size_t count = 0;
};

// How the numbers of a file are written. NUL means: to be found out.
struct NumberStyle {
  char decimal = '\0';
  char thousands = '\0';  // 'n' for none
};

struct ParsedColumn {
  std::string name;
  bool is_named = true;  // whether the file gives the name
  bool is_nominal = false;
  NumberStyle style;                     // of a column with marks in its numbers
  bool is_doubtful = false;              // whether a different decimal mark is possible
  std::string unit;                      // what every number carries, such as % or kg; a colon for 12:30
  std::vector<StrayCell> strays;         // cells that are not numbers in a column of numbers
  std::size_t n_strays = 0;              // how many cells these are
  StrayCell inexact;                     // whole numbers that a double cannot hold, count 0 if there are none
  StrayCell other_mark;                  // numbers with the other decimal mark, read by it; count 0 if there are none
  StrayCell undecided;                   // of these columns, numbers that fit both marks, which are missing
  StrayCell converted;                   // numbers in a different unit, converted
  StrayCell without_currency;            // numbers that lack the currency of the others, or have one that others lack
  StrayCell code;                        // cells with a leading zero, if the column might be one of numbers nevertheless
  StrayCell power;                       // cells such as 1E5, which might be codes
  StrayCell magnitude;                   // cells such as 3M, which might be codes, if all numbers are such
  StrayCell grade;                       // cells such as 2-, which might be grades, if no longer number ends in a minus
  std::vector<StrayCell> missing_words;  // NA, NULL and so on without quotes, which are missing but might be categories
  StrayCell error;                       // the first error of a spreadsheet program, such as #VALUE!, and how many there are
  bool has_quotes = false;               // whether some cells are in quotes, as text is
  std::size_t n_known = 0;
  std::size_t block = 0;            // how many gaps, columns without a name or a cell, are to the left of it
  bool is_quantity = false;         // whether some numbers have a unit, a fraction or marked thousands, as keys have not
  std::vector<double> numbers;      // of a numeric column; NaN is missing
  std::vector<std::int32_t> codes;  // of a nominal column; kMissingCode is missing
  std::vector<std::string> values;  // declared or distinct values, indexed by code
};

struct ParsedTable {
  std::string name;
  std::vector<ParsedColumn> columns;
  std::vector<double> weights;     // one per row, or empty if the file has none
  NumberStyle style;               // of all columns; NUL if no number has a mark, or columns have different ones
  std::vector<StrayCell> skipped;  // lines outside the table: titles and footers
  StrayCell last_note;             // the only cell of the last row of two columns, if it may be a note below the table
  std::size_t second_header = 0;   // the line below the header, if it may belong to it; else 0
  std::size_t later_header = 0;    // a wider line that may be the header instead; else 0
  std::size_t comment_header = 0;  // the line of a # header above text, which may be a comment instead; else 0
  std::size_t n_rows = 0;
  bool has_row_names = false;  // whether the header has no name for the first column
};

// "line 17": how every error about a text file begins.
std::string line_text(std::size_t line);

// A quoted value for an error message. It is cut to a readable length between characters, and
// control characters are escaped, so the message stays on one line and is valid UTF-8.
std::string quoted(std::string_view value);

// Throws std::invalid_argument if two columns have the same name.
void check_distinct_names(const std::vector<ParsedColumn>& columns);

}  // namespace sightline::table
