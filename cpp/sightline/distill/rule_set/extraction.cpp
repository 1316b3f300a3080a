#include "sightline/distill/rule_set/extraction.hpp"

#include <algorithm>
#include <cmath>

#include "sightline/model/rule_builder.hpp"

namespace sightline::distill::rule_set {
namespace {

// The condition that one branch of a test puts on its feature.
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

// The conditions on the path from the root to a node, in the order of their first occurrence.
class Path {
 public:
  Path(std::size_t n_features, ConditionForm form) : form_(form), condition_index_(n_features, -1) {}

  void push(model::Condition condition) {
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

  void pop() {
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

  const std::vector<model::Condition>& conditions() const { return conditions_; }

 private:
  ConditionForm form_;
  std::vector<model::Condition> conditions_;
  // Intervals only:
  std::vector<std::int32_t> condition_index_;  // per feature: the index of its condition, -1 if none
  std::vector<std::size_t> changed_;           // per step: the condition that it added or narrowed
  std::vector<model::Condition> undo_;         // per step: that condition before; without a feature if it is new
};

class RuleCollector {
 public:
  RuleCollector(const model::Ensemble& ensemble, std::size_t n_classes, LeafMeaning meaning, ConditionForm form,
                std::size_t max_conditions)
      : ensemble_(ensemble),
        meaning_(meaning),
        form_(form),
        max_conditions_(max_conditions),
        builder_(ensemble.n_values(), n_classes, ensemble.n_trees()) {}

  void add_trees(runtime::StopPoll& poll) {
    for (std::size_t tree = 0; tree < ensemble_.n_trees(); ++tree) {
      poll();
      add_tree(tree, poll);
    }
  }
  model::RuleSetPtr finish() { return builder_.finish(); }
  NumberRules finish_numbers() {
    model::RuleSetPtr rules = builder_.finish();
    for (std::size_t r = 0; r < sums_.size(); ++r) sums_[r] /= rules->arrays().weight[r];
    return {std::move(rules), std::move(sums_)};
  }

 private:
  void add_tree(std::size_t tree, runtime::StopPoll& poll);
  void add_leaf(std::size_t tree, model::NodeId leaf, const Path& path);
  std::size_t add_rule(std::size_t tree, std::int32_t label, double weight);

  const model::Ensemble& ensemble_;
  LeafMeaning meaning_;
  ConditionForm form_;
  std::size_t max_conditions_;
  model::RuleBuilder builder_;
  std::vector<std::int32_t> leaf_conditions_;  // of the current leaf, in the order of the path
  std::vector<double> sums_;                   // numbers only, per rule: weights times numbers
};

void RuleCollector::add_tree(std::size_t number, runtime::StopPoll& poll) {
  const model::Tree& tree = *ensemble_.parts().trees[number];
  Path path(tree.n_features(), form_);
  // A node and the next of its branches to visit.
  std::vector<std::pair<model::NodeId, std::size_t>> open{{0, 0}};
  std::size_t steps = 0;
  while (!open.empty()) {
    if (++steps % 1024 == 0) poll();
    const auto [node, branch] = open.back();
    const auto children = tree.children(node);
    if (branch == 0 && children.empty()) add_leaf(number, node, path);
    if (branch == children.size()) {
      open.pop_back();
      if (!open.empty()) path.pop();
      continue;
    }
    ++open.back().second;
    path.push(test_condition(tree, node, branch));
    open.emplace_back(children[branch], 0);
  }
}

void RuleCollector::add_leaf(std::size_t number, model::NodeId leaf, const Path& path) {
  leaf_conditions_.clear();
  for (const model::Condition& condition : path.conditions()) leaf_conditions_.push_back(builder_.add_condition(condition));
  // A test that occurs twice on a path is one condition.
  std::vector<std::int32_t> seen;
  std::erase_if(leaf_conditions_, [&](std::int32_t c) {
    if (form_ == ConditionForm::kInterval) return false;
    const auto at = std::lower_bound(seen.begin(), seen.end(), c);
    if (at != seen.end() && *at == c) return true;
    seen.insert(at, c);
    return false;
  });
  const model::EnsembleParts& parts = ensemble_.parts();
  const model::Tree& tree = *parts.trees[number];
  const auto output = tree.output(leaf);
  const double weight = parts.tree_weight[number];
  if (meaning_ == LeafMeaning::kClass) {
    const double against = parts.combine == model::Combine::kVote ? parts.vote_against[number] : 0.0;
    add_rule(number, static_cast<std::int32_t>(model::argmax(output, parts.tie_tolerance)), weight - against);
    return;
  }
  if (meaning_ == LeafMeaning::kNumber) {
    const std::size_t rule = add_rule(number, 0, weight);
    if (rule >= sums_.size()) sums_.resize(rule + 1, 0.0);
    sums_[rule] += weight * output[0];
    return;
  }
  for (std::size_t k = 0; k < output.size(); ++k) {
    const double value = weight * output[k];
    if (value == 0) continue;
    if (parts.n_scores == 1) {
      add_rule(number, value > 0 ? 1 : 0, std::abs(value));
    } else {
      add_rule(number, parts.tree_score[number] >= 0 ? parts.tree_score[number] : static_cast<std::int32_t>(k), value);
    }
  }
}

std::size_t RuleCollector::add_rule(std::size_t tree, std::int32_t label, double weight) {
  const auto source = static_cast<std::int32_t>(tree);
  const std::size_t rule = builder_.add_rule(leaf_conditions_, label, weight, {&source, 1});
  if (builder_.total_conditions() > max_conditions_) throw TooManyConditions();
  return rule;
}

}  // namespace

model::RuleSetPtr rules_of_ensemble(const model::Ensemble& ensemble, std::size_t n_classes, LeafMeaning meaning,
                                    ConditionForm form, std::size_t max_conditions, runtime::StopPoll& poll) {
  RuleCollector collector(ensemble, n_classes, meaning, form, max_conditions);
  collector.add_trees(poll);
  return collector.finish();
}

NumberRules number_rules_of_ensemble(const model::Ensemble& ensemble, ConditionForm form, std::size_t max_conditions,
                                     runtime::StopPoll& poll) {
  RuleCollector collector(ensemble, 1, LeafMeaning::kNumber, form, max_conditions);
  collector.add_trees(poll);
  return collector.finish_numbers();
}

}  // namespace sightline::distill::rule_set
