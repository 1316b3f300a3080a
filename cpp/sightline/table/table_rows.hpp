// The rows of a delimited table: the records below its header, without the lines that only stand between or below them.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "sightline/runtime/stop.hpp"
#include "sightline/table/parsed_table.hpp"
#include "sightline/table/record_scanner.hpp"

namespace sightline::table {

// Also in quotes.
bool is_empty(const Cell& cell);

class TableRows {
 public:
  // `scanner` has read the header, which may have one cell less than the `width` of the rows. `units_line` is that of a
  // second header, 0 if there is none.
  TableRows(RecordScanner scanner, char delimiter, std::size_t width, std::size_t units_line);

  // Calls on_cell(feature, cell, line) for every cell; returns the number of rows. Lines that are no
  // rows are added to `skipped`.
  // A last row of two columns that may be a note is a row, and `last_note` afterwards.
  template <class OnCell>
  std::size_t read(runtime::StopPoll& poll, std::vector<StrayCell>& skipped, OnCell&& on_cell) {
    std::size_t n_rows = 0;
    const auto add_row = [&](const std::vector<Cell>& cells, std::size_t line) {
      check_width(cells, line);
      if (width_ == 2) note_ = note_in(cells, line);
      n_notes_ += note_.count;
      for (std::size_t feature = 0; feature < width_; ++feature) on_cell(feature, cells[feature], line);
      if (++n_rows % kRowsBetweenPolls == 0) poll();
    };
    while (scanner_.next()) {
      const std::vector<Cell>& cells = scanner_.cells();
      if (is_no_row(cells, n_rows == 0, skipped)) continue;
      if (may_end_table(cells, n_rows > 0)) {
        wait(cells);
        continue;
      }
      for (const Waiting& record : waiting_) add_row(cells_of(record), record.line);
      waiting_.clear();
      add_row(cells, scanner_.line());
    }
    skip_waiting(skipped);
    return n_rows;
  }

  // Nothing if other rows look like notes, too.
  StrayCell last_note() const { return n_notes_ == 1 ? note_ : StrayCell(); }

 private:
  static constexpr std::size_t kRowsBetweenPolls = 4096;

  // A record that is a row only if another one follows: without cells, or like a note below the table.
  struct Waiting {
    std::size_t line;
    std::vector<std::pair<std::string, Cell>> cells;  // the text and all else about it; none in an empty record
    std::string note;                                 // the text of its only cell
  };

  bool is_no_row(const std::vector<Cell>& cells, bool is_first, std::vector<StrayCell>& skipped);
  bool may_end_table(const std::vector<Cell>& cells, bool is_below_row) const;
  // The only cell of a row that may be a note, because it looks like a sentence; else nothing.
  static StrayCell note_in(const std::vector<Cell>& cells, std::size_t line);
  bool repeats_header(const std::vector<Cell>& cells) const;
  void wait(const std::vector<Cell>& cells);
  std::vector<Cell> cells_of(const Waiting& record) const;
  void skip_waiting(std::vector<StrayCell>& skipped);
  void check_width(const std::vector<Cell>& cells, std::size_t line) const;

  RecordScanner scanner_;
  char delimiter_;
  std::size_t width_;
  std::size_t units_line_;
  std::vector<std::string> header_;
  std::vector<Waiting> waiting_;
  StrayCell note_;  // of the last row
  std::size_t n_notes_ = 0;
};

}  // namespace sightline::table
