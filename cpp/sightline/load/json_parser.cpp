#include <algorithm>
#include <charconv>
#include <limits>
#include <stdexcept>
#include <string>

#include "sightline/load/json_cursor.hpp"
#include "sightline/load/json_document.hpp"

namespace sightline::load {
namespace {

class JsonParser {
 public:
  JsonParser(std::string_view text, const std::vector<std::string>& unread, const std::vector<std::string>& with_nan,
             runtime::StopPoll& poll)
      : cursor_(text), unread_(unread), with_nan_(with_nan), poll_(poll), document_(std::make_shared<JsonDocument>()) {
    document_->reserve(text.size() / 6, text.size() / 10);
  }

  JsonDocumentPtr parse();

 private:
  struct Open {
    JsonDocument::Index container;
    std::size_t size;
    bool is_object;
    bool leaves_unread;  // the objects in it stay unread
  };

  // Reads a number and passes it to one of the two callbacks, as an integer or a double.
  template <class TakeInteger, class TakeNumber>
  void read_number(TakeInteger take_integer, TakeNumber take_number);
  // Reads a value; opens a container and leaves its content to the loop.
  void read_value();
  void read_word(std::string_view word, JsonKind kind);
  void open_array();
  // Reads an entry of an array of numbers.
  void append_number(bool may_be_nan);
  void read_key();
  // Whether the path to the value of the last key is one of the unread.
  bool is_path_unread() const;
  // Reads the next entry of the last open container, or its end.
  void read_entry();
  void close_last();

  JsonCursor cursor_;
  const std::vector<std::string>& unread_;
  const std::vector<std::string>& with_nan_;
  runtime::StopPoll& poll_;
  std::size_t n_steps_ = 0;
  bool is_unread_ = false;  // whether the next value stays unread
  std::vector<Open> open_;
  std::shared_ptr<JsonDocument> document_;
};

JsonDocumentPtr JsonParser::parse() {
  read_value();
  while (!open_.empty()) read_entry();
  cursor_.skip_space();
  if (!cursor_.is_at_end()) cursor_.fail("unexpected data after the end");
  return document_;
}

template <class TakeInteger, class TakeNumber>
void JsonParser::read_number(TakeInteger take_integer, TakeNumber take_number) {
  if (++n_steps_ % 16384 == 0) poll_();
  bool is_whole;
  const std::string_view token = cursor_.number_token(is_whole);
  if (is_whole && token != "-0") {
    std::int64_t value;
    if (std::from_chars(token.data(), token.data() + token.size(), value).ec == std::errc()) return take_integer(value);
  }
  take_number(cursor_.value_of(token));
}

void JsonParser::read_word(std::string_view word, JsonKind kind) {
  cursor_.expect_word(word);
  document_->add(kind);
}

void JsonParser::read_value() {
  cursor_.skip_space();
  switch (cursor_.peek()) {
    case '{':
      if (is_unread_) {
        const std::size_t begin = cursor_.at();
        document_->add_unread(begin, cursor_.skip_container());
        return poll_();
      }
      cursor_.skip(1);
      open_.push_back({document_->add(JsonKind::kObject), 0, true, false});
      return;
    case '[':
      cursor_.skip(1);
      return open_array();
    case '"':
      return document_->add_string(cursor_.read_string());
    case 't':
      return read_word("true", JsonKind::kTrue);
    case 'f':
      return read_word("false", JsonKind::kFalse);
    case 'n':
      return read_word("null", JsonKind::kNull);
    default:
      return read_number([&](std::int64_t value) { document_->add_integer(value); },
                         [&](double value) { document_->add_number(value); });
  }
}

void JsonParser::append_number(bool may_be_nan) {
  using Limits = std::numeric_limits<double>;
  if (may_be_nan && cursor_.skip_exactly("NaN")) return document_->append_number(Limits::quiet_NaN());
  if (may_be_nan && cursor_.skip_exactly("-Infinity")) return document_->append_number(-Limits::infinity());
  read_number([&](std::int64_t value) { document_->append_integer(value); },
              [&](double value) { document_->append_number(value); });
}

// Continues while there are numbers, which is nearly always until the end.
void JsonParser::open_array() {
  const bool may_be_nan = !open_.empty() && open_.back().is_object && document_->ends_with_one_of(with_nan_);
  const auto is_at_number = [&] { return cursor_.is_at_number() || (may_be_nan && cursor_.peek() == 'N'); };
  cursor_.skip_space();
  if (!is_at_number()) {
    open_.push_back({document_->add(JsonKind::kArray), 0, false, is_unread_});
    return;
  }
  const JsonDocument::Index array = document_->add(JsonKind::kIntegers);
  for (std::size_t size = 1;; ++size) {
    append_number(may_be_nan);
    cursor_.skip_space();
    if (cursor_.peek() == ']') return cursor_.skip(1);
    const std::size_t comma = cursor_.at();
    cursor_.expect(',', "expected ',' or ']'");
    cursor_.skip_space();
    if (is_at_number()) continue;
    cursor_.go_back(comma);
    document_->loosen_last();
    open_.push_back({array, size, false, is_unread_});
    return;
  }
}

void JsonParser::read_key() {
  cursor_.skip_space();
  document_->add_string(cursor_.read_string());
  cursor_.skip_space();
  cursor_.expect(':', "expected ':'");
}

bool JsonParser::is_path_unread() const {
  const auto ends_path = [&](std::string_view path) {
    JsonDocument::Index key = document_->size() - 1;
    for (std::size_t depth = open_.size(); depth-- > 0;) {
      // The entries of an array have no key of their own; the key of the array counts.
      if (open_[depth].is_object) {
        const std::string_view name = document_->string(key);
        if (!path.ends_with(name)) return false;
        path.remove_suffix(name.size());
        if (path.empty()) return depth == 0;
        if (!path.ends_with('.')) return false;
        path.remove_suffix(1);
      }
      key = open_[depth].container - 1;
    }
    return false;
  };
  return std::any_of(unread_.begin(), unread_.end(), ends_path);
}

void JsonParser::close_last() {
  cursor_.skip(1);
  try {
    document_->close(open_.back().container, open_.back().size);
  } catch (const std::invalid_argument& error) {
    cursor_.fail(error.what());
  }
  open_.pop_back();
}

void JsonParser::read_entry() {
  if (++n_steps_ % 16384 == 0) poll_();
  cursor_.skip_space();
  Open& last = open_.back();
  if (cursor_.peek() == (last.is_object ? '}' : ']')) return close_last();
  if (last.size > 0) cursor_.expect(',', last.is_object ? "expected ',' or '}'" : "expected ',' or ']'");
  ++last.size;
  if (last.is_object) read_key();
  is_unread_ = last.is_object ? is_path_unread() : last.leaves_unread;
  read_value();
  is_unread_ = false;
}

}  // namespace

JsonDocumentPtr parse_json(std::string_view text, const std::vector<std::string>& unread,
                           const std::vector<std::string>& with_nan, runtime::StopPoll& poll) {
  return JsonParser(text, unread, with_nan, poll).parse();
}

}  // namespace sightline::load
