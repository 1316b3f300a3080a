// A position in one line of an ARFF file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sightline::table {

struct Token {
  std::string_view text;
  bool is_quoted = false;
};

class LineCursor {
 public:
  LineCursor(std::string_view line, std::size_t number) : line_(line), number_(number) {}

  std::size_t number() const { return number_; }
  // Whether only blanks or a comment follow. Skips the blanks.
  bool at_end();
  // Takes this character if it comes next, after blanks.
  bool take(char expected);
  // Takes the comma or the blanks between two tokens. False at the end of the line.
  bool take_separator() { return take(',') || !at_end(); }
  // Takes a word up to a blank or one of `stops`, or a quoted string with backslash escapes.
  // Its text is valid until the next call.
  Token token(std::string_view stops);

  [[noreturn]] void fail(const std::string& text) const;

 private:
  Token quoted_token(char quote);

  std::string_view line_;
  std::size_t number_;
  std::size_t position_ = 0;
  std::string scratch_;
};

// The lines of a text, without their ends (LF or CRLF), counted from 1.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}

  bool next();
  LineCursor cursor() const { return {line_, number_}; }
  std::size_t number() const { return number_; }

 private:
  std::string_view text_;
  std::string_view line_;
  std::size_t position_ = 0;
  std::size_t number_ = 0;
};

}  // namespace sightline::table
