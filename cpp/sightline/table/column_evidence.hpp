// Evidence in the cells of one column on how its numbers are written.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sightline/table/parsed_table.hpp"
#include "sightline/table/record_scanner.hpp"
#include "sightline/table/written_number.hpp"

namespace sightline::table {

// The cells of a column under one decimal mark: how many are numbers, in which units, and which are not.
class CellTally {
 public:
  void add_bare(double value, std::string_view cell, std::size_t line);
  // Adds a number that has no mark, as spreadsheet programs store it.
  void add_stored(double value, std::string_view cell, std::size_t line);
  void add(const WrittenNumber& number, std::string_view cell, std::size_t line);
  // Adds a cell that is a number with the other decimal mark only.
  void add_with_other_mark(const WrittenNumber& number, std::string_view cell, std::size_t line);
  void add_stray(std::string_view cell, std::size_t line);
  // Counts a cell as no number without a look at it.
  void add_unread() {
    ++n_cells_;
    ++n_unlisted_;
    ++n_against_;
  }

  // Cells that are not numbers in the unit of most cells, or in one that can be converted into it.
  std::size_t n_strays() const;
  std::size_t n_numbers() const { return n_cells_ - n_strays(); }
  std::size_t n_cells() const { return n_cells_; }
  // Cells that are not numbers with this decimal mark.
  std::size_t n_against() const { return n_against_; }
  // The unit of most cells, and the colons in them. A bare zero fits every unit.
  std::string_view unit() const { return main_kind() == nullptr ? std::string_view() : main_kind()->unit; }
  int n_colons() const { return main_kind() == nullptr ? 0 : main_kind()->n_colons; }
  // The value of a cell in the unit of most cells, or nothing if it is a stray cell.
  std::optional<double> value_of(const WrittenNumber& number) const;
  char thousands() const { return thousands_; }
  bool has_fraction() const { return has_fraction_; }

  // Whether the column holds numbers, with so few other cells that these are missing values.
  bool holds_numbers() const;
  // The same for a column that is known to hold numbers, which may have few cells.
  bool may_hold_numbers() const;
  // Whether at least half of the cells are numbers, and not just a few different ones beside many other cells.
  bool holds_mostly_numbers() const;
  // Whether the numbers have ten or more different values.
  bool has_many_values() const { return n_values_ == values_.size(); }
  // Whether all cells are numbers without a unit, written in one way.
  bool is_plain() const { return n_strays() == 0 && kinds_.empty() && other_mark_.count == 0; }
  // Whether the column holds many different numbers: not a list of classes. Beside whole numbers, other cells must be words
  // for a missing value.
  bool holds_quantities() const { return has_many_values() && holds_numbers() && (has_fraction_ || has_missing_words_only()); }
  // Whether every number may be a list of whole numbers such as 100,300,500: it has two or more groups and no fraction.
  bool may_hold_lists() const { return !has_fraction_ && n_lists_ > 0 && n_lists_ == n_numbers(); }
  // Whether too many cells have the other decimal mark for either mark to be the column's.
  bool is_divided() const { return 10 * other_mark_.count > n_cells_; }
  // Up to four different cells that are not numbers, in order of appearance.
  std::vector<StrayCell> strays() const;
  // The first cell with the other decimal mark, and their number.
  const StrayCell& other_mark() const { return other_mark_; }
  // The first cell in a unit that is converted, and the number of such cells.
  StrayCell converted() const;
  // The first cell without the currency of others, or with it if most have none, and the number of such cells.
  StrayCell without_currency() const;

 private:
  struct Kind {
    std::string unit;
    int n_colons = 0;
    StrayCell first;  // its count is the number of cells
  };

  const Kind* main_kind() const;
  // Whether all cells that are not numbers are words that people write for a missing value.
  bool has_missing_words_only() const;
  // Whether the cells of a kind are numbers beside those of the main kind.
  bool is_accepted(const Kind& kind) const;
  // Whether the column has one currency, so that numbers without it are amounts too.
  bool holds_amounts() const;
  void add_value(double value);

