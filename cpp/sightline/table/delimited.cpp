#include "sightline/table/delimited.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "sightline/table/number.hpp"
#include "sightline/table/value_codes.hpp"

namespace sightline::table {
namespace {

constexpr std::string_view kDelimiters = ",;\t|";
constexpr std::size_t kRowsBetweenPolls = 4096;

struct Cell {
  std::string_view text;
  bool is_quoted = false;
};

// Walks over the cells of a text, record by record. A cell's text is valid until the next.
class CellScanner {
 public:
  CellScanner(std::string_view text, char delimiter) : text_(text), delimiter_(delimiter) {}

  // Moves to the next line that is not blank. False at the end of the text.
  bool next_record() {
    while (position_ < text_.size() && is_line_end(text_[position_])) skip_line_end();
    record_line_ = line_;
    record_done_ = position_ >= text_.size();
    return !record_done_;
  }

  // Reads the next cell of the record. False after its last one.
  bool next_cell(Cell& cell) {
    if (record_done_) return false;
    skip_blanks();
    cell = position_ < text_.size() && text_[position_] == '"' ? quoted_cell() : bare_cell();
    if (position_ >= text_.size()) {
      record_done_ = true;
    } else if (text_[position_] == delimiter_) {
      ++position_;
    } else {
      skip_line_end();
      record_done_ = true;
    }
    return true;
  }

  // The line on which the record starts; a quoted cell may extend it over several.
  std::size_t line() const { return record_line_; }

 private:
  static bool is_line_end(char c) { return c == '\n' || c == '\r'; }
  bool is_blank(char c) const { return (c == ' ' || c == '\t') && c != delimiter_; }

  void skip_blanks() {
    while (position_ < text_.size() && is_blank(text_[position_])) ++position_;
  }

  void skip_line_end() {
    const bool pair = text_[position_] == '\r' && position_ + 1 < text_.size() && text_[position_ + 1] == '\n';
    position_ += pair ? 2 : 1;
    ++line_;
  }

  Cell bare_cell() {
    const std::size_t begin = position_;
    while (position_ < text_.size() && text_[position_] != delimiter_ && !is_line_end(text_[position_])) ++position_;
    std::size_t end = position_;
    while (end > begin && is_blank(text_[end - 1])) --end;
    return {text_.substr(begin, end - begin), false};
  }

  Cell quoted_cell() {
    const std::size_t opening_line = line_;
    const std::size_t begin = ++position_;
    bool has_doubled = false;
    for (; position_ < text_.size(); ++position_) {
      if (text_[position_] == '\n') ++line_;
      if (text_[position_] != '"') continue;
      if (position_ + 1 >= text_.size() || text_[position_ + 1] != '"') break;
      has_doubled = true;
      ++position_;
    }
    if (position_ >= text_.size()) {
      throw std::invalid_argument(line_text(opening_line) + " opens a quote that is never closed");
    }
    const std::string_view content = text_.substr(begin, position_ - begin);
    ++position_;
    skip_blanks();
    if (position_ < text_.size() && text_[position_] != delimiter_ && !is_line_end(text_[position_])) {
      throw std::invalid_argument(line_text(line_) + " has text after a closing quote");
    }
    return {has_doubled ? undoubled(content) : content, true};
  }

  std::string_view undoubled(std::string_view content) {
    scratch_.clear();
    for (std::size_t i = 0; i < content.size(); ++i) {
      scratch_ += content[i];
      if (content[i] == '"') ++i;
    }
    return scratch_;
  }

