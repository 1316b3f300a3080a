#include "sightline/load/number_list.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <stdexcept>
#include <string>

#include "sightline/table/number.hpp"

namespace sightline::load {
namespace {

bool read_entry(std::string_view entry, double& value) {
  const table::NumberReading reading = table::read_number(entry);
  value = reading.value;
  if (reading.reading == table::Reading::kInfinite) {
    value = entry.front() == '-' ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  }
  return reading.reading != table::Reading::kText;
}

bool read_entry(std::string_view entry, std::int64_t& value) {
  const auto [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), value);
  return error == std::errc() && end == entry.data() + entry.size();
}

template <class T>
std::vector<T> read_list(std::string_view text, const char* what) {
  std::vector<T> result;
  if (text.empty()) return result;
  result.reserve(static_cast<std::size_t>(std::count(text.begin(), text.end(), ' ')) + 1);
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    T value;
    if (!read_entry(text.substr(begin, end - begin), value)) {
      throw std::invalid_argument("entry " + std::to_string(result.size()) + " is " + what);
    }
    result.push_back(value);
    begin = end + 1;
  }
  return result;
}

}  // namespace

std::vector<double> read_numbers(std::string_view text) { return read_list<double>(text, "not a number"); }

std::vector<std::int64_t> read_integers(std::string_view text) { return read_list<std::int64_t>(text, "not a whole number"); }

}  // namespace sightline::load