  std::size_t n_cells_ = 0;
  std::size_t n_against_ = 0;
  std::size_t n_bare_ = 0;  // numbers other than 0 without unit
  std::size_t n_zeros_ = 0;
  std::size_t n_lists_ = 0;  // numbers with two or more groups of thousands
  StrayCell first_bare_;
  StrayCell other_mark_;
  std::vector<Kind> kinds_;
  std::vector<StrayCell> strays_;
  std::size_t n_unlisted_ = 0;  // cells beyond the lists above
  std::array<double, 10> values_{};
  std::size_t n_values_ = 0;
  char thousands_ = '\0';
  bool has_fraction_ = false;
};

// Reads a cell as a number with this decimal mark; `thousands` as in NumberStyle.
WrittenNumber read_cell(std::string_view cell, char decimal, char thousands);

// Counts the cells of one column under both decimal marks.
class ColumnEvidence {
 public:
  // `thousands` as in NumberStyle.
  explicit ColumnEvidence(char thousands) : thousands_(thousands) {}

  // Adds a known cell. True if it is a number that from_chars reads.
  bool add(const Cell& cell, std::size_t line, double& value);

  const CellTally& tally(char decimal) const { return decimal == '.' ? point_ : comma_; }
  // The decimal mark that this column alone proves, NUL if it proves none.
  char proved_decimal() const;
  // The decimal mark of most cells, even if too many others contradict it; NUL if there is none.
  char usual_decimal() const;
  // Whether the values depend on the decimal mark and both are possible.
  bool is_doubtful() const;
  // The mark that is more likely if the column is doubtful. A mark in every number shows decimals;
  // a mark only in numbers from 1000 on shows thousands.
  char likely_decimal() const;
  bool has_plain_cells_only() const { return is_plain_; }
  // Whether a plain cell has a point, which is not a decimal point if the comma is.
  bool has_points() const { return has_points_; }
  // Whether cells are codes: with leading zeros, or IP addresses.
  bool has_codes() const { return code_.count > 0 || has_addresses(); }
  // The first cell with a leading zero, and the number of such cells.
  const StrayCell& code() const { return code_; }
  // Whether numbers with leading zeros do not all have the same length, as codes have.
  bool has_uneven_codes() const { return min_size_ < max_size_; }
  // Whether all cells have the same number of digits, too many for 64 bits. Rounded, different keys would be one.
  bool has_keys() const {
    return is_plain_ && inexact_.count == point_.n_cells() && min_size_ == max_size_ && min_size_ >= kMinKey;
  }
  // The first cell such as 1E5, which may be a code, and the number of such cells.
  const StrayCell& power() const { return power_; }
  // The first cell such as 3M, which may be a code, and the number of such cells. None if numbers have a fraction, or others
  // have no letter, which are quantities: 700 and 3M. But 12 and 14B may be numbers of houses.
  StrayCell magnitude() const;
  // The first cell such as 2-, which may be a grade, and the number of such cells. None if a longer number ends in a minus.
  StrayCell grade() const { return grade_.count == n_last_minuses_ ? grade_ : StrayCell(); }
  std::size_t infinity_line() const { return infinity_line_; }
  const StrayCell& inexact() const { return inexact_; }

 private:
  static constexpr std::size_t kMinKey = 20;

  void add_stored(double value, std::string_view cell, std::size_t line);
  // Adds a cell with a mark, a unit or a leading zero, or no number at all; `plain` is what from_chars reads.
  void add_marked(const WrittenNumber* plain, std::string_view cell, std::size_t line);
  // Whether every number is an IP address such as 192.168.100.100, in which points do not divide thousands.
  bool has_addresses() const { return n_addresses_ > 0 && comma_.n_numbers() <= n_addresses_; }
  void note_size(std::string_view cell);
  void note_inexact(double value, std::string_view cell, std::size_t line);
  void note_magnitude(std::string_view cell, std::size_t line);
  void note_last_minus(std::string_view cell, std::size_t line);
  char better_decimal() const;

  char thousands_;
  CellTally point_, comma_;
  bool is_plain_ = true;
  bool has_points_ = false;
  StrayCell code_;
  std::size_t n_addresses_ = 0;
  StrayCell power_;
  StrayCell magnitude_;
  bool has_billions_only_ = true;  // of the cells with such a letter
  StrayCell grade_;
  std::size_t n_last_minuses_ = 0;
  std::size_t min_size_ = static_cast<std::size_t>(-1);  // of cells that are numbers, with a mark or without
  std::size_t max_size_ = 0;
  std::size_t infinity_line_ = 0;
  StrayCell inexact_;         // whole numbers that a double cannot hold
  std::size_t n_differ_ = 0;  // cells with different values under the two marks
  char mark_ = '\0';          // the mark in the last of them
  std::size_t n_short_ = 0;   // whole numbers below 1000 without a mark, and those that are stored
  std::size_t n_long_ = 0;    // those from 1000 on, and stored fractions
};

}  // namespace sightline::table
