#include "sightline/model/rules.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "sightline/model/rule_builder.hpp"

namespace sightline::model {
namespace {

[[noreturn]] void fail(const char* what, std::int64_t number, const std::string& why) {
  throw std::invalid_argument(std::string(what) + " " + std::to_string(number) + ": " + why);
}

void check_length(const char* name, std::size_t length, std::size_t expected) {
  if (length != expected) {
    throw std::invalid_argument("'" + std::string(name) + "' has length " + std::to_string(length) + "; expected " +
                                std::to_string(expected));
  }
}

// Offsets that cut `length` entries into `n` consecutive parts.
void check_begins(const char* name, const std::vector<std::int64_t>& begin, std::size_t n, std::size_t length) {
  check_length(name, begin.size(), n + 1);
  if (begin.front() != 0 || begin.back() != static_cast<std::int64_t>(length) || !std::is_sorted(begin.begin(), begin.end())) {
    throw std::invalid_argument("'" + std::string(name) + "' must rise from 0 to " + std::to_string(length));
  }
}

bool rises_below(std::span<const std::int32_t> values, std::int64_t end) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < 0 || values[i] >= end || (i > 0 && values[i] <= values[i - 1])) return false;
  }
  return true;
}

void check_conditions(const RuleSet& rules, const RuleArrays& a) {
  const std::size_t n = a.feature.size();
  check_length("low", a.low.size(), n);
  check_length("high", a.high.size(), n);
  check_length("accepts_missing", a.accepts_missing.size(), n);
  check_begins("category_begin", a.category_begin, n, a.category.size());
  for (std::size_t c = 0; c < n; ++c) {
    const std::int32_t feature = a.feature[c];
    if (feature < 0 || feature >= static_cast<std::int32_t>(a.n_values.size())) {
      fail("condition", c,
           "feature " + std::to_string(feature) + " does not exist (there are " + std::to_string(a.n_values.size()) + ")");
    }
    if (std::isnan(a.low[c]) || std::isnan(a.high[c])) fail("condition", c, "a bound is not a number");
    if (a.accepts_missing[c] > 1) fail("condition", c, "'accepts_missing' must be 0 or 1");
    const auto set = rules.categories(static_cast<std::int32_t>(c));
    if (a.n_values[feature] == 0 && !set.empty()) fail("condition", c, "a numeric feature has no categories");
    if (!rises_below(set, a.n_values[feature])) fail("condition", c, "the categories must be declared values, ascending");
  }
}

void check_different(const RuleSet& rules) {
  std::unordered_map<Condition, std::size_t, ConditionHash> first;
  for (std::size_t c = 0; c < rules.n_conditions(); ++c) {
    const auto [found, is_new] = first.try_emplace(condition_of(rules, static_cast<std::int32_t>(c)), c);
    if (!is_new) fail("condition", c, "is the same as condition " + std::to_string(found->second));
  }
}

void check_rules(const RuleSet& rules, const RuleArrays& a) {
  const std::size_t n = a.label.size();
  check_length("weight", a.weight.size(), n);
  check_begins("condition_begin", a.condition_begin, n, a.condition.size());
  check_begins("source_begin", a.source_begin, n, a.source.size());
  std::vector<std::size_t> seen_in(a.feature.size(), n);
  for (std::size_t r = 0; r < n; ++r) {
    if (a.label[r] < 0 || a.label[r] >= static_cast<std::int32_t>(a.n_classes)) {
      fail("rule", r, "class " + std::to_string(a.label[r]) + " does not exist (there are " + std::to_string(a.n_classes) + ")");
    }
    if (!std::isfinite(a.weight[r])) fail("rule", r, "the weight is not finite");
    for (const std::int32_t c : rules.conditions(r)) {
      if (c < 0 || c >= static_cast<std::int32_t>(a.feature.size())) {
        fail("rule", r,
             "condition " + std::to_string(c) + " does not exist (there are " + std::to_string(a.feature.size()) + ")");
      }
      if (seen_in[c] == r) fail("rule", r, "condition " + std::to_string(c) + " occurs twice");
      seen_in[c] = r;
    }
    if (!rises_below(rules.sources(r), static_cast<std::int64_t>(a.n_trees))) {
      fail("rule", r, "the source trees must exist and be ascending");
    }
  }
}

}  // namespace

RuleSet::RuleSet(RuleArrays arrays) : a_(std::move(arrays)) {
  if (a_.n_classes == 0) throw std::invalid_argument("a rule set needs at least one class");
  check_conditions(*this, a_);
  check_different(*this);
  check_rules(*this, a_);
}

bool RuleSet::holds(std::int32_t c, double value) const {
  if (std::isnan(value)) return a_.accepts_missing[c] != 0;
  if (!is_nominal(c)) return value > a_.low[c] && value <= a_.high[c];
  const auto set = categories(c);
  return std::binary_search(set.begin(), set.end(), static_cast<std::int32_t>(value));
}

RuleSetPtr RuleSet::selected(std::span<const std::int64_t> rules) const {
  RuleArrays chosen;
  chosen.n_values = a_.n_values;
  chosen.n_classes = a_.n_classes;
  chosen.n_trees = a_.n_trees;
  chosen.category_begin = chosen.condition_begin = chosen.source_begin = {0};
  std::vector<std::int32_t> new_number(n_conditions(), -1);
  for (const std::int64_t r : rules) {
    if (r < 0 || r >= static_cast<std::int64_t>(n_rules())) fail("rule", r, "does not exist");
    for (const std::int32_t c : conditions(r)) {
      if (new_number[c] < 0) {
        new_number[c] = static_cast<std::int32_t>(chosen.feature.size());
        chosen.feature.push_back(a_.feature[c]);
        chosen.low.push_back(a_.low[c]);
        chosen.high.push_back(a_.high[c]);
        chosen.accepts_missing.push_back(a_.accepts_missing[c]);
        const auto set = categories(c);
        chosen.category.insert(chosen.category.end(), set.begin(), set.end());
        chosen.category_begin.push_back(static_cast<std::int64_t>(chosen.category.size()));
      }
      chosen.condition.push_back(new_number[c]);
    }
    chosen.condition_begin.push_back(static_cast<std::int64_t>(chosen.condition.size()));
    chosen.label.push_back(a_.label[r]);
    chosen.weight.push_back(a_.weight[r]);
    const auto trees = sources(r);
    chosen.source.insert(chosen.source.end(), trees.begin(), trees.end());
    chosen.source_begin.push_back(static_cast<std::int64_t>(chosen.source.size()));
  }
  return std::make_shared<const RuleSet>(std::move(chosen));
}

RuleSetPtr RuleSet::reweighted(std::vector<double> weight) const {
  RuleArrays arrays = a_;
  arrays.weight = std::move(weight);
  return std::make_shared<const RuleSet>(std::move(arrays));
}

}  // namespace sightline::model
