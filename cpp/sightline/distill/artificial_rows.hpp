// Rows that nobody observed, near those that somebody did or where an ensemble's leaves are.
#pragma once

#include <cstdint>
#include <vector>

#include "sightline/model/ensemble.hpp"
#include "sightline/runtime/stop.hpp"
#include "sightline/table/columns.hpp"

namespace sightline::distill {

// Columns that own their cells. Of each pair the vector of the other kind is empty.
struct ArtificialRows {
  explicit ArtificialRows(const table::Columns& like, std::size_t n_rows);

  std::size_t n_rows;
  std::vector<char> is_nominal;
  std::vector<std::vector<double>> numbers;
  std::vector<std::vector<std::int32_t>> codes;
};

// Observed rows to start from, drawn in proportion to their weights. They are drawn along
// `order`: if it depends on the rows' content only, so do the artificial rows, and a row
// of weight 2 is the same as two rows.
class RowSource {
 public:
  // Weights are per table row; empty: all 1.
  RowSource(const table::Columns& rows, std::vector<std::uint32_t> order, const std::vector<double>& weights);

  const table::Columns& rows() const { return rows_; }
  // The row at a share in [0, 1) of the total weight.
  std::uint32_t at(double share) const;
  // Weighted standard deviation of a numeric column's known values, rounded to float.
  double spread(std::size_t feature) const;
  // Share of the total weight whose value is missing.
  double missing_share(std::size_t feature) const;
  // Distinct known values of a numeric column among rows with weight, ascending.
  std::vector<double> values(std::size_t feature) const;

 private:
  const table::Columns& rows_;
  std::vector<std::uint32_t> order_;
  std::vector<double> weight_up_to_;
};

struct Drawing {
  std::size_t n_rows;
  std::uint64_t seed;
  int n_threads;
};

// Observed rows whose numbers move by `noise` standard deviations, to the nearest value
// that was observed, and whose categories are replaced, each with probability `replace`, by
// those of other rows. Missing numbers stay missing.
ArtificialRows jittered_rows(const RowSource& source, double noise, double replace, const Drawing& drawing,
                             runtime::StopPoll& poll);

// Observed rows whose cells are replaced, each with probability `replace`, by that of another row.
ArtificialRows swapped_rows(const RowSource& source, double replace, const Drawing& drawing, runtime::StopPoll& poll);

// Rows of the leaves of an ensemble: as many per tree, per leaf in proportion to its training
// weight, uniform over what the tests on the way leave of each column's observed range or
// declared values (Domingos' CMM). A cell is missing as often as it is in the column, where
// the tests on the way do not ask for it.
ArtificialRows leaf_rows(const model::Ensemble& ensemble, const RowSource& source, const Drawing& drawing,
                         runtime::StopPoll& poll);

}  // namespace sightline::distill
