#include "sightline/table/number.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>

#include "sightline/runtime/decimal.hpp"

namespace sightline::table {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view without_sign(std::string_view text) {
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
  return text;
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

// Distinguishes 1e999 from 1e-999, for which from_chars reports the same error: adds the exponent to
// the decimal place of the first nonzero digit, counted from the point.
bool is_beyond_doubles(std::string_view digits) {
  const std::size_t mark = std::min(digits.find_first_of("eE"), digits.size());
  const std::string_view mantissa = digits.substr(0, mark);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t first = std::min(mantissa.find_first_not_of("0."), mantissa.size());
  const auto place = static_cast<long long>(point) - static_cast<long long>(first);
  long long exponent = 0;
  if (mark < digits.size()) {
    std::string_view tail = digits.substr(mark + 1);
    const bool negative = tail.front() == '-';
    tail = without_sign(tail);
    const auto result = std::from_chars(tail.data(), tail.data() + tail.size(), exponent);
    // Halved, so that adding the place cannot overflow.
    if (result.ec == std::errc::result_out_of_range) exponent = std::numeric_limits<long long>::max() / 2;
    if (negative) exponent = -exponent;
  }
  return place + exponent > 0;
}

}  // namespace

NumberReading read_number(std::string_view text) {
  const std::string_view digits = without_sign(text);
  if (digits.empty()) return {Reading::kText, 0.0};
  if (!is_digit(digits.front()) && digits.front() != '.') {
    const bool infinite = equals_ignoring_case(digits, "inf") || equals_ignoring_case(digits, "infinity");
    return {infinite ? Reading::kInfinite : Reading::kText, 0.0};
  }
  const bool negative = text.front() == '-';
  double value = 0.0;
  const auto [end, error] = runtime::read_decimal(digits.data(), digits.data() + digits.size(), value);
  if (end != digits.data() + digits.size()) return {Reading::kText, 0.0};
  if (error == std::errc::result_out_of_range) {
    if (is_beyond_doubles(digits)) return {Reading::kInfinite, 0.0};
    value = 0.0;
  }
  return {Reading::kNumber, negative ? -value : value};
}

bool has_leading_zero(std::string_view text) {
  const std::string_view digits = without_sign(text);
  return digits.size() > 1 && digits[0] == '0' && is_digit(digits[1]);
}

}  // namespace sightline::table