  std::string_view text_;
  char delimiter_;
  std::size_t position_ = 0;
  std::size_t line_ = 1;
  std::size_t record_line_ = 1;
  bool record_done_ = true;
  std::string scratch_;
};

bool is_missing(const Cell& cell) {
  if (cell.is_quoted || cell.text.size() > 4) return false;
  for (const std::string_view token : {"", "?", "NA", "N/A", "NaN", "nan", "NULL", "null", "None"}) {
    if (cell.text == token) return true;
  }
  return false;
}

std::vector<ParsedColumn> read_header(CellScanner& scanner) {
  if (!scanner.next_record()) throw std::invalid_argument("the file is empty");
  std::vector<ParsedColumn> columns;
  Cell cell;
  while (scanner.next_cell(cell)) {
    ParsedColumn& column = columns.emplace_back();
    column.name = cell.text.empty() ? "x" + std::to_string(columns.size() - 1) : std::string(cell.text);
  }
  check_distinct_names(columns);
  return columns;
}

// Calls on_cell(feature, cell, line) for every cell after the header; returns the number of records.
template <class OnCell>
std::size_t for_each_cell(CellScanner& scanner, std::size_t width, runtime::StopPoll& poll, OnCell&& on_cell) {
  std::size_t n_rows = 0;
  Cell cell;
  while (scanner.next_record()) {
    std::size_t n_cells = 0;
    for (; scanner.next_cell(cell); ++n_cells) {
      if (n_cells < width) on_cell(n_cells, cell, scanner.line());
    }
    if (n_cells != width) {
      throw std::invalid_argument(line_text(scanner.line()) + " has " + std::to_string(n_cells) +
                                  (n_cells == 1 ? " cell" : " cells") + ", but the header has " + std::to_string(width));
    }
    if (++n_rows % kRowsBetweenPolls == 0) poll();
  }
  return n_rows;
}

// Whether the numbers of a column are written with a decimal comma. Where the comma divides cells it
// cannot be; elsewhere 1,5 is a number, but 1,500 may be one and a half or fifteen hundred, so that
// one cell of the column must be clear.
class DecimalComma {
 public:
  // The cell as a number with a decimal point; valid until the next.
  std::string_view with_point(std::string_view cell) {
    const std::size_t comma = cell.find(',');
    if (comma == std::string_view::npos) {
      has_points_ |= cell.find('.') != std::string_view::npos;
      return cell;
    }
    has_commas_ = true;
    is_clear_ |= !may_divide_thousands(cell, comma);
    scratch_.assign(cell);
    scratch_[comma] = '.';
    return scratch_;
  }
  bool is_doubtful() const { return has_commas_ && (has_points_ || !is_clear_); }

 private:
  // One to three digits, of which the first is no zero, and three more.
  static bool may_divide_thousands(std::string_view cell, std::size_t comma) {
    const std::string_view after = cell.substr(comma + 1);
    const std::string_view before = cell.substr(0, comma).substr(cell.starts_with('-') ? 1 : 0);
    const auto are_digits = [](std::string_view text) { return text.find_first_not_of("0123456789") == std::string_view::npos; };
    return after.size() == 3 && are_digits(after) && are_digits(before) && !before.empty() && before.size() <= 3 &&
           before[0] != '0';
  }

  bool has_commas_ = false, has_points_ = false, is_clear_ = false;
  std::string scratch_;
};

// First pass: the numbers of every column that turns out to have nothing else.
std::size_t read_numbers(CellScanner& scanner, char delimiter, std::vector<ParsedColumn>& columns, runtime::StopPoll& poll) {
  std::vector<std::size_t> infinity_line(columns.size(), 0);
  std::vector<DecimalComma> comma(columns.size());
  const std::size_t n_rows =
      for_each_cell(scanner, columns.size(), poll, [&](std::size_t feature, const Cell& cell, std::size_t line) {
        ParsedColumn& column = columns[feature];
        if (column.is_nominal) return;
        double value = std::numeric_limits<double>::quiet_NaN();
        if (!is_missing(cell)) {
          const std::string_view text = delimiter == ',' ? cell.text : comma[feature].with_point(cell.text);
          const NumberReading number = read_number(text);
          column.is_nominal = number.reading == Reading::kText || has_leading_zero(text);
          if (number.reading == Reading::kInfinite && infinity_line[feature] == 0) infinity_line[feature] = line;
          value = number.value;
        }
        column.numbers.push_back(value);
        if (column.is_nominal) std::vector<double>().swap(column.numbers);
      });
  for (std::size_t feature = 0; feature < columns.size(); ++feature) {
    if (comma[feature].is_doubtful()) {
      columns[feature].is_nominal = true;
      std::vector<double>().swap(columns[feature].numbers);
    }
    if (columns[feature].is_nominal || infinity_line[feature] == 0) continue;
    throw std::invalid_argument(line_text(infinity_line[feature]) + ": column " + quoted(columns[feature].name) +
                                " contains infinity or a number too large for a double");
  }
  return n_rows;
}

// Renumbers codes given in order of appearance so that the values are in byte order,
// which for UTF-8 is the order of the characters.
void sort_values(ParsedColumn& column, const ValueCodes& codes) {
  const std::vector<std::string> values = codes.values();
  std::vector<std::int32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return values[a] < values[b]; });
  std::vector<std::int32_t> rank(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    rank[order[i]] = static_cast<std::int32_t>(i);
    column.values.push_back(values[order[i]]);
  }
  for (std::int32_t& code : column.codes) {
    if (code != kMissingCode) code = rank[code];
  }
}

