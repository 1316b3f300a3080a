#include "sightline/proof/box.hpp"

#include <algorithm>
#include <cmath>

namespace sightline::proof {

Box::Box(std::span<const std::int32_t> n_values) : sides_(n_values.size()) {
  for (std::size_t f = 0; f < n_values.size(); ++f) {
    sides_[f].nominal = n_values[f] > 0;
    sides_[f].allowed.assign(n_values[f], true);
    sides_[f].n_allowed = n_values[f];
  }
}

std::vector<std::int32_t> Box::categories(std::size_t feature) const {
  std::vector<std::int32_t> result;
  for (std::size_t value = 0; value < sides_[feature].allowed.size(); ++value) {
    if (sides_[feature].allowed[value]) result.push_back(static_cast<std::int32_t>(value));
  }
  return result;
}

bool Box::may_be_known(std::size_t feature) const {
  const Side& side = sides_[feature];
  return side.nominal ? side.n_allowed > 0 : !side.interval.empty();
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
    if (std::isnan(row[f]) ? !side.may_be_missing
        : side.nominal     ? !side.allowed[static_cast<std::size_t>(row[f])]
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
      Interval part = side.interval;
      if (branch == 0) {
        part.high = std::min(part.high, tree.threshold(node));
      } else {
        part.low = std::max(part.low, tree.threshold(node));
      }
      return !part.empty();
    }
    case model::Test::kSubset: {
      const auto set = tree.categories(node);
      std::int32_t inside = 0;
      for (const std::int32_t value : set) inside += side.allowed[value];
      return branch == 0 ? inside > 0 : side.n_allowed > inside;
    }
    case model::Test::kMultiway:
      return side.allowed[branch];
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
    case model::Test::kThreshold:
      if (branch == 0) {
        side.interval.high = std::min(side.interval.high, tree.threshold(node));
      } else {
        side.interval.low = std::max(side.interval.low, tree.threshold(node));
      }
      return;
    case model::Test::kSubset: {
      const auto set = tree.categories(node);
      for (std::size_t value = 0; value < side.allowed.size(); ++value) {
        const bool inside = std::binary_search(set.begin(), set.end(), static_cast<std::int32_t>(value));
        if (inside != (branch == 0)) side.allowed[value] = false;
      }
      break;
    }
    case model::Test::kMultiway:
      for (std::size_t value = 0; value < side.allowed.size(); ++value) {
        if (value != branch) side.allowed[value] = false;
      }
      break;
    case model::Test::kLeaf:
      return;
  }
  side.n_allowed = static_cast<std::int32_t>(std::count(side.allowed.begin(), side.allowed.end(), true));
}

void Box::require_missing(std::size_t feature) {
  Side& side = sides_[feature];
  side.interval.high = side.interval.low;
  side.allowed.assign(side.allowed.size(), false);
  side.n_allowed = 0;
}

std::vector<double> Box::witness() const {
  std::vector<double> row(sides_.size());
  for (std::size_t f = 0; f < sides_.size(); ++f) {
    const Side& side = sides_[f];
    if (!may_be_known(f)) {
      row[f] = std::numeric_limits<double>::quiet_NaN();
    } else if (side.nominal) {
      row[f] = static_cast<double>(std::find(side.allowed.begin(), side.allowed.end(), true) - side.allowed.begin());
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
