// Reading numbers by strtod, where the library has no from_chars for them, against from_chars.
#include <charconv>
#include <clocale>
#include <cstring>
#include <random>
#include <sstream>
#include <string>

#include "check.hpp"
#include "sightline/runtime/decimal.hpp"

using sightline::runtime::read_decimal_by_strtod;

namespace {

template <class Number>
bool is_read_alike(const std::string& text) {
  constexpr Number kBefore = 17;
  Number expected = kBefore;
  Number found = kBefore;
  const char* const begin = text.data();
  const auto [expected_end, expected_error] = std::from_chars(begin, begin + text.size(), expected);
  const auto [end, error] = read_decimal_by_strtod(begin, begin + text.size(), found);
  return end == expected_end && error == expected_error && std::memcmp(&found, &expected, sizeof found) == 0;
}

void check(const std::string& text) {
  const bool is_alike = is_read_alike<double>(text) && is_read_alike<float>(text);
  if (!is_alike) std::fprintf(stderr, "read otherwise: '%s'\n", text.c_str());
  CHECK(is_alike);
}

void hard_numbers_are_read_alike() {
  std::istringstream words(
      "- + +1 . -. .5 5. 1e 1e+ 1e5 1E-5 1.5.2 --1 1-2 0x10 1,5 0 -0 -0.0 00012 x 1x 16777217 9007199254740993 "
      "1e400 -1e400 1e-400 1e39 1e-46 1e-45 4.9e-324 2.4e-324 2.2250738585072011e-308 1.7976931348623157e308 "
      "1.7976931348623159e308 0.1000000000000000055511151231257827021181583404541015625");
  for (std::string word; words >> word;) check(word);
  for (const char* text : {"", " 1", "1 "}) check(text);
}

void random_numbers_are_read_alike() {
  std::mt19937 random(0);
  const std::string alphabet = "0123456789012345678901234567890123456789.eE+-";
  for (int i = 0; i < 20000; ++i) {
    std::string text(std::uniform_int_distribution<std::size_t>(1, 24)(random), ' ');
    for (char& c : text) c = alphabet[std::uniform_int_distribution<std::size_t>(0, alphabet.size() - 1)(random)];
    check(text);
  }
}

void the_locale_does_not_matter() {
  for (const char* name : {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8"}) std::setlocale(LC_NUMERIC, name);
  check("1.5");
  check("1,5");
  std::setlocale(LC_NUMERIC, "C");
}

}  // namespace

int main() {
  hard_numbers_are_read_alike();
  random_numbers_are_read_alike();
  the_locale_does_not_matter();
  return finish();
}
