#include "sightline/model/rule_simplification.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "sightline/model/rule_builder.hpp"

namespace sightline::model {
namespace {

// More than rounding can make of equal sums.
constexpr double kMargin = 1e-6;

// A rule as the rows that satisfy it: one side per feature, ascending by feature.
struct BoxedRule {
  std::vector<Condition> sides;
  std::int32_t label = 0;
  double weight = 0;
  std::vector<std::int32_t> sources;
  bool dropped = false;
};

BoxedRule boxed(const RuleSet& rules, std::size_t r) {
  std::map<std::int32_t, Condition> sides;
  for (const std::int32_t c : rules.conditions(r)) {
    Condition side = condition_of(rules, c);
    const auto [found, is_new] = sides.try_emplace(side.feature, side);
    if (!is_new) found->second = both(found->second, side);
  }
  BoxedRule rule;
  for (auto& [feature, side] : sides) {
    if (!side.always(rules.arrays().n_values[feature])) rule.sides.push_back(std::move(side));
  }
  rule.label = rules.arrays().label[r];
  rule.weight = rules.arrays().weight[r];
  const auto sources = rules.sources(r);
  rule.sources.assign(sources.begin(), sources.end());
  return rule;
}

bool satisfiable(const BoxedRule& rule) {
  return std::none_of(rule.sides.begin(), rule.sides.end(), [](const Condition& side) { return side.impossible(); });
}

// Whether every row of `inner` satisfies `outer`.
bool covers(const BoxedRule& outer, const BoxedRule& inner) {
  auto at = inner.sides.begin();
  for (const Condition& side : outer.sides) {
    while (at != inner.sides.end() && at->feature < side.feature) ++at;
    if (at == inner.sides.end() || at->feature != side.feature || !at->inside(side)) return false;
  }
  return true;
}

// Whether some row satisfies both.
bool meet(const BoxedRule& a, const BoxedRule& b) {
  auto at = a.sides.begin();
  for (const Condition& side : b.sides) {
    while (at != a.sides.end() && at->feature < side.feature) ++at;
    if (at != a.sides.end() && at->feature == side.feature && both(*at, side).impossible()) return false;
  }
  return true;
}

// Least votes of the rule's class and most votes of each other, over the rows of the rule
// and without it.
bool outvotes_without(const std::vector<BoxedRule>& rules, std::size_t r, const Voting& voting) {
  const BoxedRule& rule = rules[r];
  std::vector<double> votes(voting.base.begin(), voting.base.end());
  double total = 0;
  for (std::size_t o = 0; o < rules.size(); ++o) {
    const BoxedRule& other = rules[o];
    if (o == r || other.dropped) continue;
    const bool helps = (other.label == rule.label) == (other.weight >= 0);
    if (helps ? covers(other, rule) : meet(other, rule)) votes[other.label] += other.weight;
    total += std::abs(other.weight);
  }
  for (std::size_t k = 0; k < votes.size(); ++k) {
    if (static_cast<std::int32_t>(k) != rule.label && !(votes[rule.label] > votes[k] + kMargin * total)) return false;
  }
  return votes[rule.label] != 0;
}

void drop_outvoted(std::vector<BoxedRule>& rules, const Voting& voting, runtime::StopPoll& poll) {
  // The most special first: what remains is general.
  std::vector<std::size_t> order(rules.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::make_pair(rules[a].weight, rules[b].sides.size()) < std::make_pair(rules[b].weight, rules[a].sides.size());
  });
  for (const std::size_t r : order) {
    poll();
    if (rules[r].weight >= 0 && outvotes_without(rules, r, voting)) rules[r].dropped = true;
  }
  std::erase_if(rules, [](const BoxedRule& rule) { return rule.dropped; });
}

// The boxes as rules, equal ones merged.
RuleSetPtr unboxed(const RuleSet& original, const std::vector<BoxedRule>& rules) {
  RuleBuilder builder(original.arrays().n_values, original.n_classes(), original.arrays().n_trees);
  std::vector<std::int32_t> conditions;
  for (const BoxedRule& rule : rules) {
    conditions.clear();
    for (const Condition& side : rule.sides) conditions.push_back(builder.add_condition(side));
    builder.add_rule(conditions, rule.label, rule.weight, rule.sources);
  }
  return builder.finish();
}

std::vector<BoxedRule> boxes_of(const RuleSet& rules) {
  std::vector<BoxedRule> boxes;
  for (std::size_t r = 0; r < rules.n_rules(); ++r) {
    BoxedRule rule = boxed(rules, r);
    if (satisfiable(rule)) boxes.push_back(std::move(rule));
  }
  return boxes;
}

// Rules that can reach the share from which they vote, or that of the fallback.
RuleSetPtr able_to_vote(const RuleSet& rules, const Voting& voting) {
  std::vector<std::int64_t> able;
  for (std::size_t r = 0; r < rules.n_rules(); ++r) {
    std::size_t reachable = 0;
    for (const std::int32_t c : rules.conditions(r)) reachable += !condition_of(rules, c).impossible();
    const double share = std::min(voting.factor != 0 ? voting.pc : 1.0, voting.fallback);
    const std::size_t length = rules.conditions(r).size();
    if (reachable == length || (reachable > 0 && reachable >= conditions_needed(share, length))) {
      able.push_back(static_cast<std::int64_t>(r));
    }
  }
  return rules.selected(able);
}

}  // namespace

RuleSetPtr simplified(const RuleSet& rules, const Voting& voting, runtime::StopPoll& poll) {
  const bool only_full = (voting.pc >= 1 || voting.factor == 0) && voting.fallback >= 1;
  if (!only_full) return able_to_vote(rules, voting);
  const RuleSetPtr merged = unboxed(rules, boxes_of(rules));
  std::vector<BoxedRule> boxes = boxes_of(*merged);
  drop_outvoted(boxes, voting, poll);
  return unboxed(*merged, boxes);
}

}  // namespace sightline::model
