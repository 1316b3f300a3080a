#include "sightline/model/rule_simplification.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace sightline {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// More than rounding can make of equal sums.
constexpr double kMargin = 1e-6;

// What a rule leaves of one feature.
struct Side {
  std::int32_t feature = -1;
  bool nominal = false;
  double low = -kInfinity;
  double high = kInfinity;
  bool missing = true;
  std::vector<std::int32_t> categories;

  auto operator<=>(const Side&) const = default;

  bool no_value() const { return nominal ? categories.empty() : !(low < high) || low == std::numeric_limits<double>::max(); }
  bool impossible() const { return no_value() && !missing; }
  bool always(std::int32_t n_values) const {
    if (!missing) return false;
    return nominal ? static_cast<std::int32_t>(categories.size()) == n_values : low == -kInfinity && high == kInfinity;
  }
  bool inside(const Side& other) const {
    if (missing && !other.missing) return false;
    if (no_value()) return true;
    return nominal ? std::includes(other.categories.begin(), other.categories.end(), categories.begin(), categories.end())
                   : low >= other.low && high <= other.high;
  }
  Side both(const Side& other) const {
    Side result{feature, nominal, std::max(low, other.low), std::min(high, other.high), missing && other.missing, {}};
    std::set_intersection(categories.begin(), categories.end(), other.categories.begin(), other.categories.end(),
                          std::back_inserter(result.categories));
    return result;
  }
};

// A rule as the rows that satisfy it: one side per feature, ascending by feature.
struct BoxedRule {
  std::vector<Side> sides;
  std::int32_t label = 0;
  double weight = 0;
  std::vector<std::int32_t> sources;
  bool dropped = false;
};

Side side_of(const RuleSet& rules, std::int32_t c) {
  const RuleArrays& a = rules.arrays();
  const auto set = rules.categories(c);
  return {a.feature[c], rules.is_nominal(c), a.low[c], a.high[c], a.accepts_missing[c] != 0, {set.begin(), set.end()}};
}

BoxedRule boxed(const RuleSet& rules, std::size_t r) {
  std::map<std::int32_t, Side> sides;
  for (const std::int32_t c : rules.conditions(r)) {
    Side side = side_of(rules, c);
    const auto [found, is_new] = sides.try_emplace(side.feature, side);
    if (!is_new) found->second = found->second.both(side);
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
  return std::none_of(rule.sides.begin(), rule.sides.end(), [](const Side& side) { return side.impossible(); });
}

// Whether every row of `inner` satisfies `outer`.
bool covers(const BoxedRule& outer, const BoxedRule& inner) {
  auto at = inner.sides.begin();
  for (const Side& side : outer.sides) {
    while (at != inner.sides.end() && at->feature < side.feature) ++at;
    if (at == inner.sides.end() || at->feature != side.feature || !at->inside(side)) return false;
  }
  return true;
}

// Whether some row satisfies both.
bool meet(const BoxedRule& a, const BoxedRule& b) {
  auto at = a.sides.begin();
  for (const Side& side : b.sides) {
    while (at != a.sides.end() && at->feature < side.feature) ++at;
    if (at != a.sides.end() && at->feature == side.feature && at->both(side).impossible()) return false;
  }
  return true;
}

void merge_equal(std::vector<BoxedRule>& rules) {
  std::map<std::pair<std::pair<std::int32_t, bool>, std::vector<Side>>, std::size_t> first;
  for (std::size_t r = 0; r < rules.size(); ++r) {
    const auto [found, is_new] = first.try_emplace({{rules[r].label, rules[r].weight < 0}, rules[r].sides}, r);
    if (is_new) continue;
    BoxedRule& kept = rules[found->second];
    kept.weight += rules[r].weight;
    std::vector<std::int32_t> sources;
    std::set_union(kept.sources.begin(), kept.sources.end(), rules[r].sources.begin(), rules[r].sources.end(),
                   std::back_inserter(sources));
    kept.sources = std::move(sources);
    rules[r].dropped = true;
  }
  std::erase_if(rules, [](const BoxedRule& rule) { return rule.dropped; });
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

void drop_outvoted(std::vector<BoxedRule>& rules, const Voting& voting, StopPoll& poll) {
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

RuleSetPtr unboxed(const RuleSet& original, const std::vector<BoxedRule>& rules) {
  RuleArrays a;
  a.n_values = original.arrays().n_values;
  a.n_classes = original.n_classes();
  a.n_trees = original.arrays().n_trees;
  a.category_begin = a.condition_begin = a.source_begin = {0};
  std::map<Side, std::int32_t> numbers;
  for (const BoxedRule& rule : rules) {
    for (const Side& side : rule.sides) {
      const auto [found, is_new] = numbers.try_emplace(side, static_cast<std::int32_t>(numbers.size()));
      if (is_new) {
        a.feature.push_back(side.feature);
        a.low.push_back(side.low);
        a.high.push_back(side.high);
        a.accepts_missing.push_back(side.missing);
        a.category.insert(a.category.end(), side.categories.begin(), side.categories.end());
        a.category_begin.push_back(static_cast<std::int64_t>(a.category.size()));
      }
      a.condition.push_back(found->second);
    }
    a.condition_begin.push_back(static_cast<std::int64_t>(a.condition.size()));
    a.label.push_back(rule.label);
    a.weight.push_back(rule.weight);
    a.source.insert(a.source.end(), rule.sources.begin(), rule.sources.end());
    a.source_begin.push_back(static_cast<std::int64_t>(a.source.size()));
  }
  return std::make_shared<const RuleSet>(std::move(a));
}

// Rules that can reach the share from which they vote, or that of the fallback.
RuleSetPtr able_to_vote(const RuleSet& rules, const Voting& voting) {
  std::vector<std::int64_t> able;
  for (std::size_t r = 0; r < rules.n_rules(); ++r) {
    std::size_t reachable = 0;
    for (const std::int32_t c : rules.conditions(r)) reachable += !side_of(rules, c).impossible();
    const double share = std::min(voting.factor != 0 ? voting.pc : 1.0, voting.fallback);
    const std::size_t length = rules.conditions(r).size();
    if (reachable == length || (reachable > 0 && reachable >= conditions_needed(share, length))) {
      able.push_back(static_cast<std::int64_t>(r));
    }
  }
  return rules.selected(able);
}

}  // namespace

RuleSetPtr simplified(const RuleSet& rules, const Voting& voting, StopPoll& poll) {
  const bool only_full = (voting.pc >= 1 || voting.factor == 0) && voting.fallback >= 1;
  if (!only_full) return able_to_vote(rules, voting);
  std::vector<BoxedRule> boxes;
  for (std::size_t r = 0; r < rules.n_rules(); ++r) {
    BoxedRule rule = boxed(rules, r);
    if (satisfiable(rule)) boxes.push_back(std::move(rule));
  }
  merge_equal(boxes);
  drop_outvoted(boxes, voting, poll);
  return unboxed(rules, boxes);
}

}  // namespace sightline
