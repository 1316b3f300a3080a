#include "sightline/distill/rule_set/extraction.hpp"

#include <cmath>

#include "sightline/distill/rule_set/path.hpp"

namespace sightline::distill::rule_set {
namespace {

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
  leaf_conditions_ = path.numbers(builder_);
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
