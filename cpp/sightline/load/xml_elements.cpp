#include "sightline/load/xml_elements.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <deque>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <unordered_map>

#include "sightline/table/number.hpp"

namespace sightline::load {
namespace {

constexpr std::size_t kMaxElements = std::numeric_limits<std::int32_t>::max() - 1;
constexpr std::size_t kElementsPerPoll = 1024;
constexpr std::size_t kRecent = 1024;
constexpr std::size_t kBytesPerElement = 64;  // of documents with many nodes

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.' ||
         c == ':' || static_cast<unsigned char>(c) >= 0x80;
}

void append_utf8(std::uint32_t code, std::string& out) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

class Reader {
 public:
  Reader(std::string_view text, runtime::StopPoll& poll) : text_(text), poll_(poll) {}

  XmlElements read() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    reserve(text_.size() / kBytesPerElement);
    while (at_ < text_.size()) {
      if (text_[at_] != '<') {
        read_text();
      } else if (skip("<?")) {
        skip_to("?>", "a processing instruction");
      } else if (skip("<!--")) {
        skip_to("-->", "a comment");
      } else if (skip("<![CDATA[")) {
        const std::size_t begin = at_;
        skip_to("]]>", "a CDATA section");
        add_text(text_.substr(begin, at_ - 3 - begin));
      } else if (text_.compare(at_, 2, "<!") == 0) {
        fail("a document type or another declaration is not supported");
      } else if (skip("</")) {
        close();
      } else {
        ++at_;
        open();
      }
    }
    if (!open_.empty()) fail("the file ends inside an element");
    if (elements_.name.empty()) fail("there is no element");
    ids_.clear();  // it refers to the strings, which move
    elements_.strings.assign(std::make_move_iterator(strings_.begin()), std::make_move_iterator(strings_.end()));
    return std::move(elements_);
  }

 private:
  void reserve(std::size_t n_elements) {
    ids_.reserve(n_elements / 2);
    for (auto* column : {&elements_.name, &elements_.parent, &elements_.end, &elements_.text}) column->reserve(n_elements);
    for (auto* column : {&elements_.owner, &elements_.key, &elements_.value}) column->reserve(2 * n_elements);
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw std::invalid_argument("byte " + std::to_string(at_) + ": " + what);
  }

  bool skip(std::string_view bytes) {
    if (text_.compare(at_, bytes.size(), bytes) != 0) return false;
    at_ += bytes.size();
    return true;
  }

