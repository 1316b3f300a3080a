#include "sightline/table/units.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace sightline::table {
namespace {

enum class Quantity : std::uint8_t {
  kTime,
  kAge,
  kLength,
  kMass,
  kVolume,
  kConcentration,
  kSpeed,
  kPressure,
  kEnergy,
  kPower,
  kFrequency,
  kShare,
  kData,
  kCount,
  kTemperature,
};

struct Unit {
  std::string_view name;
  Quantity quantity;
  double size;  // in the smallest unit of its quantity, or one that makes most sizes whole numbers
  double zero = 0.0;
};

// Months and days are apart: a month has no fixed number of days.
constexpr auto kUnits = std::to_array<Unit>({
    {"ns", Quantity::kTime, 1},
    {"us", Quantity::kTime, 1e3},
    {"µs", Quantity::kTime, 1e3},
    {"ms", Quantity::kTime, 1e6},
    {"s", Quantity::kTime, 1e9},
    {"sec", Quantity::kTime, 1e9},
    {"second", Quantity::kTime, 1e9},
    {"Sek", Quantity::kTime, 1e9},
    {"Sekunde", Quantity::kTime, 1e9},
    {"Sekunden", Quantity::kTime, 1e9},
    {"m", Quantity::kTime, 6e10},
    {"min", Quantity::kTime, 6e10},
    {"minute", Quantity::kTime, 6e10},
    {"Minuten", Quantity::kTime, 6e10},
    {"h", Quantity::kTime, 3.6e12},
    {"hr", Quantity::kTime, 3.6e12},
    {"hour", Quantity::kTime, 3.6e12},
    {"heure", Quantity::kTime, 3.6e12},
    {"Std", Quantity::kTime, 3.6e12},
    {"Stunde", Quantity::kTime, 3.6e12},
    {"Stunden", Quantity::kTime, 3.6e12},
    {"d", Quantity::kTime, 8.64e13},
    {"day", Quantity::kTime, 8.64e13},
    {"jour", Quantity::kTime, 8.64e13},
    {"Tag", Quantity::kTime, 8.64e13},
    {"Tage", Quantity::kTime, 8.64e13},
    {"wk", Quantity::kTime, 6.048e14},
    {"week", Quantity::kTime, 6.048e14},
    {"Woche", Quantity::kTime, 6.048e14},
    {"Wochen", Quantity::kTime, 6.048e14},
    {"m", Quantity::kAge, 1},
    {"mo", Quantity::kAge, 1},
    {"mon", Quantity::kAge, 1},
    {"mth", Quantity::kAge, 1},
    {"month", Quantity::kAge, 1},
    {"mois", Quantity::kAge, 1},
    {"Monat", Quantity::kAge, 1},
    {"Monate", Quantity::kAge, 1},
    {"y", Quantity::kAge, 12},
    {"yr", Quantity::kAge, 12},
    {"year", Quantity::kAge, 12},
    {"ans", Quantity::kAge, 12},
    {"Jahr", Quantity::kAge, 12},
    {"Jahre", Quantity::kAge, 12},
    {"µm", Quantity::kLength, 1e-3},
    {"mm", Quantity::kLength, 1},
    {"cm", Quantity::kLength, 10},
    {"dm", Quantity::kLength, 100},
    {"m", Quantity::kLength, 1e3},
    {"meter", Quantity::kLength, 1e3},
    {"km", Quantity::kLength, 1e6},
    {"in", Quantity::kLength, 25.4},
    {"inch", Quantity::kLength, 25.4},
    {"inches", Quantity::kLength, 25.4},
    {"ft", Quantity::kLength, 304.8},
    {"foot", Quantity::kLength, 304.8},
    {"feet", Quantity::kLength, 304.8},
    {"yd", Quantity::kLength, 914.4},
    {"yard", Quantity::kLength, 914.4},
    {"mi", Quantity::kLength, 1609344},
    {"mile", Quantity::kLength, 1609344},
    {"µg", Quantity::kMass, 1e-3},
    {"ug", Quantity::kMass, 1e-3},
    {"mcg", Quantity::kMass, 1e-3},
    {"mg", Quantity::kMass, 1},
    {"g", Quantity::kMass, 1e3},
    {"gr", Quantity::kMass, 1e3},
    {"gram", Quantity::kMass, 1e3},
    {"kg", Quantity::kMass, 1e6},
    {"kilo", Quantity::kMass, 1e6},
    {"t", Quantity::kMass, 1e9},
    {"tonne", Quantity::kMass, 1e9},
    {"oz", Quantity::kMass, 28349.523125},
    {"lb", Quantity::kMass, 453592.37},
    {"µl", Quantity::kVolume, 1e-3},
    {"ml", Quantity::kVolume, 1},
    {"cl", Quantity::kVolume, 10},
    {"dl", Quantity::kVolume, 100},
    {"l", Quantity::kVolume, 1e3},
    {"L", Quantity::kVolume, 1e3},
    {"liter", Quantity::kVolume, 1e3},
    {"litre", Quantity::kVolume, 1e3},
    {"hl", Quantity::kVolume, 1e5},
    {"ng/ml", Quantity::kConcentration, 1},
    {"µg/l", Quantity::kConcentration, 1},
    {"mg/l", Quantity::kConcentration, 1e3},
    {"mg/dl", Quantity::kConcentration, 1e4},
    {"g/l", Quantity::kConcentration, 1e6},
    {"mg/ml", Quantity::kConcentration, 1e6},
    {"g/dl", Quantity::kConcentration, 1e7},
    {"km/h", Quantity::kSpeed, 1},
    {"kmh", Quantity::kSpeed, 1},
    {"kph", Quantity::kSpeed, 1},
    {"mph", Quantity::kSpeed, 1.609344},
    {"m/s", Quantity::kSpeed, 3.6},
    {"Pa", Quantity::kPressure, 1},
    {"hPa", Quantity::kPressure, 100},
    {"mbar", Quantity::kPressure, 100},
    {"kPa", Quantity::kPressure, 1e3},
    {"bar", Quantity::kPressure, 1e5},
    {"MPa", Quantity::kPressure, 1e6},
    {"Wh", Quantity::kEnergy, 1},
    {"kWh", Quantity::kEnergy, 1e3},
    {"MWh", Quantity::kEnergy, 1e6},
    {"GWh", Quantity::kEnergy, 1e9},
    {"mW", Quantity::kPower, 1},
    {"W", Quantity::kPower, 1e3},
    {"kW", Quantity::kPower, 1e6},
    {"MW", Quantity::kPower, 1e9},
    {"GW", Quantity::kPower, 1e12},
    {"Hz", Quantity::kFrequency, 1},
    {"kHz", Quantity::kFrequency, 1e3},
    {"MHz", Quantity::kFrequency, 1e6},
    {"GHz", Quantity::kFrequency, 1e9},
    {"bp", Quantity::kShare, 1},
    {"bps", Quantity::kShare, 1},
    {"‰", Quantity::kShare, 10},
    {"%", Quantity::kShare, 100},
    {"pct", Quantity::kShare, 100},
    {"percent", Quantity::kShare, 100},
    {"Prozent", Quantity::kShare, 100},
    {"KB", Quantity::kData, 1e3},
    {"MB", Quantity::kData, 1e6},
    {"GB", Quantity::kData, 1e9},
    {"TB", Quantity::kData, 1e12},
    {"KiB", Quantity::kData, 1024},
    {"MiB", Quantity::kData, 1048576},
    {"GiB", Quantity::kData, 1073741824},
    {"thousand", Quantity::kCount, 1e3},
    {"Tsd", Quantity::kCount, 1e3},
    {"million", Quantity::kCount, 1e6},
    {"mn", Quantity::kCount, 1e6},
    {"Mio", Quantity::kCount, 1e6},
    {"billion", Quantity::kCount, 1e9},
    {"bn", Quantity::kCount, 1e9},
    {"Mrd", Quantity::kCount, 1e9},
    {"°C", Quantity::kTemperature, 9},
    {"°F", Quantity::kTemperature, 5, -160},
});

// Signs and other names of currencies with their codes. In a column with $ and USD, the dollar is that of the USA.
constexpr auto kCurrencyCodes = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"$", "USD"},
    {"US$", "USD"},
    {"€", "EUR"},
    {"Euro", "EUR"},
    {"£", "GBP"},
    {"Fr", "CHF"},
    {"₹", "INR"},
    {"Rs", "INR"},
});

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string_view without_plural(std::string_view unit) {
  if (unit.ends_with('.')) unit.remove_suffix(1);
  if (unit.size() > 2 && lower(unit.back()) == 's') unit.remove_suffix(1);
  return unit;
}

