#include "sightline/proof/box.hpp"

#include <algorithm>
#include <cmath>

namespace sightline::proof {

Box::Box(std::span<const std::int32_t> n_values) : sides_(n_values.size()) {
  for (std::size_t f = 0; f < n_values.size(); ++f) {
    sides_[f].n_values = n_values[f];
    if (n_values[f] > 0) sides_[f].allowed = CategorySet::all(n_values[f]);
  }
}

std::vector<std::int32_t> Box::categories(std::size_t feature) const {
  std::vector<std::int32_t> result;
  for (std::int32_t value = 0; value < sides_[feature].n_values; ++value) {
    if (sides_[feature].allowed.contains(value)) result.push_back(value);
  }
  return result;
}

bool Box::may_be_known(std::size_t feature) const {
  const Side& side = sides_[feature];
  return side.n_values > 0 ? !side.allowed.empty() : !side.interval.empty();
}

bool Box::empty() const {
  for (std::size_t f = 0; f < sides_.size(); ++f) {
    if (!sides_[f].may_be_missing && !may_be_known(f)) return true;
  }
  return false;
}

bool Box::contains(std::span<const double> row) const {
  for (std::size_t f = 0; f < sides_.size(); ++f) {
    const Side& side = sides_[f];
    if (std::isnan(row[f])  ? !side.may_be_missing
        : side.n_values > 0 ? !side.allowed.contains(static_cast<std::size_t>(row[f]))
                            : !side.interval.contains(row[f])) {
      return false;
    }
  }
  return true;
}

bool Box::branch_possible(const model::DecisionNodes& tree, model::NodeId node, std::size_t branch) const {
  if (sides_[tree.feature(node)].may_be_missing && tree.takes_missing(node, branch)) return true;
  return known_branch_possible(tree, node, branch);
}

bool Box::known_branch_possible(const model::DecisionNodes& tree, model::NodeId node, std::size_t branch) const {
  const Side& side = sides_[tree.feature(node)];
  switch (tree.test(node)) {
    case model::Test::kThreshold: {
      const double threshold = tree.threshold(node);
      return !(branch == 0 ? side.interval.at_most(threshold) : side.interval.above(threshold)).empty();
    }
    case model::Test::kSubset: {
      const auto set = tree.categories(node);
      const auto is_allowed = [&](std::int32_t value) { return side.allowed.contains(value); };
      if (branch == 0) return std::any_of(set.begin(), set.end(), is_allowed);
      return static_cast<std::ptrdiff_t>(side.allowed.size()) > std::count_if(set.begin(), set.end(), is_allowed);
    }
    case model::Test::kMultiway:
      return side.allowed.contains(branch);
    case model::Test::kLeaf:
      break;
  }
  return false;
}

std::int32_t Box::decide(const model::DecisionNodes& tree, model::NodeId node) const {
  std::int32_t found = kUndecided;
  for (std::size_t branch = 0; branch < tree.children(node).size(); ++branch) {
    if (!branch_possible(tree, node, branch)) continue;
    if (found != kUndecided) return kUndecided;
    found = static_cast<std::int32_t>(branch);
  }
  return found;
}

void Box::narrow(const model::DecisionNodes& tree, model::NodeId node, std::size_t branch) {
  Side& side = sides_[tree.feature(node)];
  side.may_be_missing = side.may_be_missing && tree.takes_missing(node, branch);
  switch (tree.test(node)) {
    case model::Test::kThreshold: {
      const double threshold = tree.threshold(node);
      side.interval = branch == 0 ? side.interval.at_most(threshold) : side.interval.above(threshold);
      return;
    }
    case model::Test::kSubset:
      branch == 0 ? side.allowed.keep_values(tree.categories(node)) : side.allowed.remove_values(tree.categories(node));
      return;
    case model::Test::kMultiway: {
      const auto only = static_cast<std::int32_t>(branch);
      side.allowed.keep_values({&only, 1});
      return;
    }
    case model::Test::kLeaf:
      return;
  }
}

void Box::require_missing(std::size_t feature) {
  Side& side = sides_[feature];
  side.interval.high = side.interval.low;
  side.allowed.clear();
}

std::vector<double> Box::witness() const {
  std::vector<double> row(sides_.size());
  for (std::size_t f = 0; f < sides_.size(); ++f) {
    const Side& side = sides_[f];
    if (!may_be_known(f)) {
      row[f] = std::numeric_limits<double>::quiet_NaN();
    } else if (side.n_values > 0) {
      row[f] = static_cast<double>(lowest(side.allowed));
    } else if (std::isfinite(side.interval.high)) {
      row[f] = side.interval.high;
    } else if (std::isfinite(side.interval.low)) {
      const double above = std::nextafter(side.interval.low, std::numeric_limits<double>::infinity());
      row[f] = std::max(above, std::min(std::ceil(side.interval.low) + 1, std::numeric_limits<double>::max()));
    } else {
      row[f] = 0;
    }
  }
  return row;
}

}  // namespace sightline::proof
