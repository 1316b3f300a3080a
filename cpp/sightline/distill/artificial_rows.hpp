// Artificial rows near observed rows. Those in the leaves of an ensemble are in cmm/cmm_rows.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sightline/runtime/random.hpp"
#include "sightline/runtime/stop.hpp"
#include "sightline/table/columns.hpp"

namespace sightline::distill {

struct Drawing {
  std::size_t n_rows;
  std::uint64_t seed;
  int n_threads;
  std::size_t first_row = 0;  // rows drawn block by block are the same as rows drawn at once
  // Per feature: whether its numbers are needed. The others are not stored, and cost next to nothing. Empty: all are.
  std::span<const std::uint8_t> needed = {};

  bool needs(std::size_t feature) const { return needed.empty() || needed[feature] != 0; }
};

// Columns that own their cells: `numbers` of a numeric column, empty if not needed; `codes` of a nominal one.
struct ArtificialRows {
  ArtificialRows(const table::Columns& like, const Drawing& drawing);

  std::size_t n_rows;
  std::vector<char> is_nominal;
  std::vector<std::vector<double>> numbers;
  std::vector<std::vector<std::int32_t>> codes;
};

// Draws indices in proportion to weights.
class CumulatedWeights {
 public:
  CumulatedWeights() = default;
  explicit CumulatedWeights(const std::vector<double>& weights);

  // The first index whose cumulated weight exceeds this share of the total, so that an index
  // without weight is never drawn.
  std::size_t index_at(double share) const;
  double total() const { return up_to_.back(); }
  double up_to(std::size_t index) const { return up_to_[index]; }

 private:
  std::vector<double> up_to_;
};

// The distinct known values of a numeric column, ascending, and the share of the rows that has each.
struct ObservedValues {
  std::vector<double> values;
  std::vector<double> shares;  // rounded to float

  // The observed value nearest to x plus a distance. x itself stays if `chance`, uniform in [0, 1), is
  // below its share: noise on the zeros of a column that is mostly 0 would make rows like no other.
  double moved(double x, double chance, double distance) const;
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
  // Of a numeric column, among rows with weight.
  ObservedValues values(std::size_t feature) const;

 private:
  const table::Columns& rows_;
  std::vector<std::uint32_t> order_;
  CumulatedWeights weights_;
};

// Calls draw(row, stream) for every row, each with its own random stream, so that the result
// does not depend on the number of threads.
void draw_rows(const Drawing& drawing, runtime::StopPoll& poll,
               const std::function<void(std::size_t, runtime::RandomStream&)>& draw);

// Observed rows with noise of `noise` standard deviations added to their numbers, which are then
// rounded to the nearest observed value. A value stays with a probability of the share of the rows
// that has it. Each category is replaced by that of another row with
// probability `replace`. Missing numbers stay missing.
ArtificialRows jittered_rows(const RowSource& source, double noise, double replace, const Drawing& drawing,
                             runtime::StopPoll& poll);

// Observed rows in which each cell is replaced by that of another row with probability `replace`.
ArtificialRows swapped_rows(const RowSource& source, double replace, const Drawing& drawing, runtime::StopPoll& poll);

}  // namespace sightline::distill
