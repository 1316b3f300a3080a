// Rows of a table in ascending order of its numeric columns.
#pragma once

#include <cstdint>
#include <vector>

#include "sightline/runtime/stop.hpp"
#include "sightline/table/columns.hpp"

namespace sightline {

// The rows whose value is known, ascending by value, equal values in the order of the rows.
std::vector<std::uint32_t> ascending_rows(const Column& column, std::size_t n_rows);

// Orders of all numeric columns, made once and used by every learner on these rows
// (each bag or fold is a part of the same order). Four bytes per cell.
class Orders {
 public:
  Orders(const Columns& columns, StopPoll& poll);
  // Empty for a nominal column.
  const std::vector<std::uint32_t>& operator[](std::size_t feature) const { return orders_[feature]; }

 private:
  std::vector<std::vector<std::uint32_t>> orders_;
};

}  // namespace sightline
