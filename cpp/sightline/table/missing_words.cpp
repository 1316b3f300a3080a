#include "sightline/table/missing_words.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace sightline::table {
namespace {

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
                                                                "#div/0!",
                                                                "#num!",
                                                                "#name?",
                                                                "#value!",
                                                                "#ref!",
                                                                "#null!",
                                                                "#wert!",
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
                                                                "#bezug!",
                                                                "._"});

}  // namespace

bool is_missing_word(std::string_view cell) {
  // .a to .z are missing values of Stata and SAS.
  if (cell.size() == 2 && cell[0] == '.' && ((cell[1] >= 'a' && cell[1] <= 'z') || (cell[1] >= 'A' && cell[1] <= 'Z')))
    return true;
  std::string word(cell);
  for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return std::find(kMissingWords.begin(), kMissingWords.end(), word) != kMissingWords.end();
}

}  // namespace sightline::table