  void skip_to(std::string_view end, const char* what) {
    const std::size_t found = text_.find(end, at_);
    if (found == std::string_view::npos) fail(std::string("the file ends inside ") + what);
    at_ = found + end.size();
  }

  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  std::string_view read_name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    if (at_ == begin) fail("expected a name");
    return text_.substr(begin, at_ - begin);
  }

  // The string is kept in a deque, where it stays in place: the map refers to it.
  std::int32_t id_of(std::string_view string) {
    if (string.empty()) return looked_up(string);
    // Most strings are names that come again and again. A glance at three letters finds them.
    const auto letter = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(string[i])); };
    Recent& recent =
        recent_[(letter(0) + 7 * letter(string.size() / 2) + 31 * letter(string.size() - 1) + string.size()) % kRecent];
    if (recent.string != string) {
      const std::int32_t id = looked_up(string);
      recent = {strings_[id], id};
    }
    return recent.id;
  }

  std::int32_t looked_up(std::string_view string) {
    const auto found = ids_.find(string);
    if (found != ids_.end()) return found->second;
    const auto id = static_cast<std::int32_t>(strings_.size());
    strings_.emplace_back(string);
    ids_.emplace(strings_.back(), id);
    return id;
  }

  static std::string_view local(std::string_view name) { return name.substr(name.rfind(':') + 1); }

  void open() {
    if (elements_.name.size() % kElementsPerPoll == 0) poll_();
    if (open_.empty() && !elements_.name.empty()) fail("a second root element");
    if (elements_.name.size() >= kMaxElements) fail("too many elements");
    const auto element = static_cast<std::int32_t>(elements_.name.size());
    const std::string_view name = read_name();
    elements_.name.push_back(id_of(local(name)));
    elements_.parent.push_back(open_.empty() ? -1 : open_.back().element);
    elements_.end.push_back(element + 1);
    elements_.text.push_back(-1);
    const std::size_t first = elements_.owner.size();
    for (;;) {
      const std::size_t before = at_;
      skip_space();
      if (skip("/>")) return;
      if (skip(">")) break;
      if (at_ == before) fail("expected white space or the end of the tag");
      read_attribute(element, first);
    }
    open_.push_back({element, name, {}});
  }

  void read_attribute(std::int32_t element, std::size_t first) {
    const std::int32_t key = id_of(read_name());
    for (std::size_t i = first; i < elements_.owner.size(); ++i) {
      if (elements_.key[i] == key) fail("the attribute '" + strings_[key] + "' occurs twice");
    }
    skip_space();
    if (!skip("=")) fail("expected '='");
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '"' && quote != '\'') fail("expected a quoted value");
    const std::size_t begin = ++at_;
    const std::size_t end = text_.find(quote, begin);
    if (end == std::string_view::npos) fail("the file ends inside an attribute");
    const std::string_view raw = text_.substr(begin, end - begin);
    if (raw.find('<') != std::string_view::npos) fail("an attribute contains '<'");
    elements_.owner.push_back(element);
    elements_.key.push_back(key);
    elements_.value.push_back(id_of(decoded(raw, true)));
    at_ = end + 1;
  }

  void close() {
    const std::string_view name = read_name();
    skip_space();
    if (!skip(">")) fail("expected '>'");
    if (open_.empty() || open_.back().name != name) fail("the end tag of '" + std::string(name) + "' has no start tag");
    const Open& top = open_.back();
    elements_.end[top.element] = static_cast<std::int32_t>(elements_.name.size());
    if (!top.text.empty()) elements_.text[top.element] = id_of(top.text);
    open_.pop_back();
  }

  void read_text() {
    const std::size_t begin = at_;
    at_ = std::min(text_.find('<', at_), text_.size());
    const std::string_view raw = text_.substr(begin, at_ - begin);
    if (raw.find_first_not_of(" \n\r\t") == std::string_view::npos) return;
    add_text(decoded(raw, false));
  }

  void add_text(std::string_view text) {
    if (open_.empty()) fail("text outside of the root element");
    open_.back().text += text;
  }

  // The result is valid until the next call.
  std::string_view decoded(std::string_view raw, bool is_attribute) {
    if (raw.find_first_of(is_attribute ? "&\n\r\t" : "&") == std::string_view::npos) return raw;
    buffer_.clear();
    for (std::size_t i = 0; i < raw.size();) {
      if (raw[i] != '&') {
        buffer_ += is_attribute && is_space(raw[i]) ? ' ' : raw[i];
        ++i;
        continue;
      }
      const std::size_t end = raw.find(';', i);
      if (end == std::string_view::npos) fail("an entity without ';'");
      append_entity(raw.substr(i + 1, end - i - 1));
      i = end + 1;
    }
    return buffer_;
  }

  void append_entity(std::string_view name) {
    if (name == "lt") {
      buffer_ += '<';
    } else if (name == "gt") {
      buffer_ += '>';
    } else if (name == "amp") {
      buffer_ += '&';
    } else if (name == "quot") {
      buffer_ += '"';
    } else if (name == "apos") {
      buffer_ += '\'';
    } else if (name.starts_with("#")) {
      append_character(name.substr(1));
    } else {
      fail("the entity '" + std::string(name) + "' is not supported");
    }
  }

  void append_character(std::string_view number) {
    const bool is_hex = number.starts_with("x");
    if (is_hex) number.remove_prefix(1);
    std::uint32_t code = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), code, is_hex ? 16 : 10);
    const bool is_valid = error == std::errc() && end == number.data() + number.size() && code > 0 && code <= 0x10FFFF &&
                          !(code >= 0xD800 && code <= 0xDFFF);
    if (!is_valid) fail("an entity names no character");
    append_utf8(code, buffer_);
  }

  struct Recent {
    std::string_view string;
    std::int32_t id = 0;
  };

  struct Open {
    std::int32_t element;
    std::string_view name;
    std::string text;
  };

  std::string_view text_;
  runtime::StopPoll& poll_;
  std::size_t at_ = 0;
  std::vector<Open> open_;
  XmlElements elements_;
  std::deque<std::string> strings_;
  std::unordered_map<std::string_view, std::int32_t> ids_;
  std::array<Recent, kRecent> recent_;
  std::string buffer_;
};

double number_of(const std::string& string) {
  const table::NumberReading found = table::read_number(string);
  if (found.reading == table::Reading::kText) return std::numeric_limits<double>::quiet_NaN();
  if (found.reading == table::Reading::kNumber) return found.value;
  const double infinity = std::numeric_limits<double>::infinity();
  return string.front() == '-' ? -infinity : infinity;
}

}  // namespace

std::vector<double> XmlElements::numbers() const {
  std::vector<double> result;
  result.reserve(strings.size());
  for (const std::string& string : strings) result.push_back(number_of(string));
  return result;
}

std::vector<double> XmlElements::singles() const {
  std::vector<double> result = numbers();
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (!std::isfinite(result[i])) continue;
    const std::string_view digits = std::string_view(strings[i]).substr(strings[i].front() == '+' ? 1 : 0);
    float single = 0;
    const auto error = std::from_chars(digits.data(), digits.data() + digits.size(), single).ec;
    // Beyond float's range, rounding the double does the same.
    result[i] = error == std::errc() ? single : static_cast<float>(result[i]);
  }
  return result;
}

XmlElements read_xml(std::string_view text, runtime::StopPoll& poll) { return Reader(text, poll).read(); }

}  // namespace sightline::load
