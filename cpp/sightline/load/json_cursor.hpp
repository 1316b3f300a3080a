// Reads JSON token by token; shared by the readers of documents and of nested trees.
#pragma once

#include <string>
#include <string_view>

namespace sightline::load {

// A position in a text from which values are read one after the other. Throws
// std::invalid_argument naming the byte.
class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text, std::size_t at = 0) : text_(text), at_(at) {}

  [[noreturn]] void fail(const std::string& what) const;
  std::size_t at() const { return at_; }
  bool is_at_end() const { return at_ == text_.size(); }
  // A zero byte, which no value begins with, at the end.
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void go_back(std::size_t at) { at_ = at; }
  void skip(std::size_t n_bytes) { at_ += n_bytes; }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) ++at_;
  }
  // Whether these very bytes follow; goes behind them if so.
  bool skip_exactly(std::string_view bytes) {
    if (text_.compare(at_, bytes.size(), bytes) != 0) return false;
    at_ += bytes.size();
    return true;
  }
  void expect(char c, const char* complaint) {
    if (peek() != c) fail(complaint);
    ++at_;
  }
  void expect_word(std::string_view word) {
    if (!skip_exactly(word)) fail("expected a value");
  }
  bool is_at_number() const { return is_digit(peek()) || peek() == '-'; }

  // The digits of a number, which are not read yet.
  std::string_view number_token(bool& is_whole);
  double read_number();
  // The value of digits that are no whole number, or too many for one.
  double value_of(std::string_view token) const;
  // Stays valid until the next text is read.
  std::string_view read_string();
  // Goes behind the object or array that begins here without reading it; returns its number of bytes.
  std::size_t skip_container();

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  void skip_digits() {
    if (!is_digit(peek())) fail("expected a digit");
    while (is_digit(peek())) ++at_;
  }
  void append_escaped();
  unsigned read_hexadecimal();
  void append_code_point(unsigned code);

  std::string_view text_;
  std::size_t at_;
  std::string decoded_;
};

inline std::string_view JsonCursor::number_token(bool& is_whole) {
  const std::size_t begin = at_;
  is_whole = true;
  if (peek() == '-') ++at_;
  if (!is_digit(peek())) fail("expected a value");
  if (peek() == '0') {
    ++at_;
    if (is_digit(peek())) fail("a number begins with 0");
  }
  while (is_digit(peek())) ++at_;
  if (peek() == '.') {
    is_whole = false;
    ++at_;
    skip_digits();
  }
  if (peek() == 'e' || peek() == 'E') {
    is_whole = false;
    ++at_;
    if (peek() == '+' || peek() == '-') ++at_;
    skip_digits();
  }
  return text_.substr(begin, at_ - begin);
}

}  // namespace sightline::load
