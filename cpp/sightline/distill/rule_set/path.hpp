// The conditions on the way from the root of a tree to a node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "sightline/model/rule_builder.hpp"
#include "sightline/model/tree.hpp"

namespace sightline::distill::rule_set {

enum class ConditionForm {
  kInterval,  // one condition per feature: the values that all tests of the path allow
  kRaw,       // one condition per distinct test of the path
};

// Thrown if the rules would have more conditions than allowed.
class TooManyConditions : public std::overflow_error {
 public:
  TooManyConditions() : std::overflow_error("too many conditions") {}
};

// The condition that one branch of a test puts on its feature. It accepts a missing value if the tree sends all
// missing values down that branch.
model::Condition test_condition(const model::Tree& tree, model::NodeId node, std::size_t branch);

// The conditions of the current path, in the order of their first occurrence.
class Path {
 public:
  Path(std::size_t n_features, ConditionForm form) : form_(form), condition_index_(n_features, -1) {}

  void push(model::Condition condition);
  void pop();
  // Numbers of the conditions in a builder. A test that occurs twice on a path is one condition.
  std::vector<std::int32_t> numbers(model::RuleBuilder& builder) const;

 private:
  ConditionForm form_;
  std::vector<model::Condition> conditions_;
  // Intervals only:
  std::vector<std::int32_t> condition_index_;  // per feature: the index of its condition, -1 if none
  std::vector<std::size_t> changed_;           // per step: the condition that it added or narrowed
  std::vector<model::Condition> undo_;         // per step: that condition before; without a feature if it is new
};

}  // namespace sightline::distill::rule_set
