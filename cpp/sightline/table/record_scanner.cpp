#include "sightline/table/record_scanner.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "sightline/table/parsed_table.hpp"

namespace sightline::table {
namespace {

// Beyond these sizes the text is not a table, and to read on would only fill the memory.
constexpr std::size_t kMaxCells = 2'000'000;
constexpr std::size_t kMaxCellSize = 10'000'000;
// Blanks that are not seen: between words, of no width, marks of bytes and of the direction of text.
constexpr auto kHidden = std::to_array<std::string_view>(
    {"\u00A0", "\u2009", "\u202F", "\u3000", "\u200B", "\u200C", "\u200E", "\u200F", "\u2060", "\uFEFF"});

// The cell without one character of `kHidden` at its front and one at its end.
std::string_view without_hidden_ends(std::string_view cell) {
  for (const std::string_view hidden : kHidden) {
    if (cell.starts_with(hidden)) cell.remove_prefix(hidden.size());
    if (cell.ends_with(hidden)) cell.remove_suffix(hidden.size());
  }
  return cell;
}

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

}  // namespace

std::size_t skip_blank_line(std::string_view text, std::size_t position) {
  const std::size_t end = std::min(text.find_first_not_of(' ', position), text.size());
  return end == text.size() || text[end] == '\n' || text[end] == '\r' ? end : position;
}

bool RecordScanner::next() {
  const std::size_t first_line = line_;
  position_ = skip_blank_line(text_, position_);
  while (!at_end() && at_line_end()) {
    skip_line_end();
    position_ = skip_blank_line(text_, position_);
  }
  follows_blank_line_ = line_ > first_line;
  cells_.clear();
  undoubled_.clear();
  record_line_ = line_;
  if (at_end()) return false;
  const std::size_t begin = position_;
  do {
    if (cells_.size() == kMaxCells) {
      throw std::invalid_argument(line_text(record_line_) + " has more than 2,000,000 cells, so this is not a table of rows");
    }
    skip_blanks();
    cells_.push_back(!at_end() && text_[position_] == '"' ? quoted_cell() : bare_cell());
  } while (take_delimiter());
  raw_ = text_.substr(begin, position_ - begin);
  if (!at_end()) skip_line_end();
  return true;
}

void RecordScanner::skip_blanks() {
  while (!at_end() && is_blank(text_[position_])) ++position_;
}

void RecordScanner::skip_line_end() {
  const bool pair = text_[position_] == '\r' && position_ + 1 < text_.size() && text_[position_ + 1] == '\n';
  position_ += pair ? 2 : 1;
  ++line_;
}

// Blanks at the end of a line are not a delimiter.
bool RecordScanner::take_delimiter() {
  if (delimiter_ == ' ') skip_blanks();
  if (at_end() || at_line_end()) return false;
  if (delimiter_ != ' ') ++position_;
  return true;
}

Cell RecordScanner::bare_cell() {
  const std::size_t begin = position_;
  while (!at_end() && text_[position_] != delimiter_ && !at_line_end()) ++position_;
  std::string_view cell = text_.substr(begin, position_ - begin);
  for (bool is_trimmed = false; !is_trimmed;) {
    const std::size_t size = cell.size();
    if (!cell.empty() && is_blank(cell.front())) cell.remove_prefix(1);
    if (!cell.empty() && is_blank(cell.back())) cell.remove_suffix(1);
    if (!cell.empty() && !(is_ascii(cell.front()) && is_ascii(cell.back()))) cell = without_hidden_ends(cell);
    is_trimmed = cell.size() == size;
  }
  check_size(cell.size(), line_);
  if (cell.starts_with(kNumberMark)) return {cell.substr(1), false, true};
  return {cell, false};
}

Cell RecordScanner::quoted_cell() {
  const std::size_t opening_line = line_;
  const std::size_t begin = ++position_;
  bool has_doubled = false;
  for (; !at_end(); ++position_) {
    if (text_[position_] == '\n') ++line_;
    if (text_[position_] != '"') continue;
    if (position_ + 1 >= text_.size() || text_[position_ + 1] != '"') break;
    has_doubled = true;
    ++position_;
  }
  if (at_end()) throw std::invalid_argument(line_text(opening_line) + " opens a quote that is never closed");
  const std::string_view content = text_.substr(begin, position_ - begin);
  check_size(content.size(), opening_line);
  ++position_;
  if (delimiter_ != ' ') skip_blanks();
  if (!at_end() && text_[position_] != delimiter_ && !at_line_end()) {
    throw std::invalid_argument(line_text(line_) + " has text after a closing quote");
  }
  return {has_doubled ? undoubled(content) : content, quotes_mean_text_};
}

std::string_view RecordScanner::undoubled(std::string_view content) {
  std::string& result = undoubled_.emplace_back();
  for (std::size_t i = 0; i < content.size(); ++i) {
    result += content[i];
    if (content[i] == '"') ++i;
  }
  return result;
}

void RecordScanner::check_size(std::size_t size, std::size_t line) const {
  if (size <= kMaxCellSize) return;
  throw std::invalid_argument(line_text(line) + " has a cell of " + std::to_string(size) +
                              " bytes, so this is not a table of rows");
}

}  // namespace sightline::table
