#include "sightline/distill/rule_set/path.hpp"

#include <algorithm>

namespace sightline::distill::rule_set {

model::Condition test_condition(const model::Tree& tree, model::NodeId node, std::size_t branch) {
  model::Condition condition;
  condition.feature = tree.feature(node);
  condition.nominal = tree.test(node) != model::Test::kThreshold;
  condition.accepts_missing = tree.missing_branch(node) == static_cast<std::int32_t>(branch);
  if (tree.test(node) == model::Test::kThreshold) {
    (branch == 0 ? condition.high : condition.low) = tree.threshold(node);
  } else if (tree.test(node) == model::Test::kMultiway) {
    condition.categories = {static_cast<std::int32_t>(branch)};
  } else {
    const auto set = tree.categories(node);
    const std::int32_t n_values = tree.arrays().n_values[condition.feature];
    for (std::int32_t code = 0; code < n_values; ++code) {
      if (std::binary_search(set.begin(), set.end(), code) == (branch == 0)) condition.categories.push_back(code);
    }
  }
  return condition;
}

void Path::push(model::Condition condition) {
  if (form_ == ConditionForm::kRaw) {
    conditions_.push_back(std::move(condition));
    return;
  }
  std::int32_t& index = condition_index_[condition.feature];
  if (index < 0) {
    index = static_cast<std::int32_t>(conditions_.size());
    undo_.push_back({});
    conditions_.push_back(std::move(condition));
  } else {
    undo_.push_back(conditions_[index]);
    conditions_[index] = model::both(undo_.back(), condition);
  }
  changed_.push_back(static_cast<std::size_t>(index));
}

void Path::pop() {
  if (form_ == ConditionForm::kRaw) {
    conditions_.pop_back();
    return;
  }
  const std::size_t index = changed_.back();
  changed_.pop_back();
  if (undo_.back().feature < 0) {
    condition_index_[conditions_[index].feature] = -1;
    conditions_.pop_back();
  } else {
    conditions_[index] = std::move(undo_.back());
  }
  undo_.pop_back();
}

std::vector<std::int32_t> Path::numbers(model::RuleBuilder& builder) const {
  std::vector<std::int32_t> numbers;
  std::vector<std::int32_t> seen;  // ascending
  for (const model::Condition& condition : conditions_) {
    const std::int32_t number = builder.add_condition(condition);
    if (form_ == ConditionForm::kRaw) {
      const auto at = std::lower_bound(seen.begin(), seen.end(), number);
      if (at != seen.end() && *at == number) continue;
      seen.insert(at, number);
    }
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace sightline::distill::rule_set
