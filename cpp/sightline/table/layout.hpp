// Where the table of a text file begins, and what separates its cells.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sightline/table/record_scanner.hpp"

namespace sightline::table {

struct SkippedLine {
  std::size_t line;
  std::string text;
};

struct Layout {
  char delimiter = ',';
  RecordStart header;
  std::vector<SkippedLine> titles;  // text above the header, without comments
  std::size_t units_line = 0;       // of a second header, which holds units or types; 0 if there is none
  std::size_t second_header = 0;    // the line below the header, if it may belong to it; else 0
  std::size_t later_header = 0;     // a wider line that may be the header instead; else 0
  std::size_t comment_header = 0;   // the line of a # header above text, which may be a comment instead; else 0
  bool quotes_all = false;          // whether every cell is in quotes, so that quotes do not mean text
};

// Looks at the first records. The delimiter is the one among , ; tab | that most of them contain
// equally often, or a run of blanks, or Excel's first line `sep=;`. The others come before a comma that may belong to
// cells, as in `Last, First;Age`. Lines above the header
// are skipped if they start with #, draw a line (+---+---+), or hold one cell where the header holds
// several. A last # line that fits the row below it is the header. A line below the
// header holds units if it has words wherever two or more columns hold numbers.
Layout find_layout(std::string_view text);

// Whether a record only draws a line, as below the header of a table that a database printed.
bool is_ruler(std::string_view raw, char delimiter);

}  // namespace sightline::table
