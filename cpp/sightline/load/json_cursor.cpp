#include "sightline/load/json_cursor.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "sightline/load/json_skim.hpp"
#include "sightline/runtime/decimal.hpp"
#include "sightline/table/number.hpp"

namespace sightline::load {

void JsonCursor::fail(const std::string& what) const { throw std::invalid_argument("byte " + std::to_string(at_) + ": " + what); }

double JsonCursor::value_of(std::string_view token) const {
  double value;
  if (runtime::read_decimal(token.data(), token.data() + token.size(), value).ec == std::errc()) return value;
  const table::NumberReading reading = table::read_number(token);
  if (reading.reading != table::Reading::kNumber) fail("a number is too large");
  return reading.value;
}

double JsonCursor::read_number() {
  constexpr std::size_t kExact = 15;  // this many digits fit a double without rounding
  bool is_whole;
  const std::string_view token = number_token(is_whole);
  if (!is_whole || token.size() > kExact) return value_of(token);
  const bool is_negative = token.front() == '-';
  std::int64_t value = 0;
  for (const char digit : token.substr(is_negative ? 1 : 0)) value = 10 * value + (digit - '0');
  return is_negative ? -static_cast<double>(value) : static_cast<double>(value);
}

std::size_t JsonCursor::skip_container() {
  const std::size_t begin = at_;
  const std::size_t end = container_end(text_, begin);
  at_ = std::min(end, text_.size());
  if (end == std::string_view::npos) fail("a bracket is not closed");
  return end - begin;
}

std::string_view JsonCursor::read_string() {
  if (peek() != '"') fail("expected a string");
  ++at_;
  const std::size_t begin = at_;
  decoded_.clear();
  bool is_plain = true;
  for (;;) {
    if (at_ >= text_.size()) fail("a string is not closed");
    const char c = text_[at_];
    if (static_cast<unsigned char>(c) < 0x20) fail("a string contains a control character");
    if (c == '"') break;
    if (c == '\\') {
      if (is_plain) decoded_.assign(text_.substr(begin, at_ - begin));
      is_plain = false;
      ++at_;
      append_escaped();
      continue;
    }
    if (!is_plain) decoded_.push_back(c);
    ++at_;
  }
  const std::string_view raw = text_.substr(begin, at_ - begin);
  ++at_;
  return is_plain ? raw : std::string_view(decoded_);
}

unsigned JsonCursor::read_hexadecimal() {
  unsigned code = 0;
  const std::string_view digits = text_.substr(std::min(at_, text_.size()), 4);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
  if (digits.size() != 4 || error != std::errc() || end != digits.data() + 4) fail("expected four hexadecimal digits");
  at_ += 4;
  return code;
}

void JsonCursor::append_code_point(unsigned code) {
  const auto tail = [&](int shift) { decoded_.push_back(static_cast<char>(0x80 | ((code >> shift) & 0x3F))); };
  if (code < 0x80) {
    decoded_.push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    decoded_.push_back(static_cast<char>(0xC0 | (code >> 6)));
    tail(0);
  } else if (code < 0x10000) {
    decoded_.push_back(static_cast<char>(0xE0 | (code >> 12)));
    tail(6);
    tail(0);
  } else {
    decoded_.push_back(static_cast<char>(0xF0 | (code >> 18)));
    tail(12);
    tail(6);
    tail(0);
  }
}

void JsonCursor::append_escaped() {
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const char name = peek();
  ++at_;
  if (name == 'u') {
    unsigned code = read_hexadecimal();
    if (code >= 0xD800 && code < 0xDC00 && text_.substr(at_, 2) == "\\u") {
      at_ += 2;
      const unsigned low = read_hexadecimal();
      if (low < 0xDC00 || low > 0xDFFF) fail("unpaired surrogate");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    } else if (code >= 0xD800 && code < 0xE000) {
      fail("unpaired surrogate");
    }
    return append_code_point(code);
  }
  const std::size_t index = kNames.find(name);
  if (index == std::string_view::npos) fail("unknown escape");
  decoded_.push_back(kMeanings[index]);
}

}  // namespace sightline::load
