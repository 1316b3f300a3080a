// Sorts the rows of a table by each numeric column.
#pragma once

#include <cstdint>
#include <vector>

#include "sightline/runtime/stop.hpp"
#include "sightline/table/columns.hpp"

namespace sightline::table {

// Sorts columns one by one, and reuses its memory.
class ColumnSorter {
 public:
  // The rows with a known value, ascending by value; ties are in row order.
  // Valid until the next call.
  const std::vector<std::uint32_t>& ascending_rows(const Column& column, std::size_t n_rows);

 private:
  // Twelve bytes: a single 64-bit key would need four more for alignment.
  struct Entry {
    std::uint32_t key_high, key_low;
    std::uint32_t row;

    std::uint64_t key() const { return std::uint64_t{key_high} << 32 | key_low; }
  };

  std::vector<Entry> entries_, scratch_;
  std::vector<std::uint32_t> order_;
};

// The sort orders of all numeric columns. Computed once for every learner on these rows, because each
// bag or fold is a part of the same order. Takes four bytes per cell.
class Orders {
 public:
  Orders(const Columns& columns, runtime::StopPoll& poll);
  // Empty for a nominal column.
  const std::vector<std::uint32_t>& operator[](std::size_t feature) const { return orders_[feature]; }

 private:
  std::vector<std::vector<std::uint32_t>> orders_;
};

}  // namespace sightline::table
