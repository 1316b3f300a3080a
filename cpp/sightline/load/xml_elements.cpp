#include "sightline/load/xml_elements.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "sightline/runtime/decimal.hpp"
#include "sightline/table/number.hpp"

namespace sightline::load {
namespace {

constexpr std::size_t kMaxElements = std::numeric_limits<std::int32_t>::max() - 1;
constexpr std::size_t kElementsPerPoll = 1024;
constexpr std::size_t kBytesPerElement = 64;  // of documents with many nodes

// What a byte means. Most of a document is names and values, of which every byte is looked up once.
enum : std::uint8_t { kName = 1, kSpace = 2, kDecoded = 4, kAngle = 8 };

constexpr std::array<std::uint8_t, 256> kMeaning = [] {
  std::array<std::uint8_t, 256> meaning{};
  for (std::size_t c = 'a'; c <= 'z'; ++c) meaning[c] = meaning[c - 'a' + 'A'] = kName;
  for (std::size_t c = '0'; c <= '9'; ++c) meaning[c] = kName;
  for (std::size_t c = 0x80; c < meaning.size(); ++c) meaning[c] = kName;
  for (const char c : {'_', '-', '.', ':'}) meaning[static_cast<std::size_t>(c)] = kName;
  for (const char c : {'\n', '\r', '\t'}) meaning[static_cast<std::size_t>(c)] = kSpace | kDecoded;
  meaning[' '] = kSpace;
  meaning['&'] = kDecoded;
  meaning['<'] = kAngle;
  return meaning;
}();

std::uint8_t meaning(char c) { return kMeaning[static_cast<unsigned char>(c)]; }
bool is_space(char c) { return meaning(c) & kSpace; }

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
      } else if (text_.substr(at_).starts_with("<!")) {
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
    elements_.attribute_begin.push_back(static_cast<std::int64_t>(elements_.key.size()));
    return std::move(elements_);
  }

 private:
  void reserve(std::size_t n_elements) {
    elements_.attribute_begin.reserve(n_elements + 1);
    for (auto* column : {&elements_.name, &elements_.parent, &elements_.end, &elements_.text}) column->reserve(n_elements);
    for (auto* column : {&elements_.key, &elements_.value}) column->reserve(3 * n_elements);
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw std::invalid_argument("byte " + std::to_string(at_) + ": " + what);
  }

  bool skip(std::string_view bytes) {
    if (!text_.substr(at_).starts_with(bytes)) return false;
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
    while (at_ < text_.size() && (meaning(text_[at_]) & kName)) ++at_;
    if (at_ == begin) fail("expected a name");
    return text_.substr(begin, at_ - begin);
  }

  static std::string_view local(std::string_view name) { return name.substr(name.rfind(':') + 1); }

  void open() {
    if (elements_.name.size() % kElementsPerPoll == 0) poll_();
    if (open_.empty() && !elements_.name.empty()) fail("a second root element");
    if (elements_.name.size() >= kMaxElements) fail("too many elements");
    const auto element = static_cast<std::int32_t>(elements_.name.size());
    const std::string_view name = read_name();
    elements_.name.push_back(elements_.strings.add(local(name)));
    elements_.parent.push_back(open_.empty() ? -1 : open_.back().element);
    elements_.end.push_back(element + 1);
    elements_.text.push_back(-1);
    elements_.attribute_begin.push_back(static_cast<std::int64_t>(elements_.key.size()));
    for (;;) {
      const std::size_t before = at_;
      skip_space();
      if (skip("/>")) return;
      if (skip(">")) break;
      if (at_ == before) fail("expected white space or the end of the tag");
      read_attribute(element);
    }
    open_.push_back({element, name, {}});
  }

  void read_attribute(std::int32_t element) {
    const std::int32_t key = elements_.strings.add(read_name());
    claim(key, element);
    skip_space();
    if (!skip("=")) fail("expected '='");
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '"' && quote != '\'') fail("expected a quoted value");
    const std::size_t begin = ++at_;
    std::size_t end = begin;
    std::uint8_t found = 0;
    while (end < text_.size() && text_[end] != quote) found |= meaning(text_[end++]);
    if (end == text_.size()) fail("the file ends inside an attribute");
    if (found & kAngle) fail("an attribute contains '<'");
    const std::string_view raw = text_.substr(begin, end - begin);
    elements_.key.push_back(key);
    elements_.value.push_back(elements_.strings.add((found & kDecoded) ? decoded(raw, true) : raw));
    at_ = end + 1;
  }

  // Notes that an element has an attribute, which it may have once.
  void claim(std::int32_t key, std::int32_t element) {
    const auto index = static_cast<std::size_t>(key);
    if (index >= last_owner_.size()) last_owner_.resize(index + 1, -1);
    if (last_owner_[index] == element) fail("the attribute '" + std::string(elements_.strings[index]) + "' occurs twice");
    last_owner_[index] = element;
  }

  void close() {
    const std::string_view name = read_name();
    skip_space();
    if (!skip(">")) fail("expected '>'");
    if (open_.empty() || open_.back().name != name) fail("the end tag of '" + std::string(name) + "' has no start tag");
    const Open& top = open_.back();
    elements_.end[top.element] = static_cast<std::int32_t>(elements_.name.size());
    if (!top.text.empty()) elements_.text[top.element] = elements_.strings.add(top.text);
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
  std::vector<std::int32_t> last_owner_;  // per string: the last element that had it as an attribute
  std::string buffer_;
};

}  // namespace

std::int32_t XmlElements::attribute(std::size_t element, std::int32_t wanted) const {
  for (std::int64_t i = attribute_begin.at(element); i < attribute_begin.at(element + 1); ++i) {
    if (key[i] == wanted) return value[i];
  }
  return -1;
}

void XmlElements::column(std::int32_t wanted, std::int32_t* result) const {
  for (std::size_t element = 0; element < name.size(); ++element) result[element] = attribute(element, wanted);
}

double XmlElements::number(std::size_t string) const {
  const std::string_view spelled = strings.at(string);
  const table::NumberReading found = table::read_number(spelled);
  if (found.reading == table::Reading::kText) return std::numeric_limits<double>::quiet_NaN();
  if (found.reading == table::Reading::kNumber) return found.value;
  const double infinity = std::numeric_limits<double>::infinity();
  return spelled.front() == '-' ? -infinity : infinity;
}

double XmlElements::single(std::size_t string) const {
  const double number = this->number(string);
  if (!std::isfinite(number)) return number;
  const std::string_view spelled = strings[string];
  const std::string_view digits = spelled.substr(spelled.front() == '+' ? 1 : 0);
  float single = 0;
  const auto error = runtime::read_decimal(digits.data(), digits.data() + digits.size(), single).ec;
  // Beyond float's range, rounding the double does the same.
  return error == std::errc() ? single : static_cast<float>(number);
}

XmlElements read_xml(std::string_view text, runtime::StopPoll& poll) { return Reader(text, poll).read(); }

}  // namespace sightline::load
