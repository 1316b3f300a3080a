#include "sightline/table/missing_words.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace sightline::table {
namespace {

constexpr std::size_t kMaxMarker = 8;
constexpr std::size_t kMaxError = 24;

// Of R, pandas, databases and C libraries.
constexpr auto kMarkers = std::to_array<std::string_view>(
    {"",       "?",    "NA",       "N/A",  "n/a",  "NaN",     "nan",      "NAN",    "NULL",   "null",
     "Null",   "None", "NaT",      "\\N",  "<NA>", "<null>",  "<NULL>",   "(null)", "(NULL)", "[null]",
     "[NULL]", "#NA",  "#N/A N/A", "-nan", "-NaN", "1.#QNAN", "-1.#QNAN", "1.#IND", "-1.#IND"});

// Errors that do not end with a mark, in the languages of Excel.
constexpr auto kErrors = std::to_array<std::string_view>({"#N/A", "#NV", "#N/D", "#N/B", "#GETTING_DATA"});

// Words that people write for a missing value. Anything else in a column of numbers must be rare.
constexpr auto kMissingWords = std::to_array<std::string_view>({".",
                                                                "-",
                                                                "--",
                                                                "---",
                                                                "*",
                                                                "...",
                                                                "unknown",
                                                                "missing",
                                                                "none",
                                                                "nil",
                                                                "n.a.",
                                                                "n.a",
                                                                "na",
                                                                "n/a",
                                                                "n.d.",
                                                                "k.a.",
                                                                "k. a.",
                                                                "not available",
                                                                "not applicable",
                                                                "tbd",
                                                                "null",
                                                                "keine angabe",
                                                                "unbekannt",
                                                                "inconnu",
                                                                "(null)",
                                                                "[null]",
                                                                "-nan",
                                                                "1.#qnan",
                                                                "-1.#ind",
                                                                "1.#ind",
                                                                "#n/a n/a",
                                                                "#na",
                                                                "._",
                                                                "–",
                                                                "—",
                                                                "n.v.",
                                                                "n/d",
                                                                "n.c.",
                                                                "o.a.",
                                                                "o. a.",
                                                                "s.d.",
                                                                "tba",
                                                                "no data",
                                                                "not known",
                                                                "ohne angabe",
                                                                "nicht bekannt",
                                                                "nicht verfügbar",
                                                                "non renseigné",
                                                                "desconocido",
                                                                "sconosciuto",
                                                                "onbekend",
                                                                "(blank)",
                                                                "(leer)",
                                                                "(vide)"});

bool is_in_capitals(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == ' '; });
}

}  // namespace

bool is_missing_marker(std::string_view cell) {
  return cell.size() <= kMaxMarker && std::find(kMarkers.begin(), kMarkers.end(), cell) != kMarkers.end();
}

bool is_spreadsheet_error(std::string_view cell) {
  if (cell.size() < 3 || cell.size() > kMaxError) return false;
  // LibreOffice writes the number of its own errors.
  if (cell.size() == 7 && cell.starts_with("Err:")) return cell.find_first_not_of("0123456789", 4) == std::string_view::npos;
  if (cell.front() != '#') return false;
  if (std::find(kErrors.begin(), kErrors.end(), cell) != kErrors.end()) return true;
  return (cell.back() == '!' || cell.back() == '?') && is_in_capitals(cell);
}

bool is_missing_word(std::string_view cell) {
  if (is_spreadsheet_error(cell)) return true;
  // .a to .z are missing values of Stata and SAS.
  if (cell.size() == 2 && cell[0] == '.' && ((cell[1] >= 'a' && cell[1] <= 'z') || (cell[1] >= 'A' && cell[1] <= 'Z')))
    return true;
  std::string word(cell);
  for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return std::find(kMissingWords.begin(), kMissingWords.end(), word) != kMissingWords.end();
}

}  // namespace sightline::table
