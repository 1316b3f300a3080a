// What the cells of one column say about how its numbers are written.
#pragma once

#include <array>
#include <cstddef>
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
  void add(const WrittenNumber& number, std::string_view cell, std::size_t line);
  void add_stray(std::string_view cell, std::size_t line);
  // Counts a cell as no number without a look at it.
  void add_unread() {
    ++n_cells_;
    ++n_unlisted_;
  }

  // Cells that are not numbers in the unit of most cells.
  std::size_t n_strays() const;
  std::size_t n_numbers() const { return n_cells_ - n_strays(); }
  std::size_t n_cells() const { return n_cells_; }
  // The unit of most cells, and the colons in them. A bare zero fits every unit.
  std::string_view unit() const { return main_kind() == nullptr ? std::string_view() : main_kind()->unit; }
  int n_colons() const { return main_kind() == nullptr ? 0 : main_kind()->n_colons; }
  bool fits(const WrittenNumber& number) const;
  char thousands() const { return thousands_; }
  bool has_fraction() const { return has_fraction_; }

  // Whether the column holds numbers, with so few other cells that these are missing values.
  bool holds_numbers() const;
  // The same for a column that is known to hold numbers, which may have few cells.
  bool may_hold_numbers() const;
  // Whether at least half of the cells are numbers, and not just a few different ones.
  bool holds_mostly_numbers() const;
  // Up to four different cells that are not numbers, in order of appearance.
  std::vector<StrayCell> strays() const;

 private:
  struct Kind {
    std::string unit;
    int n_colons = 0;
    StrayCell first;  // its count is the number of cells
  };

  const Kind* main_kind() const;
  void add_value(double value);
  bool has_many_values() const { return n_values_ == values_.size(); }

  std::size_t n_cells_ = 0;
  std::size_t n_bare_ = 0;  // numbers other than 0 without unit
  std::size_t n_zeros_ = 0;
  StrayCell first_bare_;
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
  bool has_codes() const { return n_codes_ > 0; }
  std::size_t infinity_line() const { return infinity_line_; }
  const StrayCell& inexact() const { return inexact_; }

 private:
  void add_marked(const WrittenNumber& point, std::string_view cell, std::size_t line);
  char better_decimal() const;

  char thousands_;
  CellTally point_, comma_;
  bool is_plain_ = true;
  bool has_points_ = false;
  std::size_t n_codes_ = 0;
  std::size_t infinity_line_ = 0;
  StrayCell inexact_;         // whole numbers that a double cannot hold
  std::size_t n_differ_ = 0;  // cells with different values under the two marks
  char mark_ = '\0';          // the mark in the last of them
  std::size_t n_short_ = 0;   // whole numbers below 1000 without a mark
  std::size_t n_long_ = 0;    // those from 1000 on
};

}  // namespace sightline::table
