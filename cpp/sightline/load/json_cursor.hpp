// Reads JSON token by token; shared by the readers of documents and of nested trees.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace sightline::load {

// A position in JSON text, from which values are read one by one. Throws std::invalid_argument
// that names the byte.
class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text, std::size_t at = 0) : text_(text), at_(at) {}

  [[noreturn]] void fail(const std::string& what) const;
  std::size_t at() const { return at_; }
  bool is_at_end() const { return at_ == text_.size(); }
  // The next byte; at the end a zero byte, which starts no value.
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void go_back(std::size_t at) { at_ = at; }
  void skip(std::size_t n_bytes) { at_ += n_bytes; }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) ++at_;
  }
  // Skips these bytes if they come next, and returns whether they did.
  bool skip_exactly(std::string_view bytes) {
    if (bytes.size() > text_.size() - at_ || !are_equal(text_.data() + at_, bytes.data(), bytes.size())) return false;
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

  // The characters of a number, not yet converted.
  std::string_view number_token(bool& is_whole);
  double read_number();
  // Converts a number that is not whole, or too long for an integer.
  double value_of(std::string_view token) const;
  // Valid until the next string is read.
  std::string_view read_string();
  // Skips the object or array that begins here and returns its number of bytes.
  std::size_t skip_container();

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static std::uint64_t word_at(const char* bytes) {
    std::uint64_t word;
    std::memcpy(&word, bytes, sizeof word);
    return word;
  }
  // Inline, because names and numbers are too short for calls. The last two words overlap.
  static bool are_equal(const char* a, const char* b, std::size_t n) {
    if (n < sizeof(std::uint64_t)) return std::memcmp(a, b, n) == 0;
    for (std::size_t i = 0; i + 8 < n; i += 8) {
      if (word_at(a + i) != word_at(b + i)) return false;
    }
    return word_at(a + n - 8) == word_at(b + n - 8);
  }
  // Eight bytes at a time: a digit without the bits of '0' is at most 9, so that adding 0x76 leaves its highest bit clear.
  void skip_any_digits() {
    if constexpr (std::endian::native == std::endian::little) {
      for (; text_.size() - at_ >= 8; at_ += 8) {
        const std::uint64_t bytes = word_at(text_.data() + at_) ^ 0x3030303030303030U;
        const std::uint64_t others = (((bytes & 0x7F7F7F7F7F7F7F7FU) + 0x7676767676767676U) | bytes) & 0x8080808080808080U;
        if (others == 0) continue;
        at_ += static_cast<std::size_t>(std::countr_zero(others)) / 8;
        return;
      }
    }
    while (is_digit(peek())) ++at_;
  }
  void skip_digits() {
    if (!is_digit(peek())) fail("expected a digit");
    skip_any_digits();
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
  skip_any_digits();
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
