#include "sightline/proof/column_change.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sightline::proof {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// What is changed counts as one category, whatever the numbers are.
constexpr double kCostOfChange = 1;

Interval just(double value) { return {std::nextafter(value, -kInfinity), value}; }

// The largest multiple of a unit up to a number. A quotient that is rounded may be one too many or too few.
double multiple_up_to(double number, double unit) {
  const double multiple = std::floor(number / unit) * unit;
  if (multiple > number) return multiple - unit;
  return multiple + unit <= number ? multiple + unit : multiple;
}

// The number of an interval nearest to a target, which is a multiple of the unit if there is one.
std::optional<double> nearest_to(double target, const Interval& interval, double unit) {
  if (interval.empty()) return std::nullopt;
  if (interval.contains(target)) return target;
  double value = interval.high;
  if (target <= interval.low) {
    value = unit > 0 ? multiple_up_to(interval.low, unit) + unit : std::nextafter(interval.low, kInfinity);
  } else if (unit > 0) {
    value = multiple_up_to(interval.high, unit);
  }
  // Beyond 2^53 there is no next whole number.
  return interval.contains(value) ? std::optional(value) : std::nullopt;
}

}  // namespace

Box::Side ColumnChange::own_side() const {
  Box::Side side;
  side.n_values = n_values;
  side.may_be_missing = std::isnan(own);
  side.interval = std::isnan(own) || n_values > 0 ? Interval{0, 0} : just(own);
  if (n_values > 0) {
    side.allowed = CategorySet(n_values);
    if (!std::isnan(own)) side.allowed.add(static_cast<std::size_t>(own));
  }
  return side;
}

Box::Side ColumnChange::free_side() const {
  Box::Side side = own_side();
  if (is_fixed) return side;
  side.may_be_missing |= may_become_missing;
  for (const std::int32_t value : values) side.allowed.add(value);
  if (n_values > 0 || range.empty()) return side;
  side.interval = range;
  if (!std::isnan(own)) side.interval = {std::min(range.low, just(own).low), std::max(range.high, own)};
  return side;
}

bool ColumnChange::keeps_own(const Box::Side& side) const {
  if (std::isnan(own)) return side.may_be_missing;
  return n_values > 0 ? side.allowed.contains(static_cast<std::size_t>(own)) : side.interval.contains(own);
}

std::optional<ColumnChange::Move> ColumnChange::nearest_number(const Interval& interval) const {
  const Interval common{std::max(interval.low, range.low), std::min(interval.high, range.high)};
  const std::optional<double> value = nearest_to(std::isnan(own) ? anchor : own, common, unit);
  if (!value) return std::nullopt;
  return Move{*value, std::isnan(own) ? kCostOfChange : std::abs(*value - own) / scale};
}

std::optional<ColumnChange::Move> ColumnChange::nearest_category(const CategorySet& allowed) const {
  const auto found = std::find_if(values.begin(), values.end(), [&](std::int32_t value) { return allowed.contains(value); });
  if (found == values.end()) return std::nullopt;
  return Move{static_cast<double>(*found), kCostOfChange};
}

std::optional<ColumnChange::Move> ColumnChange::nearest(const Box::Side& side) const {
  if (keeps_own(side)) return Move{own, 0};
  if (is_fixed) return std::nullopt;
  const std::optional<Move> known = n_values > 0 ? nearest_category(side.allowed) : nearest_number(side.interval);
  const bool may_go = may_become_missing && side.may_be_missing;
  if (may_go && (!known || known->cost > kCostOfChange)) return Move{std::numeric_limits<double>::quiet_NaN(), kCostOfChange};
  return known;
}

bool ColumnChange::keeps_near(double to, double width) const {
  if (std::isnan(own) || std::isnan(to)) return std::isnan(own) && std::isnan(to);
  return n_values > 0 ? own == to : own >= to - width && own <= to + width;
}

std::optional<ColumnChange::Move> ColumnChange::nearest(const Box::Side& side, double to, double width) const {
  Box::Side near = side;
  if (std::isnan(to)) {
    near.interval = {0, 0};
    near.allowed.clear();
    return nearest(near);
  }
  near.may_be_missing = false;
  if (n_values > 0) {
    const auto only = static_cast<std::int32_t>(to);
    near.allowed.keep_values({&only, 1});
  } else {
    near.interval.low = std::max(side.interval.low, just(to - width).low);
    near.interval.high = std::min(side.interval.high, to + width);
  }
  return nearest(near);
}

}  // namespace sightline::proof
