// Rows of a table in ascending order of its numeric columns.
#pragma once

#include <cstdint>
#include <vector>

#include "sightline/runtime/stop.hpp"
#include "sightline/table/columns.hpp"

namespace sightline::table {

// Sorts columns one after the other in the same memory.
class ColumnSorter {
 public:
  // The rows whose value is known, ascending by value, equal values in the order of the rows.
  // Valid until the next call.
  const std::vector<std::uint32_t>& ascending_rows(const Column& column, std::size_t n_rows);

 private:
  // Twelve bytes: a key of one piece would cost four more for its alignment.
  struct Entry {
    std::uint32_t key_high, key_low;
    std::uint32_t row;

    std::uint64_t key() const { return std::uint64_t{key_high} << 32 | key_low; }
  };

  void radix_sort();

  std::vector<Entry> entries_, scratch_;
  std::vector<std::uint32_t> order_;
};

// Orders of all numeric columns, made once and used by every learner on these rows
// (each bag or fold is a part of the same order). Four bytes per cell.
class Orders {
 public:
  Orders(const Columns& columns, runtime::StopPoll& poll);
  // Empty for a nominal column.
  const std::vector<std::uint32_t>& operator[](std::size_t feature) const { return orders_[feature]; }

 private:
  std::vector<std::vector<std::uint32_t>> orders_;
};

}  // namespace sightline::table
