#include "sightline/table/written_number.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "sightline/table/number.hpp"
#include "sightline/table/units.hpp"

namespace sightline::table {
namespace {

constexpr std::size_t kMaxLength = 64;
constexpr std::size_t kMaxUnit = 16;

constexpr auto kBlanks =
    std::to_array<std::string_view>({" ", "\t", "\u00A0", "\u2009", "\u202F", "\u2007", "\u200B", "\u200E", "\u2060", "\uFEFF"});
constexpr auto kMinuses = std::to_array<std::string_view>({"-", "\u2212", "\u2013"});
constexpr auto kDashes = std::to_array<std::string_view>({"-", "\u2013", "\u2014"});
constexpr auto kApostrophes = std::to_array<std::string_view>({"'", "\u2019"});
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// A cell that is taken apart from its front.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  std::string_view rest() const { return text_; }
  bool at_end() const { return text_.empty(); }
  // NUL at the end, which is no mark, digit or sign.
  char front() const { return text_.empty() ? '\0' : text_.front(); }
  void skip(std::size_t n) { text_.remove_prefix(n); }

  template <class Words>
  std::string_view take_any(const Words& words) {
    for (const std::string_view word : words) {
      if (!text_.starts_with(word)) continue;
      text_.remove_prefix(word.size());
      return word;
    }
    return {};
  }
  bool take(char c) {
    if (front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void skip_blanks() {
    while (!take_any(kBlanks).empty()) {
    }
  }
  std::string_view digits() {
    const std::size_t n = static_cast<std::size_t>(std::find_if_not(text_.begin(), text_.end(), is_digit) - text_.begin());
    const std::string_view found = text_.substr(0, n);
    text_.remove_prefix(n);
    return found;
  }

 private:
  std::string_view text_;
};

// The parts of a number between sign and unit, as digits that from_chars reads. It begins with a digit or the decimal mark.
class Body {
 public:
  Body(Cursor& cursor, const NumberMarks& marks, char before_minutes = ':')
      : cursor_(cursor), marks_(marks), before_minutes_(before_minutes) {}

  bool read(WrittenNumber& number) {
    whole_ = cursor_.digits();
    if (cursor_.front() == before_minutes_) return read_clock(number);
    number.is_code = whole_.size() > 1 && whole_.front() == '0';
    if (!read_thousands(number)) return false;
    text_.assign(whole_);
    if (cursor_.take(marks_.decimal)) {
      const std::string_view fraction = cursor_.digits();
      number.has_fraction = true;
      text_ += '.';
      text_ += fraction;
      if (whole_.empty() && fraction.empty()) return false;
      if (fraction.empty()) skip_dash_for_cents();
    }
    if (number.thousands == '\0') read_exponent();
    read_magnitude(number);
    const NumberReading value = read_number(text_);
    number.value = value.value;
    return value.reading == Reading::kNumber;
  }

 private:
  // Groups of three digits with one kind of mark between them; also 12,34,567 as in India.
  bool read_thousands(WrittenNumber& number) {
    if (whole_.empty() || whole_.size() > 3 || whole_.front() == '0') return true;
    std::string joined(whole_);
    std::size_t n_pairs = 0;
    std::size_t last = 0;
    std::size_t n_groups = 0;
    for (Cursor ahead = cursor_; const char mark = take_mark(ahead); cursor_ = ahead) {
      const std::string_view group = ahead.digits();
      if (group.empty() && mark == ' ') break;  // a unit follows
      if (number.thousands != '\0' && number.thousands != mark) return false;
      if (group.size() != 3 && group.size() != 2) return false;
      number.thousands = mark;
      n_pairs += group.size() == 2 ? 1 : 0;
      last = group.size();
      joined += group;
      ++n_groups;
    }
    if (n_groups == 0) return true;
    const bool is_indian = n_pairs + 1 == n_groups && last == 3 && whole_.size() < 3 && number.thousands == ',';
    if (n_pairs > 0 && !is_indian) return false;
    number.n_groups = n_groups;
    joined_ = std::move(joined);
    whole_ = joined_;
    return true;
  }

  // The dash of 25,- and 25.–, which means no cents and is not a minus.
  void skip_dash_for_cents() {
    while (!cursor_.take_any(kDashes).empty()) {
    }
  }

  char take_mark(Cursor& ahead) const {
    for (const char mark : marks_.thousands) {
      const bool found = mark == ' '    ? !ahead.take_any(kBlanks).empty()
                         : mark == '\'' ? !ahead.take_any(kApostrophes).empty()
                                        : ahead.take(mark);
      if (found) return mark;
    }
    return '\0';
  }

  // Hours and minutes, perhaps seconds, in units of the first.
  bool read_clock(WrittenNumber& number) {
    double share = 1.0;
    text_.assign(whole_);
    number.value = read_number(text_).value;
    while (cursor_.take(before_minutes_)) {
      std::string part(cursor_.digits());
      ++number.n_colons;
      if (part.size() != 2 || part[0] > '5' || number.n_colons > 2) return false;
      if (cursor_.take(marks_.decimal)) {
        part.append(".").append(cursor_.digits());
        if (cursor_.front() == ':') return false;
      }
      share /= 60.0;
      number.value += share * read_number(part).value;
    }
    return true;
  }

  void read_exponent() {
    Cursor ahead = cursor_;
    // Fortran and SAS write 1.5D+03.
    const bool is_double = ahead.take('D');
    if (!is_double && !ahead.take('e') && !ahead.take('E')) return;
    std::string exponent = "e";
    if (ahead.take('-')) {
      exponent += '-';
    } else if (!ahead.take('+') && is_double) {
      return;
    }
    const std::string_view digits = ahead.digits();
    if (digits.empty()) return;
    text_ += exponent.append(digits);
    cursor_ = ahead;
  }

  // 71.8K and 1.2M: thousands, millions and billions without a blank before the letter.
  void read_magnitude(WrittenNumber& number) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kMagnitudes = {
        {{"K", "e3"}, {"k", "e3"}, {"Mio", "e6"}, {"M", "e6"}, {"bn", "e9"}, {"B", "e9"}}};
    if (text_.find('e') != std::string::npos) return;
    for (const auto& [letter, exponent] : kMagnitudes) {
      Cursor ahead = cursor_;
      if (ahead.take_any(std::array{letter}).empty() || !(ahead.at_end() || ahead.front() == ' ')) continue;
      text_ += exponent;
      number.has_magnitude = letter.size() == 1;
      cursor_ = ahead;
      return;
    }
  }

  Cursor& cursor_;
  const NumberMarks& marks_;
  char before_minutes_;
  std::string_view whole_;
  std::string joined_;
  std::string text_;
};

// A word of letters, such as h, min or µs.
std::string_view take_word(Cursor& cursor) {
  const std::string_view rest = cursor.rest();
  const auto is_part = [](char c) { return is_letter(c) || static_cast<unsigned char>(c) >= 0x80; };
  const auto size = static_cast<std::size_t>(std::find_if_not(rest.begin(), rest.end(), is_part) - rest.begin());
  cursor.skip(size);
  return rest.substr(0, size);
}

// The rest of 5h 30m, 2 years 3 months, 14h30 or 5 ft 11 in: numbers in ever smaller units, added in the first
// unit. False if the cell is not of this form.
bool take_smaller_parts(Cursor& cursor, const NumberMarks& marks, WrittenNumber& number) {
  Cursor ahead = cursor;
  const std::string_view unit = take_word(ahead);
  if (unit.empty()) return false;
  const bool is_french = unit == "h" && is_digit(ahead.front());
  ahead.skip_blanks();
  if (!is_digit(ahead.front())) return false;
  double value = number.value;
  double least = 1.0;
  while (!ahead.at_end()) {
    std::string digits(ahead.digits());
    if (ahead.take(marks.decimal)) digits.append(".").append(ahead.digits());
    ahead.skip_blanks();
    std::string_view part = take_word(ahead);
    if (part.empty() && is_french && digits.size() == 2 && ahead.at_end()) part = "min";
    const std::optional<Conversion> conversion = find_conversion(part, unit);
    if (digits.empty() || !conversion) return false;
    const double share = (*conversion)(read_number(digits).value);
    // 5h 300m is more than an hour, so the minutes are not a part of one.
    if (share >= least || (*conversion)(1.0) >= least) return false;
    least = (*conversion)(1.0);
    value += share;
    ahead.skip_blanks();
  }
  number.value = value;
  number.unit = unit;
  cursor = ahead;
  return true;
}

// The rest of 2 days 06:00:00, as pandas and PostgreSQL write durations. In -1 days +18:00:00 the minus is that of the
// days alone. False if the cell is not of this form.
bool take_clock_after_days(Cursor& cursor, const NumberMarks& marks, bool is_negative, double& days) {
  Cursor ahead = cursor;
  if (ahead.take_any(std::to_array<std::string_view>({"days", "day"})).empty()) return false;
  ahead.skip_blanks();
  const bool is_minus = ahead.take('-');
  const bool is_clock_negative = is_minus || (!ahead.take('+') && is_negative);
  WrittenNumber clock;
  if (!is_digit(ahead.front()) || !Body(ahead, marks).read(clock) || clock.n_colons != 2 || !ahead.at_end()) return false;
  days += (is_clock_negative == is_negative ? clock.value : -clock.value) / 24.0;
  cursor = ahead;
  return true;
}

// Takes the minus behind a number, as in 500,00- and 12.50-€. That of 2-door joins two words.
bool take_last_minus(Cursor& cursor) {
  Cursor ahead = cursor;
  if (!ahead.take('-')) return false;
  const std::string_view rest = ahead.rest();
  if (!rest.empty() && rest != "%" && !is_currency(rest) && ahead.take_any(kBlanks).empty()) return false;
  cursor = ahead;
  return true;
}

// What follows a time of day: am, pm or uhr, without points and capitals; else nothing.
std::string word_of_day(std::string_view unit) {
  std::string word;
  for (const char c : unit) {
    if (c != '.') word += lower(c);
  }
  return word == "am" || word == "pm" || word == "uhr" ? word : std::string();
}

// Whether the point of a cell such as 8.30 pm or 8.30 Uhr is before minutes.
bool has_pointed_time(Cursor ahead) {
  ahead.digits();
  if (!ahead.take('.')) return false;
  ahead.digits();
  ahead.skip_blanks();
  return !word_of_day(ahead.rest()).empty();
}

// 12:05 AM is 0:05 and 1:30 PM is 13:30. False if the cell does not end in AM, PM or Uhr, or is later than the day.
bool take_time_of_day(std::string_view unit, WrittenNumber& number) {
  const std::string word = word_of_day(unit);
  const bool is_half = word != "uhr";
  if (word.empty() || number.value < (is_half ? 1 : 0) || number.value >= (is_half ? 13 : 25)) return false;
  if (is_half) number.value = (number.value >= 12 ? number.value - 12 : number.value) + (word == "pm" ? 12 : 0);
  number.n_colons = std::max(number.n_colons, 1);
  return true;
}

constexpr auto kZeros = std::to_array<std::string_view>({"\u0660", "\u06F0", "\u0966", "\uFF10"});

// The digit of Arabic, Persian, Hindi or full width at the front, with its number of bytes.
std::pair<char, std::size_t> foreign_digit(std::string_view text) {
  for (const std::string_view zero : kZeros) {
    const std::size_t last = zero.size() - 1;
    if (text.size() <= last || !text.starts_with(zero.substr(0, last))) continue;
    const int digit = static_cast<unsigned char>(text[last]) - static_cast<unsigned char>(zero[last]);
    if (digit >= 0 && digit <= 9) return {static_cast<char>('0' + digit), zero.size()};
  }
  return {'\0', 0};
}

// The same number with ASCII digits, a decimal point and commas.
std::string with_plain_digits(std::string_view cell) {
  constexpr auto kMarks = std::to_array<std::pair<std::string_view, char>>({{"\u066B", '.'}, {"\u066C", ','}});
  std::string plain;
  while (!cell.empty()) {
    auto [c, n_bytes] = foreign_digit(cell);
    for (const auto& [mark, ascii] : kMarks) {
      if (cell.starts_with(mark)) std::tie(c, n_bytes) = std::pair(ascii, mark.size());
    }
    plain += n_bytes == 0 ? cell.front() : c;
    cell.remove_prefix(std::max<std::size_t>(n_bytes, 1));
  }
  return plain;
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Superscripts and fractions, which change the number before them. The last two begin those beyond Latin-1.
constexpr auto kSmallDigits = std::to_array<std::string_view>({"¹", "²", "³", "¼", "½", "¾", "\xe2\x81", "\xe2\x85"});

// A unit is a word or a sign, such as min, km/h, °C, % or €: no digits, no brackets.
bool is_unit(std::string_view text) {
  if (text.size() > kMaxUnit || text == "e" || text == "E" || !Cursor(text).take_any(kSmallDigits).empty()) return false;
  const auto is_part = [](char c) {
    return is_letter(c) || c == '%' || c == '/' || c == '.' || c == '$' || c == ' ' || static_cast<unsigned char>(c) >= 0x80;
  };
  return text.front() != '.' && text.front() != '/' && std::all_of(text.begin(), text.end(), is_part);
}

WrittenNumber read_plain_digits(std::string_view cell, const NumberMarks& marks) {
  WrittenNumber number;
  if (cell.size() > kMaxLength) return number;
  Cursor cursor(cell);
  cursor.skip_blanks();
  // ="12" keeps Excel from changing a cell.
  if (cursor.rest().starts_with("=\"") && cell.ends_with('"')) {
    cursor = Cursor(cursor.rest().substr(2, cursor.rest().size() - 3));
  }
  // '12' in single quotes, and '12 as Excel marks text.
  if (cursor.front() == '\'') {
    const std::string_view rest = cursor.rest();
    cursor = Cursor(rest.substr(1, rest.size() - (rest.size() > 2 && rest.ends_with('\'') ? 2 : 1)));
  }
  int n_signs = 0;
  bool is_negative = false;
  const auto take_parentheses = [&] {
    if (cursor.front() != '(' || !cell.ends_with(')')) return;
    cursor = Cursor(cursor.rest().substr(1, cursor.rest().size() - 2));
    is_negative = true;
    ++n_signs;
  };
  take_parentheses();
  const auto take_sign = [&] {
    const bool is_minus = !cursor.take_any(kMinuses).empty();
    if (!is_minus && !cursor.take('+')) return;
    is_negative |= is_minus;
    ++n_signs;
    cursor.skip_blanks();
  };
  take_sign();
  // Other letters before a number are a code, such as A12.
  number.unit = cursor.take_any(kCurrencies);
  cursor.skip_blanks();
  if (!number.unit.empty()) {
    if (n_signs == 0) take_parentheses();
    // Excel's $ - is zero.
    if (cursor.rest().starts_with('-') && cursor.rest().find_first_not_of("- ") == std::string_view::npos) {
      number.is_number = true;
      return number;
    }
    take_sign();
  }
  if (!is_digit(cursor.front()) && cursor.front() != marks.decimal) return number;
  if (!Body(cursor, marks, has_pointed_time(cursor) ? '.' : ':').read(number)) return number;
  if (n_signs == 0 && take_last_minus(cursor)) {
    number.has_last_minus = true;
    is_negative = true;
    ++n_signs;
  }
  cursor.skip_blanks();
  if (number.unit.empty()) take_smaller_parts(cursor, marks, number);
  if (number.unit.empty() && take_clock_after_days(cursor, marks, is_negative, number.value)) number.unit = "days";
  std::string_view unit = cursor.rest();
  while (!unit.empty() &&
         std::any_of(kBlanks.begin(), kBlanks.end(), [&](std::string_view blank) { return unit.ends_with(blank); })) {
    unit.remove_suffix(unit.back() == ' ' || unit.back() == '\t' ? 1 : unit.ends_with("\u00A0") ? 2 : 3);
  }
  if (unit.starts_with("/-")) unit.remove_prefix(2);  // 25/- in India
  if (n_signs == 0 && unit.ends_with('-') && is_currency(unit.substr(0, unit.size() - 1))) {
    unit.remove_suffix(1);
    is_negative = true;
    ++n_signs;
  }
  if (!unit.empty() && !(number.unit.empty() && n_signs == 0 && take_time_of_day(unit, number))) {
    if (!number.unit.empty() || !is_unit(unit)) return number;
    number.unit = unit;
  }
  number.is_number = n_signs <= 1;
  if (is_negative) number.value = -number.value;
  return number;
}

}  // namespace

WrittenNumber read_written_number(std::string_view cell, const NumberMarks& marks) {
  const WrittenNumber number = read_plain_digits(cell, marks);
  if (number.is_number || cell.size() > kMaxLength || is_ascii(cell)) return number;
  const std::string plain = with_plain_digits(cell);
  // A unit would refer to `plain`, which ends here.
  const WrittenNumber other = is_ascii(plain) ? read_plain_digits(plain, {'.', ","}) : number;
  return other.is_number && other.unit.empty() ? other : number;
}

bool has_digit(std::string_view cell) {
  if (cell.find_first_of("0123456789") != std::string_view::npos) return true;
  if (is_ascii(cell)) return false;
  for (; !cell.empty(); cell.remove_prefix(1)) {
    if (foreign_digit(cell).second > 0) return true;
  }
  return false;
}

}  // namespace sightline::table
