// What a counterfactual may do to one column, and what that costs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sightline/proof/box.hpp"

namespace sightline::proof {

// The row keeps its own value at no cost, whatever the limits of a change are. A number costs its
// distance from the own one over `scale`; a different category costs 1, as does a value that becomes
// missing, or known.
struct ColumnChange {
  double own = 0;     // number or code, NaN where missing
  double anchor = 0;  // what a number that was missing should be near to
  double scale = 1;
  double unit = 0;                   // only multiples of it count, such as whole numbers; 0: all numbers do
  Interval range;                    // new numbers
  std::vector<std::int32_t> values;  // new categories, whichever is preferred first
  std::int32_t n_values = 0;         // declared ones, 0: numeric
  bool may_become_missing = false;
  bool is_fixed = false;

  // The own value alone, and every value that is allowed: of numbers with what lies between.
  Box::Side own_side() const;
  Box::Side free_side() const;
  // The cheapest value of a side; nothing if none is allowed.
  struct Move {
    double value;
    double cost;
  };
  std::optional<Move> nearest(const Box::Side& side) const;
  // The same among values at most `width` away from another row's value: its category, or missing if that is.
  std::optional<Move> nearest(const Box::Side& side, double to, double width) const;
  // Whether the own value is that close to another row's.
  bool keeps_near(double to, double width) const;

 private:
  bool keeps_own(const Box::Side& side) const;
  std::optional<Move> nearest_number(const Interval& interval) const;
  std::optional<Move> nearest_category(const CategorySet& allowed) const;
};

}  // namespace sightline::proof
