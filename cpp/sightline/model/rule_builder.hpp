// Builds a rule set rule by rule; equal conditions and equal rules are stored once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

#include "sightline/model/rules.hpp"

namespace sightline::model {

// Condition on one feature: a number in (low, high], or one of the categories.
struct Condition {
  std::int32_t feature = -1;
  bool nominal = false;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool accepts_missing = true;
  std::vector<std::int32_t> categories;  // ascending

  bool operator==(const Condition&) const = default;

  // Whether no known value holds; above the largest double there is only infinity.
  bool no_value() const;
  bool impossible() const { return no_value() && !accepts_missing; }
  // Whether everything holds, given the number of declared values.
  bool always(std::int32_t n_values) const;
  // Whether all that holds here holds there, both about the same feature.
  bool inside(const Condition& other) const;
};

// What both of two conditions on one feature leave.
Condition both(const Condition& a, const Condition& b);

Condition condition_of(const RuleSet& rules, std::int32_t number);

struct ConditionHash {
  std::size_t operator()(const Condition& condition) const;
};

// What becomes of the weights of equal rules.
enum class Merging {
  kAddWeights,
  kOncePerTree,  // a source tree that is known already does not count again
};

class RuleBuilder {
 public:
  RuleBuilder(std::vector<std::int32_t> n_values, std::size_t n_classes, std::size_t n_trees,
              Merging merging = Merging::kAddWeights);

  // The number of a condition, given when it first comes.
  std::int32_t add_condition(const Condition& condition);
  // Takes a rule, or merges it with an equal one: same conditions in any order, same class,
  // same sign. Then source trees are united. The conditions must differ. Returns the number of the rule.
  std::size_t add_rule(std::span<const std::int32_t> conditions, std::int32_t label, double weight,
                       std::span<const std::int32_t> sources);

  std::size_t n_rules() const { return arrays_.label.size(); }
  // Conditions of all rules together.
  std::size_t total_conditions() const { return arrays_.condition.size(); }
  RuleSetPtr finish();

 private:
  struct KeyHash {
    std::size_t operator()(const std::vector<std::int32_t>& key) const;
  };

  Merging merging_;
  RuleArrays arrays_;
  std::unordered_map<Condition, std::int32_t, ConditionHash> condition_number_;
  // Conditions in ascending order, then class and sign.
  std::unordered_map<std::vector<std::int32_t>, std::size_t, KeyHash> rule_number_;
  std::vector<std::vector<std::int32_t>> sources_;
};

}  // namespace sightline::model
