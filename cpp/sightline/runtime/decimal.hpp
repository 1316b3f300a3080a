// std::from_chars for doubles and floats, on every standard library.
#pragma once

#include <charconv>
#include <concepts>
#include <version>

namespace sightline::runtime {

// As std::from_chars does, for a decimal number that may have a minus: same end, same error, and a value that
// stays where there is an error. By strtod in the "C" locale, whatever the locale of the process; several times slower.
std::from_chars_result read_decimal_by_strtod(const char* begin, const char* end, double& value);
std::from_chars_result read_decimal_by_strtod(const char* begin, const char* end, float& value);

// Apple's libc++ reads only whole numbers; the macro shows whether a library is complete.
template <std::floating_point Number>
std::from_chars_result read_decimal(const char* begin, const char* end, Number& value) {
#ifdef __cpp_lib_to_chars
  return std::from_chars(begin, end, value);
#else
  return read_decimal_by_strtod(begin, end, value);
#endif
}

}  // namespace sightline::runtime
