// A box: the rows that are still possible after some tests have been answered. Proofs are claims about
// all rows of a box; docs/methods/proof.md gives the argument, file by file.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sightline/model/decision_nodes.hpp"
#include "sightline/proof/category_set.hpp"

namespace sightline::proof {

// The finite numbers of (low, high]: closed above because rows take branch 0 on <=.
struct Interval {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  // Only whole numbers count, as for dates. Then the least number above `low`, and `high`, are whole.
  bool whole = false;

  bool contains(double value) const { return value > low && value <= high && (!whole || value == std::floor(value)); }
  // Above the largest double there is only infinity, which no table holds.
  bool empty() const { return !(low < high) || low == std::numeric_limits<double>::max(); }
  // The two branches of a test x <= threshold.
  Interval at_most(double threshold) const { return {low, std::min(high, whole ? std::floor(threshold) : threshold), whole}; }
  Interval above(double threshold) const { return {std::max(low, whole ? below_next_whole(threshold) : threshold), high, whole}; }

 private:
  static double below_next_whole(double number) {
    return std::max(number, std::nextafter(std::floor(number) + 1, -std::numeric_limits<double>::infinity()));
  }
};

// Per feature: an interval of numbers or a set of categories, and whether the value may
// be missing. The box decides the tests that it implies, so they are not repeated.
class Box {
 public:
  static constexpr std::int32_t kUndecided = -1;

  // Every row over these features (declared values per feature, 0 where numeric).
  explicit Box(std::span<const std::int32_t> n_values);

  std::size_t n_features() const { return sides_.size(); }
  // Declared values of a nominal feature, 0 for a numeric one.
  std::size_t n_values(std::size_t feature) const { return sides_[feature].n_values; }
  const Interval& interval(std::size_t feature) const { return sides_[feature].interval; }
  const CategorySet& allowed(std::size_t feature) const { return sides_[feature].allowed; }
  std::vector<std::int32_t> categories(std::size_t feature) const;
  bool may_be_missing(std::size_t feature) const { return sides_[feature].may_be_missing; }
  bool may_be_known(std::size_t feature) const;
  bool empty() const;
  bool contains(std::span<const double> row) const;

  // The branch that every row of the box takes at an inner node, or kUndecided.
  // A missing value counts with each branch that takes a share of it.
  std::int32_t decide(const model::DecisionNodes& tree, model::NodeId node) const;
  // Keeps the rows that take this branch; missing ones where the branch has a share.
  void narrow(const model::DecisionNodes& tree, model::NodeId node, std::size_t branch);
  // Keep some of the known values of a feature.
  void keep(std::size_t feature, const Interval& interval) { sides_[feature].interval = interval; }
  void keep(std::size_t feature, CategoryBits values) { sides_[feature].allowed.keep(values); }
  void remove(std::size_t feature, CategoryBits values) { sides_[feature].allowed.remove(values); }
  void forbid_missing(std::size_t feature) { sides_[feature].may_be_missing = false; }
  // Keeps the whole numbers of a feature that no test has narrowed yet.
  void require_whole(std::size_t feature) { sides_[feature].interval.whole = true; }
  // Keeps the rows whose value is missing.
  void require_missing(std::size_t feature);
  // Whether some row of the box takes a branch of an inner node, wholly or in part.
  bool branch_possible(const model::DecisionNodes& tree, model::NodeId node, std::size_t branch) const;
  // The same for rows whose value is known.
  bool known_branch_possible(const model::DecisionNodes& tree, model::NodeId node, std::size_t branch) const;
  // Whether every row of the box is spread over several branches of an inner node.
  bool mixes(const model::DecisionNodes& tree, model::NodeId node) const {
    return tree.missing_branch(node) < 0 && !may_be_known(tree.feature(node));
  }

  // What one feature may be. Narrowing changes one side at a time, so a caller who keeps
  // the old side can undo it.
  struct Side {
    Interval interval;
    CategorySet allowed;
    std::int32_t n_values = 0;
    bool may_be_missing = true;
  };
  const Side& side(std::size_t feature) const { return sides_[feature]; }
  void restore(std::size_t feature, Side side) { sides_[feature] = std::move(side); }

  // Some row of the box (it must not be empty): finite numbers where there are any.
  std::vector<double> witness() const;

 private:
  std::vector<Side> sides_;
};

}  // namespace sightline::proof
