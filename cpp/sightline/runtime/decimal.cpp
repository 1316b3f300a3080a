#include "sightline/runtime/decimal.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#if defined(__APPLE__)
#include <xlocale.h>
#else
#include <locale.h>
#endif

namespace sightline::runtime {
namespace {

#ifdef _WIN32
const _locale_t kPlain = _create_locale(LC_ALL, "C");
double read(const char* text, char** end, double) { return _strtod_l(text, end, kPlain); }
float read(const char* text, char** end, float) { return _strtof_l(text, end, kPlain); }
#else
const locale_t kPlain = newlocale(LC_ALL_MASK, "C", nullptr);
double read(const char* text, char** end, double) { return strtod_l(text, end, kPlain); }
float read(const char* text, char** end, float) { return strtof_l(text, end, kPlain); }
#endif

template <class Number>
std::from_chars_result read_prefix(const char* begin, const char* end, Number& value) {
  // strtod would also take blanks, a plus and hexadecimal digits.
  const char* const decimal_end =
      std::find_if_not(begin, end, [](char c) { return std::string_view("0123456789.eE+-").find(c) != std::string_view::npos; });
  const std::string decimal(begin, decimal_end);
  if (decimal.empty() || decimal.front() == '+') return {begin, std::errc::invalid_argument};
  char* read_end = nullptr;
  errno = 0;
  const Number number = read(decimal.c_str(), &read_end, Number{});
  if (read_end == decimal.c_str()) return {begin, std::errc::invalid_argument};
  const char* const stop = begin + (read_end - decimal.c_str());
  // It also reports numbers below the normal ones, which are read.
  if (errno == ERANGE && (number == 0 || std::isinf(number))) return {stop, std::errc::result_out_of_range};
  value = number;
  return {stop, std::errc()};
}

}  // namespace

std::from_chars_result read_decimal_by_strtod(const char* begin, const char* end, double& value) {
  return read_prefix(begin, end, value);
}

std::from_chars_result read_decimal_by_strtod(const char* begin, const char* end, float& value) {
  return read_prefix(begin, end, value);
}

}  // namespace sightline::runtime
