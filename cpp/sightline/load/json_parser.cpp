#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string>

#include "sightline/load/json_document.hpp"
#include "sightline/table/number.hpp"

namespace sightline {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

class JsonParser {
 public:
  JsonParser(std::string_view text, StopPoll& poll) : text_(text), poll_(poll), document_(std::make_shared<JsonDocument>()) {}

  JsonDocumentPtr parse();

 private:
  struct Open {
    JsonDocument::Index container;
    std::size_t size;
    bool is_object;
  };

  [[noreturn]] void fail(const std::string& what) const {
    throw std::invalid_argument("byte " + std::to_string(at_) + ": " + what);
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) ++at_;
  }
  void expect_word(std::string_view word, JsonKind kind);
  std::string_view number_token(bool& is_whole);
  // Reads a number and hands it to one of the two as whole or not.
  template <class TakeInteger, class TakeNumber>
  void read_number_token(TakeInteger take_integer, TakeNumber take_number);
  std::string_view read_text();
  void append_escaped();
  unsigned read_hexadecimal();
  void append_code_point(unsigned code);

  // Reads a value; opens a container and leaves its content to the loop.
  void read_value();
  void open_array();
  void read_key();
  // Reads the next entry of the last open container, or its end.
  void read_entry();
  void close_last();

  std::string_view text_;
  StopPoll& poll_;
  std::size_t n_steps_ = 0;
  std::size_t at_ = 0;
  std::string decoded_;
  std::vector<Open> open_;
  std::shared_ptr<JsonDocument> document_;
};

JsonDocumentPtr JsonParser::parse() {
  document_->reserve(text_.size() / 6, text_.size() / 10);
  read_value();
  while (!open_.empty()) read_entry();
  skip_space();
  if (at_ != text_.size()) fail("there is more behind the end");
  return document_;
}

void JsonParser::expect_word(std::string_view word, JsonKind kind) {
  if (text_.substr(at_, word.size()) != word) fail("a value is expected");
  at_ += word.size();
  document_->add(kind);
}

std::string_view JsonParser::number_token(bool& is_whole) {
  const std::size_t begin = at_;
  is_whole = true;
  if (peek() == '-') ++at_;
  if (!is_digit(peek())) fail("a value is expected");
  if (peek() == '0') {
    ++at_;
    if (is_digit(peek())) fail("a number begins with 0");
  }
  while (is_digit(peek())) ++at_;
  if (peek() == '.') {
    is_whole = false;
    ++at_;
    if (!is_digit(peek())) fail("a digit is expected");
    while (is_digit(peek())) ++at_;
  }
  if (peek() == 'e' || peek() == 'E') {
    is_whole = false;
    ++at_;
    if (peek() == '+' || peek() == '-') ++at_;
    if (!is_digit(peek())) fail("a digit is expected");
    while (is_digit(peek())) ++at_;
  }
  return text_.substr(begin, at_ - begin);
}

template <class TakeInteger, class TakeNumber>
void JsonParser::read_number_token(TakeInteger take_integer, TakeNumber take_number) {
  if (++n_steps_ % 16384 == 0) poll_();
  bool is_whole;
  const std::string_view token = number_token(is_whole);
  if (is_whole && token != "-0") {
    std::int64_t value;
    if (std::from_chars(token.data(), token.data() + token.size(), value).ec == std::errc()) return take_integer(value);
  }
  const NumberReading reading = read_number(token);
  if (reading.reading != Reading::kNumber) fail("a number is too large");
  take_number(reading.value);
}

std::string_view JsonParser::read_text() {
  if (peek() != '"') fail("a text is expected");
  ++at_;
  const std::size_t begin = at_;
  decoded_.clear();
  bool is_plain = true;
  for (;;) {
    if (at_ >= text_.size()) fail("a text does not end");
    const char c = text_[at_];
    if (static_cast<unsigned char>(c) < 0x20) fail("a text contains a control character");
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

unsigned JsonParser::read_hexadecimal() {
  unsigned code = 0;
  const std::string_view digits = text_.substr(std::min(at_, text_.size()), 4);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
  if (digits.size() != 4 || error != std::errc() || end != digits.data() + 4) fail("four hexadecimal digits are expected");
  at_ += 4;
  return code;
}

void JsonParser::append_code_point(unsigned code) {
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

void JsonParser::append_escaped() {
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const char name = peek();
  ++at_;
  if (name == 'u') {
    unsigned code = read_hexadecimal();
    if (code >= 0xD800 && code < 0xDC00 && text_.substr(at_, 2) == "\\u") {
      at_ += 2;
      const unsigned low = read_hexadecimal();
      if (low < 0xDC00 || low > 0xDFFF) fail("half a character stands alone");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    } else if (code >= 0xD800 && code < 0xE000) {
      fail("half a character stands alone");
    }
    return append_code_point(code);
  }
  const std::size_t place = kNames.find(name);
  if (place == std::string_view::npos) fail("an unknown escape");
  decoded_.push_back(kMeanings[place]);
}

void JsonParser::read_value() {
  skip_space();
  switch (peek()) {
    case '{':
      ++at_;
      open_.push_back({document_->add(JsonKind::kObject), 0, true});
      return;
    case '[':
      ++at_;
      return open_array();
    case '"':
      return document_->add_text(read_text());
    case 't':
      return expect_word("true", JsonKind::kTrue);
    case 'f':
      return expect_word("false", JsonKind::kFalse);
    case 'n':
      return expect_word("null", JsonKind::kNull);
    default:
      return read_number_token([&](std::int64_t value) { document_->add_integer(value); },
                               [&](double value) { document_->add_number(value); });
  }
}

// Reads on for as long as there are numbers, which is nearly always to the end.
void JsonParser::open_array() {
  skip_space();
  if (!is_digit(peek()) && peek() != '-') {
    open_.push_back({document_->add(JsonKind::kArray), 0, false});
    return;
  }
  const JsonDocument::Index array = document_->add(JsonKind::kIntegers);
  std::size_t size = 0;
  std::size_t comma;
  for (;;) {
    read_number_token([&](std::int64_t value) { document_->append_integer(value); },
                      [&](double value) { document_->append_number(value); });
    ++size;
    skip_space();
    if (peek() == ']') {
      ++at_;
      return;
    }
    if (peek() != ',') fail("',' or ']' is expected");
    comma = at_++;
    skip_space();
    if (!is_digit(peek()) && peek() != '-') break;
  }
  at_ = comma;
  document_->loosen_last();
  open_.push_back({array, size, false});
}

void JsonParser::read_key() {
  skip_space();
  document_->add_text(read_text());
  skip_space();
  if (peek() != ':') fail("':' is expected");
  ++at_;
}

void JsonParser::close_last() {
  ++at_;
  try {
    document_->close(open_.back().container, open_.back().size);
  } catch (const std::invalid_argument& error) {
    fail(error.what());
  }
  open_.pop_back();
}

void JsonParser::read_entry() {
  if (++n_steps_ % 16384 == 0) poll_();
  skip_space();
  Open& last = open_.back();
  if (peek() == (last.is_object ? '}' : ']')) return close_last();
  if (last.size > 0) {
    if (peek() != ',') fail(last.is_object ? "',' or '}' is expected" : "',' or ']' is expected");
    ++at_;
  }
  ++last.size;
  if (last.is_object) read_key();
  read_value();
}

}  // namespace

JsonDocumentPtr parse_json(std::string_view text, StopPoll& poll) { return JsonParser(text, poll).parse(); }

}  // namespace sightline
