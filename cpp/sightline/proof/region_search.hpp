// The search for the nearest counterfactual among rows that change some columns only.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "sightline/proof/box_tree.hpp"
#include "sightline/proof/column_change.hpp"
#include "sightline/proof/demand.hpp"
#include "sightline/runtime/budget.hpp"

namespace sightline::proof {

// Rows that show what is plausible: a counterfactual must be near to one of them in every column that counts.
struct PlausibleRows {
  std::vector<double> values;  // row-major, NaN where missing
  std::vector<double> width;   // per column: how far a number may be; negative: the column does not count

  std::size_t size() const { return width.empty() ? 0 : values.size() / width.size(); }
  const double* row(std::size_t i) const { return values.data() + i * width.size(); }
  // The rows near to the given one in the columns that keep their value.
  std::vector<std::int32_t> near(std::span<const ColumnChange> columns, std::span<const std::int32_t> may_change) const;
};

// The region of the rows that differ from the given one in some columns, at most.
Box region_box(std::span<const ColumnChange> columns, std::span<const std::int32_t> may_change);

// Best first: the box whose nearest row is nearest to the given one is split next. A box is done when bounds
// show that no row of it meets the demands, or when its nearest row does.
class RegionSearch {
 public:
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  // All must outlive the search; `plausible` is null if every row is. Starts the models of the demands.
  RegionSearch(std::span<const ColumnChange> columns, std::span<const Demand> demands, const PlausibleRows* plausible,
               std::vector<std::int32_t> may_change);

  // Restores the models to this region after another search used them.
  void resume();
  // Splits boxes until the region is done, so many are split or the budget is used up. Rows that cost as much as
  // `cutoff`, or more, are not looked for.
  void run(std::int64_t n_boxes, double cutoff, runtime::Budget& budget);

  const std::vector<std::int32_t>& may_change() const { return may_change_; }
  bool is_done() const { return open_.empty() || !can_improve(open_.front().cost); }
  // No row of the region costs less.
  double bound() const { return is_done() ? best_cost_ : std::min(open_.front().cost, best_cost_); }
  double best_cost() const { return best_cost_; }
  const std::vector<double>& best_row() const { return best_row_; }
  std::size_t memory() const { return boxes_.memory() + open_.capacity() * sizeof(Open); }

 private:
  struct Open {
    double cost;
    std::int32_t node;
  };
  // Of boxes that cost the same, the one found last is on top: it is nearest to its end.
  static bool comes_later(const Open& one, const Open& other) {
    return one.cost != other.cost ? one.cost > other.cost : one.node < other.node;
  }

  bool can_improve(double cost) const;
  double find_nearest();
  double find_nearest_to(const double* plausible);
  void examine(std::int32_t node, double cutoff);
  void split(std::int32_t node, double cutoff);
  std::optional<Question> question() const;

  std::span<const ColumnChange> columns_;
  std::span<const Demand> demands_;
  const PlausibleRows* plausible_;
  std::vector<std::int32_t> may_change_;
  std::vector<std::int32_t> near_rows_;  // of the plausible ones
  BoxTree boxes_;
  std::vector<Open> open_;  // a heap
  double best_cost_ = kNone;
  std::vector<double> best_row_;
  std::vector<double> row_;  // the nearest of the present box
  std::vector<double> tried_;
};

}  // namespace sightline::proof
