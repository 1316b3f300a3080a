// Rules: conjunctions of conditions that vote for a class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace sightline::model {

// The arrays of a rule set. Conditions are stored once and shared by the rules that have them.
struct RuleArrays {
  std::vector<std::int32_t> n_values;  // per FEATURE: declared values, 0 where numeric
  std::size_t n_classes = 0;
  std::size_t n_trees = 0;

  // Per condition, all different: a value holds if it lies in (low, high], or is one of the categories
  // [category_begin[c], category_begin[c + 1]), ascending; a missing one if accepts_missing.
  std::vector<std::int32_t> feature;
  std::vector<double> low;
  std::vector<double> high;
  std::vector<std::uint8_t> accepts_missing;
  std::vector<std::int64_t> category_begin;
  std::vector<std::int32_t> category;

  // Per rule: its conditions [condition_begin[r], condition_begin[r + 1]), all different, the
  // class it votes for, the weight of a full match (negative: a vote against the class),
  // and the trees it was found in, ascending.
  std::vector<std::int64_t> condition_begin;
  std::vector<std::int32_t> condition;
  std::vector<std::int32_t> label;
  std::vector<double> weight;
  std::vector<std::int64_t> source_begin;
  std::vector<std::int32_t> source;
};

// Immutable, valid by construction.
class RuleSet {
 public:
  // Throws std::invalid_argument naming the condition or the rule at fault.
  explicit RuleSet(RuleArrays arrays);

  const RuleArrays& arrays() const { return a_; }
  std::size_t n_rules() const { return a_.label.size(); }
  std::size_t n_conditions() const { return a_.feature.size(); }
  std::size_t n_classes() const { return a_.n_classes; }

  bool is_nominal(std::int32_t condition) const { return a_.n_values[a_.feature[condition]] > 0; }
  std::span<const std::int32_t> categories(std::int32_t condition) const {
    return slice(a_.category, a_.category_begin, condition);
  }
  std::span<const std::int32_t> conditions(std::size_t rule) const { return slice(a_.condition, a_.condition_begin, rule); }
  std::span<const std::int32_t> sources(std::size_t rule) const { return slice(a_.source, a_.source_begin, rule); }

  // Whether one condition holds for a value: a number, a code, or NaN where missing.
  bool holds(std::int32_t condition, double value) const;

  // Some of the rules, in the given order, with their conditions.
  std::shared_ptr<const RuleSet> selected(std::span<const std::int64_t> rules) const;
  std::shared_ptr<const RuleSet> reweighted(std::vector<double> weight) const;

 private:
  template <class Index>
  static std::span<const std::int32_t> slice(const std::vector<std::int32_t>& values, const std::vector<std::int64_t>& begin,
                                             Index i) {
    return {values.data() + begin[i], values.data() + begin[i + 1]};
  }

  RuleArrays a_;
};

using RuleSetPtr = std::shared_ptr<const RuleSet>;

}  // namespace sightline::model
