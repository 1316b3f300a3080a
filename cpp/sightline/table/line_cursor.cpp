#include "sightline/table/line_cursor.hpp"

#include <algorithm>
#include <stdexcept>

#include "sightline/table/parsed_table.hpp"

namespace sightline::table {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

char unescaped(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return c;
  }
}

}  // namespace

bool LineCursor::at_end() {
  while (position_ < line_.size() && is_blank(line_[position_])) ++position_;
  return position_ >= line_.size() || line_[position_] == '%';
}

bool LineCursor::take(char expected) {
  if (at_end() || line_[position_] != expected) return false;
  ++position_;
  return true;
}

Token LineCursor::token(std::string_view stops) {
  if (at_end()) return {};
  const char first = line_[position_];
  if (first == '\'' || first == '"') return quoted_token(first);
  const std::size_t begin = position_;
  while (position_ < line_.size() && !is_blank(line_[position_]) && stops.find(line_[position_]) == std::string_view::npos) {
    ++position_;
  }
  return {line_.substr(begin, position_ - begin), false};
}

Token LineCursor::quoted_token(char quote) {
  const std::size_t begin = ++position_;
  bool has_escapes = false;
  while (position_ < line_.size() && line_[position_] != quote) {
    const bool escapes = line_[position_] == '\\';
    has_escapes |= escapes;
    position_ += escapes ? 2 : 1;
  }
  if (position_ >= line_.size()) fail(" opens a quote that is never closed");
  const std::string_view content = line_.substr(begin, position_ - begin);
  ++position_;
  if (!has_escapes) return {content, true};
  scratch_.clear();
  for (std::size_t i = 0; i < content.size(); ++i) {
    scratch_ += content[i] == '\\' ? unescaped(content[++i]) : content[i];
  }
  return {scratch_, true};
}

void LineCursor::fail(const std::string& text) const { throw std::invalid_argument(line_text(number_) + text); }

bool Lines::next() {
  if (position_ >= text_.size()) return false;
  const std::size_t end = std::min(text_.find('\n', position_), text_.size());
  line_ = text_.substr(position_, end - position_);
  if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
  position_ = end + 1;
  ++number_;
  return true;
}

}  // namespace sightline::table