// Second pass, over the same cells: codes for the columns that are not numeric.
void read_values(CellScanner& scanner, std::vector<ParsedColumn>& columns, std::size_t n_rows, runtime::StopPoll& poll) {
  std::vector<ValueCodes> codes(columns.size());
  for (ParsedColumn& column : columns) {
    if (column.is_nominal) column.codes.reserve(n_rows);
  }
  for_each_cell(scanner, columns.size(), poll, [&](std::size_t feature, const Cell& cell, std::size_t) {
    ParsedColumn& column = columns[feature];
    if (!column.is_nominal) return;
    column.codes.push_back(is_missing(cell) ? kMissingCode : codes[feature].add(cell.text));
  });
  for (std::size_t feature = 0; feature < columns.size(); ++feature) {
    if (columns[feature].is_nominal) sort_values(columns[feature], codes[feature]);
  }
}

using Counts = std::array<std::size_t, kDelimiters.size()>;

// Counts the candidates outside quotes in the record at `position`, and moves behind it.
Counts count_delimiters(std::string_view text, std::size_t& position) {
  Counts counts{};
  bool inside_quotes = false;
  for (; position < text.size(); ++position) {
    const char c = text[position];
    if (c == '"') inside_quotes = !inside_quotes;
    if (inside_quotes) continue;
    if (c == '\n' || c == '\r') break;
    const std::size_t candidate = kDelimiters.find(c);
    if (candidate != std::string_view::npos) ++counts[candidate];
  }
  while (position < text.size() && (text[position] == '\n' || text[position] == '\r')) ++position;
  return counts;
}

}  // namespace

char sniff_delimiter(std::string_view text) {
  std::size_t position = std::min(text.find_first_not_of("\r\n"), text.size());
  Counts header = count_delimiters(text, position);
  const Counts row = count_delimiters(text, position);
  Counts agreed{};
  for (std::size_t i = 0; i < agreed.size(); ++i) agreed[i] = header[i] == row[i] ? header[i] : 0;
  if (std::any_of(agreed.begin(), agreed.end(), [](std::size_t count) { return count > 0; })) header = agreed;
  return kDelimiters[static_cast<std::size_t>(std::max_element(header.begin(), header.end()) - header.begin())];
}

ParsedTable parse_delimited(std::string_view text, runtime::StopPoll& poll) {
  const char delimiter = sniff_delimiter(text);
  CellScanner scanner(text, delimiter);
  ParsedTable table;
  table.columns = read_header(scanner);
  CellScanner again = scanner;
  table.n_rows = read_numbers(scanner, delimiter, table.columns, poll);
  if (table.n_rows == 0) throw std::invalid_argument("the file has a header but no rows");
  const bool any_nominal =
      std::any_of(table.columns.begin(), table.columns.end(), [](const ParsedColumn& column) { return column.is_nominal; });
  if (any_nominal) read_values(again, table.columns, table.n_rows, poll);
  return table;
}

}  // namespace sightline::table
