#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

#include "sightline/load/json_document.hpp"
#include "sightline/load/packed_numbers.hpp"

namespace sightline::load {
namespace {

// Most of a large file is floats. Their bytes are compared in the order of the file, so that compilers can do so for
// several at once.
bool are_single_finite(const char* bytes, std::size_t count, bool may_be_nan) {
  using Bytes = std::array<unsigned char, 4>;
  constexpr auto kInfinity = std::bit_cast<std::uint32_t>(Bytes{0x7f, 0x80, 0, 0});
  // Numbers that are not finite have the exponent of infinity; only infinity itself has its sign and mantissa, too.
  const std::uint32_t compared = may_be_nan ? ~std::uint32_t{0} : kInfinity;
  std::uint32_t any_infinite = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t bits;
    std::memcpy(&bits, bytes + 4 * i, 4);
    any_infinite |= (bits & compared) == kInfinity;
  }
  return any_infinite == 0;
}

class UbjsonParser {
 public:
  UbjsonParser(std::string_view bytes, const std::vector<std::string>& with_nan, runtime::StopPoll& poll)
      : bytes_(bytes), with_nan_(with_nan), poll_(poll), document_(std::make_shared<JsonDocument>()) {}

  JsonDocumentPtr parse() {
    read_value(read_type());
    while (!open_.empty()) read_entry();
    if (at_ != bytes_.size()) fail("unexpected data after the end");
    return document_;
  }

 private:
  struct Open {
    JsonDocument::Index container;
    std::size_t size;
    bool is_object;
    bool is_counted;
    std::size_t count;
  };

  [[noreturn]] void fail(const std::string& what) const {
    throw std::invalid_argument("byte " + std::to_string(at_) + ": " + what);
  }

  const char* take(std::size_t n_bytes) {
    if (n_bytes > bytes_.size() - at_) fail("the file ends in the middle of a value");
    const char* result = bytes_.data() + at_;
    at_ += n_bytes;
    return result;
  }

  char read_type() { return *take(1); }

  std::size_t read_count() {
    const char type = read_type();
    if (width_of(type) == 0 || is_floating(type)) fail("expected a length");
    const std::int64_t count = integer_at(take(width_of(type)), type);
    // Everything takes at least one byte, so reject a longer length before allocating memory.
    if (count < 0 || static_cast<std::uint64_t>(count) > bytes_.size() - at_) fail("a length is out of range");
    return static_cast<std::size_t>(count);
  }

  void read_string() {
    const std::size_t size = read_count();
    document_->add_string({take(size), size});
  }

  void read_value(char type) {
    switch (type) {
      case 'Z':
        document_->add(JsonKind::kNull);
        return;
      case 'T':
        document_->add(JsonKind::kTrue);
        return;
      case 'F':
        document_->add(JsonKind::kFalse);
        return;
      case 'S':
        return read_string();
      case '{':
        open_.push_back({document_->add(JsonKind::kObject), 0, true, false, 0});
        return;
      case '[':
        return open_array();
      default:
        break;
    }
    const std::size_t width = width_of(type);
    if (width == 0) fail("a value of an unknown type");
    const char* bytes = take(width);
    if (!is_floating(type)) return document_->add_integer(integer_at(bytes, type));
    document_->add_number(finite(number_at(bytes, type)));
  }

  double finite(double value) const {
    if (!std::isfinite(value)) fail("a number is not finite");
    return value;
  }

  void open_array() {
    const char mark = at_ < bytes_.size() ? bytes_[at_] : '\0';
    if (mark == '$') return read_numbers();
    const bool is_counted = mark == '#';
    if (is_counted) ++at_;
    const std::size_t count = is_counted ? read_count() : 0;
    open_.push_back({document_->add(JsonKind::kArray), 0, false, is_counted, count});
  }

  void read_numbers() {
    take(1);
    const char type = read_type();
    const std::size_t width = width_of(type);
    if (width == 0) fail("an array of an unknown type");
    if (read_type() != '#') fail("expected the length of an array");
    const std::size_t count = read_count();
    if (count > (bytes_.size() - at_) / width) fail("the file ends in the middle of an array");
    const bool may_be_nan = !open_.empty() && open_.back().is_object && document_->ends_with_one_of(with_nan_);
    document_->add_packed(type, at_, count);
    const char* bytes = take(count * width);
    if (is_floating(type)) check_finite(bytes, count, type, may_be_nan);
  }

  void check_finite(const char* bytes, std::size_t count, char type, bool may_be_nan) const {
    const bool are_finite =
        type == 'd' ? are_single_finite(bytes, count, may_be_nan) : are_double_finite(bytes, count, may_be_nan);
    if (!are_finite) fail("a number is not finite");
  }

  static bool are_double_finite(const char* bytes, std::size_t count, bool may_be_nan) {
    bool are_finite = true;
    for (std::size_t i = 0; i < count; ++i) {
      const double value = number_at(bytes + i * width_of('D'), 'D');
      are_finite &= std::isfinite(value) || (may_be_nan && !(value > 0));
    }
    return are_finite;
  }

  void read_entry() {
    if (++n_steps_ % 1024 == 0) poll_();
    Open& last = open_.back();
    if (last.is_counted ? last.size == last.count : peeks_end(last)) return close_last();
    ++last.size;
    if (last.is_object) read_string();
    read_value(read_type());
  }

  bool peeks_end(const Open& last) const { return at_ < bytes_.size() && bytes_[at_] == (last.is_object ? '}' : ']'); }

  void close_last() {
    if (!open_.back().is_counted) ++at_;
    try {
      document_->close(open_.back().container, open_.back().size);
      if (!open_.back().is_object) document_->tighten_last(open_.back().container);
    } catch (const std::invalid_argument& error) {
      fail(error.what());
    }
    open_.pop_back();
  }

  std::string_view bytes_;
  const std::vector<std::string>& with_nan_;
  runtime::StopPoll& poll_;
  std::size_t n_steps_ = 0;
  std::size_t at_ = 0;
  std::vector<Open> open_;
  std::shared_ptr<JsonDocument> document_;
};

}  // namespace

JsonDocumentPtr parse_ubjson(std::string_view bytes, const std::vector<std::string>& with_nan, runtime::StopPoll& poll) {
  return UbjsonParser(bytes, with_nan, poll).parse();
}

}  // namespace sightline::load
