// Splits delimited text into records and cells (RFC 4180).
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace sightline::table {

struct Cell {
  std::string_view text;
  bool is_quoted = false;  // and so meant as text
  bool is_number = false;  // stored as a number by a spreadsheet program, so that its point is a decimal point
};

// Stands before a cell that a spreadsheet program stores as a number.
constexpr char kNumberMark = '\x02';

// A position in the text: where a record begins, and the number of its line.
struct RecordStart {
  std::size_t position = 0;
  std::size_t line = 1;
};

// The position of the line end, or the end of the text, behind blanks that are all there is from here to the end of the
// line; else the same position.
std::size_t skip_blank_line(std::string_view text, std::size_t position);

// Iterates over the records of a text. Blanks around an unquoted cell and blank lines are dropped.
// With a blank as the delimiter, runs of blanks count as one.
class RecordScanner {
 public:
  // `quotes_mean_text` is false for a file with quotes around every cell: none of them counts as quoted.
  RecordScanner(std::string_view text, char delimiter, RecordStart start = {}, bool quotes_mean_text = true)
      : text_(text), delimiter_(delimiter), quotes_mean_text_(quotes_mean_text), position_(start.position), line_(start.line) {}

  // Reads the next record. False at the end of the text.
  bool next();
  // The cells of the record, valid until the next call of next().
  const std::vector<Cell>& cells() const { return cells_; }
  // The record as it is written, without its line end.
  std::string_view raw() const { return raw_; }
  // Whether a blank line is above the record.
  bool follows_blank_line() const { return follows_blank_line_; }
  // The line on which the record starts; a quoted cell may extend it over several.
  std::size_t line() const { return record_line_; }

 private:
  bool at_end() const { return position_ >= text_.size(); }
  bool at_line_end() const { return text_[position_] == '\n' || text_[position_] == '\r'; }
  bool is_blank(char c) const { return (c == ' ' || c == '\t') && (c != delimiter_ || c == ' '); }
  void skip_blanks();
  void skip_line_end();
  bool take_delimiter();
  Cell bare_cell();
  Cell quoted_cell();
  std::string_view undoubled(std::string_view content);
  void check_size(std::size_t size, std::size_t line) const;

  std::string_view text_;
  char delimiter_;
  bool quotes_mean_text_;
  std::size_t position_;
  std::size_t line_;
  std::size_t record_line_ = 1;
  bool follows_blank_line_ = false;
  std::vector<Cell> cells_;
  std::string_view raw_;
  std::deque<std::string> undoubled_;  // a deque, because cells are views of its strings
};

}  // namespace sightline::table