bool is_same_word(std::string_view first, std::string_view second) {
  return std::equal(first.begin(), first.end(), second.begin(), second.end(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

// Units whose capital alone makes another unit: tonnes and milligrams, kilocalories and calories.
constexpr auto kCapitals = std::to_array<std::pair<std::string_view, std::string_view>>({{"Mg", "mg"}, {"Cal", "cal"}});

// Whether two words differ as mW and MW do: the case of the first letter makes a million of a thousandth.
bool differ_by_prefix(std::string_view first, std::string_view second) {
  return first.size() > 1 && first.size() == second.size() && first[0] != second[0] && lower(first[0]) == 'm' &&
         first[1] >= 'A' && first[1] <= 'Z' && first.substr(1) == second.substr(1);
}

// Whether two words differ as Mb/s and MB/s do, which are bits and bytes.
bool differ_by_bits(std::string_view first, std::string_view second) {
  constexpr std::string_view kPrefixes = "kKMGTP";
  if (first.size() < 2 || first.size() != second.size() || kPrefixes.find(first[0]) == std::string_view::npos) return false;
  const std::size_t at = first[1] == 'i' && first.size() > 2 ? 2 : 1;
  const std::string_view rest = first.substr(at + 1);
  return first[at] != second[at] && lower(first[at]) == 'b' && first.substr(0, at) == second.substr(0, at) &&
         rest == second.substr(at + 1) && (rest.empty() || rest[0] == '/' || rest[0] == 'p');
}

// Whether two words that are the same apart from case are different units.
bool differ_by_case(std::string_view first, std::string_view second) {
  const std::pair<std::string_view, std::string_view> words = std::minmax(first, second);
  return differ_by_prefix(first, second) || differ_by_bits(first, second) ||
         std::find(kCapitals.begin(), kCapitals.end(), words) != kCapitals.end();
}

// Whether a word names a unit of the table. The case of single letters counts: S and H are not seconds and hours.
bool is_named(const Unit& unit, std::string_view word) {
  const std::string_view name = without_plural(unit.name);
  return name == word || (name.size() > 1 && is_same_word(name, word) && !differ_by_case(name, word));
}

std::string_view currency_code(std::string_view unit) {
  const auto found = std::find_if(kCurrencyCodes.begin(), kCurrencyCodes.end(),
                                  [&](const auto& currency) { return is_same_word(currency.first, unit); });
  return found == kCurrencyCodes.end() ? unit : found->second;
}

}  // namespace

std::optional<Conversion> find_conversion(std::string_view from, std::string_view to) {
  from = without_plural(from);
  to = without_plural(to);
  for (const Unit& source : kUnits) {
    if (!is_named(source, from)) continue;
    for (const Unit& unit : kUnits) {
      if (unit.quantity != source.quantity || !is_named(unit, to)) continue;
      return Conversion{source.size, unit.size, (source.zero - unit.zero) / unit.size};
    }
  }
  return std::nullopt;
}

bool is_currency(std::string_view unit) {
  return std::any_of(kCurrencies.begin(), kCurrencies.end(),
                     [&](std::string_view name) { return is_same_word(name, currency_code(unit)); });
}

bool is_same_unit(std::string_view first, std::string_view second) {
  if (first == second) return true;
  const std::string_view word = without_plural(first);
  const std::string_view other = without_plural(second);
  if (differ_by_case(word, other)) return false;
  if (is_same_word(currency_code(word), currency_code(other))) return true;
  const std::optional<Conversion> conversion = find_conversion(first, second);
  return conversion.has_value() && conversion->is_identity();
}

}  // namespace sightline::table
