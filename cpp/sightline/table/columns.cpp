#include "sightline/table/columns.hpp"

#include <cmath>
#include <limits>

namespace sightline::table {

std::vector<std::int32_t> Columns::n_values() const {
  std::vector<std::int32_t> result;
  result.reserve(size());
  for (const Column& column : columns_) result.push_back(column.n_values());
  return result;
}

Columns Columns::part(std::size_t begin, std::size_t end) const {
  std::vector<Column> columns;
  for (const Column& column : columns_) columns.push_back(column.from(begin));
  return {std::move(columns), end - begin};
}

bool Columns::gather(std::size_t begin, std::size_t end, double* block) const {
  bool any_missing = false;
  const std::size_t width = size();
  for (std::size_t feature = 0; feature < width; ++feature) {
    const Column& column = columns_[feature];
    double* cell = block + feature;
    if (column.is_nominal()) {
      for (std::size_t row = begin; row < end; ++row, cell += width) {
        const std::int32_t code = column.code(row);
        const bool known = code >= 0 && code < column.n_values();
        *cell = known ? code : std::numeric_limits<double>::quiet_NaN();
        any_missing |= !known;
      }
    } else {
      for (std::size_t row = begin; row < end; ++row, cell += width) {
        *cell = column.number(row);
        any_missing |= std::isnan(*cell);
      }
    }
  }
  return any_missing;
}

}  // namespace sightline::table
