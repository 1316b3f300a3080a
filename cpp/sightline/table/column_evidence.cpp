#include "sightline/table/column_evidence.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "sightline/table/missing_words.hpp"
#include "sightline/table/number.hpp"
#include "sightline/table/units.hpp"

namespace sightline::table {
namespace {

constexpr std::size_t kMaxListed = 4;
constexpr std::size_t kMaxKinds = 8;
// A reading that fits this many cells fewer than the other is not tried on every further cell.
constexpr std::size_t kHopeless = 64;
// A few different numbers and a word are categories, unless the word is a slip or at least rare.
constexpr std::size_t kMinNumbersPerSlip = 100;
constexpr std::size_t kMinNumbersPerStray = 10;
constexpr std::size_t kMaxFast = 64;
constexpr double kMaxExact = 9007199254740992.0;  // 2^53
constexpr std::size_t kMinRounded = 16;           // digits; 2e9M is exact

// A quick look: a number has a digit, or is Excel's $ - for zero.
bool may_be_number(std::string_view cell) {
  if (has_digit(cell)) return true;
  const std::size_t last = cell.find_last_not_of(' ');
  return last != std::string_view::npos && last > 0 && last < 12 && cell[last] == '-';
}

std::size_t n_digits(std::string_view cell) {
  return static_cast<std::size_t>(std::count_if(cell.begin(), cell.end(), [](char c) { return c >= '0' && c <= '9'; }));
}

// Whether a cell is an IP address: four numbers of at most 255 with points between them.
bool is_address(std::string_view cell) {
  for (int n_points = 3; n_points >= 0; --n_points) {
    unsigned part = 0;
    const auto [next, error] = std::from_chars(cell.data(), cell.data() + cell.size(), part);
    if (error != std::errc() || part > 255) return false;
    cell.remove_prefix(static_cast<std::size_t>(next - cell.data()));
    if (n_points == 0) break;
    if (!cell.starts_with('.')) return false;
    cell.remove_prefix(1);
  }
  return cell.empty();
}

}  // namespace

void CellTally::add_value(double value) {
  if (has_many_values()) return;
  const auto end = values_.begin() + static_cast<std::ptrdiff_t>(n_values_);
  if (std::find(values_.begin(), end, value) == end) values_[n_values_++] = value;
}

void CellTally::add_bare(double value, std::string_view cell, std::size_t line) {
  ++n_cells_;
  add_value(value);
  if (value == 0.0) {
    ++n_zeros_;
  } else if (n_bare_++ == 0) {
    first_bare_ = {std::string(cell), line, 1};
  }
}

void CellTally::add_stored(double value, std::string_view cell, std::size_t line) {
  has_fraction_ |= value != std::floor(value);
  add_bare(value, cell, line);
}

void CellTally::add(const WrittenNumber& number, std::string_view cell, std::size_t line) {
  if (number.thousands != '\0') thousands_ = number.thousands;
  has_fraction_ |= number.has_fraction;
  n_lists_ += number.n_groups > 1 ? 1 : 0;
  if (number.unit.empty() && number.n_colons == 0) return add_bare(number.value, cell, line);
  ++n_cells_;
  add_value(number.value);
  for (Kind& kind : kinds_) {
    if (kind.n_colons != number.n_colons || !is_same_unit(kind.unit, number.unit)) continue;
    ++kind.first.count;
    return;
  }
  if (kinds_.size() < kMaxKinds) {
    kinds_.push_back({std::string(number.unit), number.n_colons, {std::string(cell), line, 1}});
  } else {
    ++n_unlisted_;
  }
}

void CellTally::add_with_other_mark(const WrittenNumber& number, std::string_view cell, std::size_t line) {
  WrittenNumber same = number;
  same.thousands = '\0';  // it is the mark of these cells only
  add(same, cell, line);
  ++n_against_;
  if (other_mark_.count++ == 0) other_mark_ = {std::string(cell), line, 1};
}

void CellTally::add_stray(std::string_view cell, std::size_t line) {
  ++n_cells_;
  ++n_against_;
  for (StrayCell& stray : strays_) {
    if (stray.text != cell) continue;
    ++stray.count;
    return;
  }
  if (strays_.size() < kMaxListed) {
    strays_.push_back({std::string(cell), line, 1});
  } else {
    ++n_unlisted_;
  }
}

const CellTally::Kind* CellTally::main_kind() const {
  const auto most =
      std::max_element(kinds_.begin(), kinds_.end(), [](const Kind& a, const Kind& b) { return a.first.count < b.first.count; });
  return most == kinds_.end() || most->first.count < n_bare_ ? nullptr : &*most;
}

bool CellTally::holds_amounts() const { return kinds_.size() == 1 && is_currency(kinds_.front().unit); }

bool CellTally::is_accepted(const Kind& kind) const {
  const Kind* main = main_kind();
  if (main == nullptr) return holds_amounts();
  return &kind == main || (kind.n_colons == 0 && main->n_colons == 0 && find_conversion(kind.unit, main->unit).has_value());
}

std::size_t CellTally::n_strays() const {
  std::size_t n_wrong = n_cells_ - n_zeros_;
  if (main_kind() == nullptr || holds_amounts()) n_wrong -= n_bare_;
  for (const Kind& kind : kinds_) n_wrong -= is_accepted(kind) ? kind.first.count : 0;
  return n_wrong;
}

std::optional<double> CellTally::value_of(const WrittenNumber& number) const {
  if (!number.is_number) return std::nullopt;
  const Kind* main = main_kind();
  const bool is_bare = number.unit.empty() && number.n_colons == 0;
  if (is_bare && (main == nullptr || number.value == 0.0 || holds_amounts())) return number.value;
  if (is_bare) return std::nullopt;
  const auto kind = std::find_if(kinds_.begin(), kinds_.end(), [&](const Kind& one) {
    return one.n_colons == number.n_colons && is_same_unit(one.unit, number.unit);
  });
  if (kind == kinds_.end() || !is_accepted(*kind)) return std::nullopt;
  return main == nullptr || &*kind == main ? number.value : (*find_conversion(kind->unit, main->unit))(number.value);
}

StrayCell CellTally::converted() const {
  StrayCell result;
  const Kind* main = main_kind();
  for (const Kind& kind : kinds_) {
    if (main == nullptr || &kind == main || !is_accepted(kind)) continue;
    if (result.count == 0) result = {kind.first.text, kind.first.line, 0};
    result.count += kind.first.count;
  }
  return result;
}

StrayCell CellTally::without_currency() const {
  if (n_bare_ == 0 || !holds_amounts()) return {};
  if (main_kind() == nullptr) return kinds_.front().first;
  return {first_bare_.text, first_bare_.line, n_bare_};
}

std::vector<StrayCell> CellTally::strays() const {
  std::vector<StrayCell> result = strays_;
  const Kind* main = main_kind();
  for (const Kind& kind : kinds_) {
    if (!is_accepted(kind)) result.push_back(kind.first);
  }
  if (main != nullptr && n_bare_ > 0 && !holds_amounts()) result.push_back({first_bare_.text, first_bare_.line, n_bare_});
  std::sort(result.begin(), result.end(), [](const StrayCell& a, const StrayCell& b) { return a.line < b.line; });
  return result;
}

bool CellTally::holds_numbers() const {
  const std::size_t n_wrong = n_strays();
  if (n_wrong == 0) return n_cells_ > 0;
  if (n_numbers() == 0) return false;
  std::size_t n_missing = 0;
  std::size_t n_points = 0;
  for (const StrayCell& stray : strays_) {
    n_points += stray.text == "." ? stray.count : 0;
    n_missing += is_missing_word(stray.text) ? stray.count : 0;
    // Such as 10+ or <5: a value, and not a slip.
    if (stray.count > 1 && has_digit(stray.text) && !is_missing_word(stray.text)) return false;
  }
  // Stata and SAS write a point for a missing number.
  if (n_points == n_wrong) return true;
  if (!has_many_values()) return kMinNumbersPerSlip * n_wrong <= n_cells_;
  return 2 * n_numbers() >= n_cells_ && 10 * (n_wrong - n_missing) <= n_cells_;
}

bool CellTally::has_missing_words_only() const {
  return n_unlisted_ == 0 && strays().size() == strays_.size() &&
         std::all_of(strays_.begin(), strays_.end(), [](const StrayCell& stray) { return is_missing_word(stray.text); });
}

bool CellTally::may_hold_numbers() const {
  return 2 * n_numbers() >= n_cells_ ||
         (n_unlisted_ == 0 &&
          std::all_of(strays_.begin(), strays_.end(), [](const StrayCell& stray) { return is_missing_word(stray.text); }));
}

bool CellTally::holds_mostly_numbers() const { return (has_many_values() ? 2 : kMinNumbersPerStray) * n_strays() <= n_cells_; }

WrittenNumber read_cell(std::string_view cell, char decimal, char thousands) {
  // Most cells need no more than from_chars, which takes a decimal point.
  std::array<char, kMaxFast> copy;
  std::string_view pointed = cell;
  const std::size_t mark = cell.find(decimal);
  if (decimal == ',' && cell.size() <= kMaxFast && cell.find('.') == std::string_view::npos) {
    std::copy(cell.begin(), cell.end(), copy.begin());
    if (mark != std::string_view::npos) copy[mark] = '.';
    pointed = {copy.data(), cell.size()};
  }
  if (decimal == '.' || pointed.data() == copy.data()) {
    const NumberReading plain = read_number(pointed);
    if (plain.reading == Reading::kNumber && !has_leading_zero(pointed)) {
      return {.is_number = true, .value = plain.value, .has_fraction = mark != std::string_view::npos};
    }
  }
  const std::string_view any = decimal == '.' ? ",' " : ".' ";
  const std::string_view given(&thousands, 1);
  return read_written_number(cell, {decimal, thousands == '\0' ? any : thousands == 'n' ? "" : given});
}

void ColumnEvidence::note_size(std::string_view cell) {
  min_size_ = std::min(min_size_, cell.size());
  max_size_ = std::max(max_size_, cell.size());
}

void ColumnEvidence::note_inexact(double value, std::string_view cell, std::size_t line) {
  if (std::abs(value) >= kMaxExact && inexact_.count++ == 0) inexact_ = {std::string(cell), line, 1};
}

void ColumnEvidence::note_magnitude(std::string_view cell, std::size_t line) {
  if (magnitude_.count++ == 0) magnitude_ = {std::string(cell), line, 1};
  has_billions_only_ &= cell.ends_with('B');
}

void ColumnEvidence::note_last_minus(std::string_view cell, std::size_t line) {
  ++n_last_minuses_;
  if (cell.size() == 2 && grade_.count++ == 0) grade_ = {std::string(cell), line, 1};
}

bool ColumnEvidence::add(const Cell& cell, std::size_t line, double& value) {
  const NumberReading plain = read_number(cell.text);
  if (cell.is_number && plain.reading == Reading::kNumber) {
    value = plain.value;
    add_stored(value, cell.text, line);
    return true;
  }
  if (plain.reading == Reading::kText || has_leading_zero(cell.text)) {
    is_plain_ = false;
    add_marked(nullptr, cell.text, line);
    return false;
  }
  value = plain.value;
  note_size(cell.text);
  if (plain.reading == Reading::kInfinite && infinity_line_ == 0) infinity_line_ = line;
  if (cell.text.find('.') != std::string_view::npos) {
    has_points_ = true;
    const WrittenNumber point{.is_number = plain.reading == Reading::kNumber, .value = value, .has_fraction = true};
    add_marked(&point, cell.text, line);
    return true;
  }
  const std::size_t exponent = cell.text.find_first_of("eE");
  if (exponent == std::string_view::npos) {
    note_inexact(value, cell.text, line);
  } else if (cell.text.find_first_of("+-", exponent) == std::string_view::npos && power_.count++ == 0) {
    power_ = {std::string(cell.text), line, 1};
  }
  ++(std::abs(value) < 1000.0 ? n_short_ : n_long_);
  point_.add_bare(value, cell.text, line);
  comma_.add_bare(value, cell.text, line);
  return true;
}

void ColumnEvidence::add_stored(double value, std::string_view cell, std::size_t line) {
  note_size(cell);
  const bool is_whole = value == std::floor(value);
  if (is_whole) note_inexact(value, cell, line);
  // Marks in text beside whole numbers are probably between thousands.
  ++(is_whole ? n_short_ : n_long_);
  point_.add_stored(value, cell, line);
  comma_.add_stored(value, cell, line);
}

void ColumnEvidence::add_marked(const WrittenNumber* plain, std::string_view cell, std::size_t line) {
  const bool may_be_read = may_be_number(cell);
  const auto read = [&](char decimal) { return may_be_read ? read_cell(cell, decimal, thousands_) : WrittenNumber(); };
  // A hopeless reading is tried only if the other one fails.
  bool is_point_read = plain != nullptr || point_.n_against() <= comma_.n_against() + kHopeless;
  WrittenNumber point = plain != nullptr ? *plain : is_point_read ? read('.') : WrittenNumber();
  const bool is_comma_read = comma_.n_against() <= point_.n_against() + kHopeless || !point.is_number;
  const WrittenNumber comma = is_comma_read ? read(',') : WrittenNumber();
  if (!is_point_read && !comma.is_number) {
    is_point_read = true;
    point = read('.');
  }
  if ((point.is_code || comma.is_code) && code_.count++ == 0) code_ = {std::string(cell), line, 1};
  const WrittenNumber& number = point.is_number ? point : comma;
  if (plain == nullptr && number.is_number) note_size(cell);
  if (number.is_number && !number.has_fraction && n_digits(cell) >= kMinRounded) note_inexact(number.value, cell, line);
  if (!point.is_number && is_address(cell)) ++n_addresses_;
  if (number.has_magnitude && number.unit.empty()) note_magnitude(cell, line);
  if (point.has_last_minus || comma.has_last_minus) note_last_minus(cell, line);
  const auto count = [&](CellTally& tally, const WrittenNumber& own, const WrittenNumber& other, bool is_read) {
    if (own.is_number) {
      tally.add(own, cell, line);
    } else if (!is_read) {
      tally.add_unread();
    } else if (other.is_number) {
      tally.add_with_other_mark(other, cell, line);
    } else {
      tally.add_stray(cell, line);
    }
  };
  count(point_, point, comma, is_point_read);
  count(comma_, comma, point, is_comma_read);
  if (point.is_number && comma.is_number) {
    if (point.value != comma.value) {
      ++n_differ_;
      mark_ = point.has_fraction ? '.' : ',';
    } else {
      ++(std::abs(point.value) < 1000.0 ? n_short_ : n_long_);
    }
  }
}

StrayCell ColumnEvidence::magnitude() const {
  const bool has_bare_numbers = magnitude_.count < point_.n_numbers() && !has_billions_only_;
  const bool are_quantities = point_.has_fraction() || comma_.has_fraction() || has_bare_numbers;
  return are_quantities ? StrayCell() : magnitude_;
}

char ColumnEvidence::better_decimal() const {
  if (has_addresses()) return '\0';
  const std::size_t with_point = point_.n_strays() + point_.other_mark().count;
  const std::size_t with_comma = comma_.n_strays() + comma_.other_mark().count;
  return with_point == with_comma ? '\0' : with_point < with_comma ? '.' : ',';
}

char ColumnEvidence::proved_decimal() const {
  const char better = better_decimal();
  return better != '\0' && tally(better).holds_numbers() && !tally(better).is_divided() ? better : '\0';
}

char ColumnEvidence::usual_decimal() const {
  const char better = better_decimal();
  return better != '\0' && tally(better).holds_mostly_numbers() ? better : '\0';
}

bool ColumnEvidence::is_doubtful() const {
  return n_differ_ > 0 && better_decimal() == '\0' && point_.holds_numbers() && !point_.is_divided();
}

char ColumnEvidence::likely_decimal() const {
  const bool divides_thousands = n_short_ > 0 && n_long_ == 0;
  const char other = mark_ == '.' ? ',' : '.';
  return divides_thousands ? other : mark_;
}

}  // namespace sightline::table
