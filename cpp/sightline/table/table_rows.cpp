#include "sightline/table/table_rows.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "sightline/table/layout.hpp"

namespace sightline::table {
namespace {

constexpr std::size_t kMinLetters = 4;
constexpr std::size_t kMinWords = 4;  // of a sentence without a colon or point

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0xC0; }

std::size_t n_letters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_letter));
}

// (120 rows), 120 rows selected., (120 rows affected): what databases print below a table.
bool is_row_count(std::string_view text) {
  if (text == "\\.") return true;  // the end of what PostgreSQL copies
  if (text.starts_with('(')) text.remove_prefix(1);
  const std::size_t n_digits = std::min(text.find_first_not_of("0123456789"), text.size());
  return n_digits > 0 && text.substr(n_digits).starts_with(" row");
}

// The only cell of a record that is filled, or nullptr.
const Cell* only_cell(const std::vector<Cell>& cells) {
  const Cell* found = nullptr;
  for (const Cell& cell : cells) {
    if (is_empty(cell)) continue;
    if (found != nullptr) return nullptr;
    found = &cell;
  }
  return found;
}

}  // namespace

bool is_empty(const Cell& cell) { return cell.text.empty(); }

TableRows::TableRows(RecordScanner scanner, char delimiter, std::size_t width, std::size_t units_line)
    : scanner_(std::move(scanner)), delimiter_(delimiter), width_(width), units_line_(units_line) {
  for (const Cell& cell : scanner_.cells()) header_.emplace_back(cell.text);
}

bool TableRows::is_no_row(const std::vector<Cell>& cells, bool is_first, std::vector<StrayCell>& skipped) {
  const std::string_view raw = scanner_.raw();
  if ((is_first || delimiter_ == '|' || raw.front() == '+') && is_ruler(raw, delimiter_)) return true;
  const bool is_header = repeats_header(cells);
  // The lines above a repeated header are the end of one page and the title of the next.
  if (is_header) skip_waiting(skipped);
  // Where blanks separate cells, they divide `60 rows selected.` too.
  const bool is_count = delimiter_ == ' ' ? is_row_count(raw) : cells.size() == 1 && width_ > 1 && is_row_count(cells[0].text);
  if (!is_header && !is_count && scanner_.line() != units_line_) return cells.size() != width_ && raw.front() == '#';
  std::string shown(raw);
  std::erase(shown, kNumberMark);
  skipped.push_back({std::move(shown), scanner_.line(), 1});
  return true;
}

// Whether a record may stand below the table: it has no cells, or a single one of several words, or of one word
// below a blank line, as notes have.
bool TableRows::may_end_table(const std::vector<Cell>& cells, bool is_below_row) const {
  if (width_ > 1 && std::all_of(cells.begin(), cells.end(), is_empty)) return true;
  const Cell* cell = width_ > 2 && is_below_row && delimiter_ != ' ' ? only_cell(cells) : nullptr;
  if (cell == nullptr) return false;
  const bool is_apart = scanner_.follows_blank_line() || !waiting_.empty();
  return n_letters(cell->text) >= kMinLetters &&
         (is_apart || cell->text.starts_with('*') || cell->text.find(' ') != std::string_view::npos);
}

StrayCell TableRows::note_in(const std::vector<Cell>& cells, std::size_t line) {
  const Cell* cell = only_cell(cells);
  if (cell == nullptr || n_letters(cell->text) < kMinLetters) return {};
  const std::string_view text = cell->text;
  const auto n_blanks = static_cast<std::size_t>(std::count(text.begin(), text.end(), ' '));
  const bool has_mark = text.find(": ") != std::string_view::npos || text.ends_with('.');
  const bool is_sentence = text.starts_with('*') || (n_blanks > 0 && has_mark) || n_blanks + 1 >= kMinWords;
  return is_sentence ? StrayCell{std::string(text), line, 1} : StrayCell();
}

// Tables that were joined line by line have the header in between.
bool TableRows::repeats_header(const std::vector<Cell>& cells) const {
  return width_ > 1 && std::equal(cells.begin(), cells.end(), header_.begin(), header_.end(),
                                  [](const Cell& cell, const std::string& name) { return cell.text == name; });
}

void TableRows::wait(const std::vector<Cell>& cells) {
  Waiting& record = waiting_.emplace_back(Waiting{scanner_.line(), {}, {}});
  const Cell* note = only_cell(cells);
  if (note == nullptr) return;
  for (const Cell& cell : cells) record.cells.emplace_back(cell.text, cell);
  record.note = note->text;
}

std::vector<Cell> TableRows::cells_of(const Waiting& record) const {
  if (record.cells.empty()) return std::vector<Cell>(width_);
  std::vector<Cell> cells;
  for (const auto& [text, cell] : record.cells) cells.push_back({text, cell.is_quoted, cell.is_number});
  return cells;
}

void TableRows::skip_waiting(std::vector<StrayCell>& skipped) {
  for (const Waiting& record : waiting_) {
    if (!record.cells.empty()) skipped.push_back({record.note, record.line, 1});
  }
  waiting_.clear();
}

// Empty cells beyond the header are those of a spreadsheet.
void TableRows::check_width(const std::vector<Cell>& cells, std::size_t line) const {
  const bool has_more =
      cells.size() > width_ && !std::all_of(cells.begin() + static_cast<std::ptrdiff_t>(width_), cells.end(), is_empty);
  if (cells.size() >= width_ && !has_more) return;
  throw std::invalid_argument(line_text(line) + " has " + std::to_string(cells.size()) +
                              (cells.size() == 1 ? " cell" : " cells") + ", but the header has " + std::to_string(width_));
}

}  // namespace sightline::table
