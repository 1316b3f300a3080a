// Counterfactuals: the rows nearest to a given one with a different prediction.
#pragma once

#include <cstdint>
#include <vector>

#include "sightline/proof/column_change.hpp"
#include "sightline/proof/demand.hpp"
#include "sightline/proof/region_search.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::proof {

// How far a row is from the given one: the number of changed columns counts first, then the sum of
// what the changes cost.
struct RowDistance {
  std::int32_t n_changes = 0;
  double cost = 0;

  auto operator<=>(const RowDistance&) const = default;
};

struct CounterfactualOptions {
  std::int32_t max_rows = 1;
  std::int32_t max_changes = 0;
  // Else only the cost counts, and n_changes of every distance that is compared is 0.
  bool fewest_columns_first = true;
  PlausibleRows plausible;  // without widths: every row is plausible
  std::int64_t max_boxes = 0;
  double max_seconds = 0;
};

struct Counterfactual {
  std::vector<double> row;
  double cost = 0;
  // No row is nearer than this, of those that do not change all columns that an earlier one changes.
  RowDistance bound;
  bool is_nearest = false;  // the bound is its own distance
};

struct Counterfactuals {
  std::vector<Counterfactual> rows;  // nearest first
  // Whether there is proved to be no further row with other changed columns, unless `rows` has as many
  // as asked for.
  bool complete = false;
  RowDistance bound;  // of every row that is not among `rows`, where not complete
  std::int64_t n_boxes = 0;
};

// Branch and bound over boxes, the nearest box first. Each row of the result changes a set of columns of
// which none of the rows before it changes all or less.
Counterfactuals counterfactuals(const std::vector<Demand>& demands, const std::vector<ColumnChange>& columns,
                                const CounterfactualOptions& options, runtime::StopPoll& poll);

}  // namespace sightline::proof
