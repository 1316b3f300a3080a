// Units beside numbers: which are the same, and which can be converted into each other.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace sightline::table {

// Turns a value of one unit into that of another. The product comes before the quotient, so that 1340 g are
// exactly 1.34 kg.
struct Conversion {
  double times = 1.0;
  double by = 1.0;
  double plus = 0.0;

  double operator()(double value) const { return value * times / by + plus; }
  bool is_identity() const { return times == by && plus == 0.0; }
};

// How to convert numbers of one unit into another of the same quantity, such as g into kg, or nothing. An m is
// a meter beside km, a minute beside h and a month beside years.
std::optional<Conversion> find_conversion(std::string_view from, std::string_view to);

// Signs and names of currencies that may stand before a number, longer ones first.
inline constexpr auto kCurrencies = std::to_array<std::string_view>({
    "US$", "R$",  "A$",  "C$",  "$",   "€",   "£",   "¥",   "₹",   "₽",   "₩",   "₺",   "₪",   "฿",   "₫",   "EUR", "USD", "GBP",
    "CHF", "Fr.", "JPY", "CNY", "INR", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "AUD", "CAD", "BRL", "Rs.", "Rs",  "kr",
});

bool is_currency(std::string_view unit);

// Whether two units are the same apart from case, a final point, a plural s and the choice of the word, such as
// h and hours, or € and EUR. An mW is not a MW, and a Mb is not a MB.
bool is_same_unit(std::string_view first, std::string_view second);

}  // namespace sightline::table
