#include "sightline/model/rule_builder.hpp"

#include <algorithm>
#include <bit>

namespace sightline::model {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::size_t mixed(std::size_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15ull;
  return hash ^ (hash >> 29);
}

// Both zeros are equal, so must be their bits.
std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value + 0.0); }

}  // namespace

bool Condition::no_value() const {
  return nominal ? categories.empty() : !(low < high) || low == std::numeric_limits<double>::max();
}

bool Condition::always(std::int32_t n_values) const {
  if (!accepts_missing) return false;
  return nominal ? static_cast<std::int32_t>(categories.size()) == n_values : low == -kInfinity && high == kInfinity;
}

bool Condition::inside(const Condition& other) const {
  if (accepts_missing && !other.accepts_missing) return false;
  if (no_value()) return true;
  return nominal ? std::includes(other.categories.begin(), other.categories.end(), categories.begin(), categories.end())
                 : low >= other.low && high <= other.high;
}

Condition both(const Condition& a, const Condition& b) {
  Condition result{a.feature, a.nominal, std::max(a.low, b.low), std::min(a.high, b.high), a.accepts_missing && b.accepts_missing,
                   {}};
  std::set_intersection(a.categories.begin(), a.categories.end(), b.categories.begin(), b.categories.end(),
                        std::back_inserter(result.categories));
  return result;
}

Condition condition_of(const RuleSet& rules, std::int32_t c) {
  const RuleArrays& a = rules.arrays();
  const auto set = rules.categories(c);
  return {a.feature[c], rules.is_nominal(c), a.low[c], a.high[c], a.accepts_missing[c] != 0, {set.begin(), set.end()}};
}

std::size_t ConditionHash::operator()(const Condition& c) const {
  std::size_t hash = mixed(static_cast<std::size_t>(c.feature), c.accepts_missing);
  hash = mixed(mixed(hash, bits_of(c.low)), bits_of(c.high));
  for (const std::int32_t code : c.categories) hash = mixed(hash, static_cast<std::uint64_t>(code));
  return hash;
}

std::size_t RuleBuilder::KeyHash::operator()(const std::vector<std::int32_t>& key) const {
  std::size_t hash = key.size();
  for (const std::int32_t part : key) hash = mixed(hash, static_cast<std::uint64_t>(part));
  return hash;
}

RuleBuilder::RuleBuilder(std::vector<std::int32_t> n_values, std::size_t n_classes, std::size_t n_trees, Merging merging)
    : merging_(merging) {
  arrays_.n_values = std::move(n_values);
  arrays_.n_classes = n_classes;
  arrays_.n_trees = n_trees;
  arrays_.category_begin = arrays_.condition_begin = arrays_.source_begin = {0};
}

std::int32_t RuleBuilder::add_condition(const Condition& condition) {
  const auto number = static_cast<std::int32_t>(condition_number_.size());
  const auto [found, is_new] = condition_number_.try_emplace(condition, number);
  if (is_new) {
    arrays_.feature.push_back(condition.feature);
    arrays_.low.push_back(condition.low);
    arrays_.high.push_back(condition.high);
    arrays_.accepts_missing.push_back(condition.accepts_missing);
    arrays_.category.insert(arrays_.category.end(), condition.categories.begin(), condition.categories.end());
    arrays_.category_begin.push_back(static_cast<std::int64_t>(arrays_.category.size()));
  }
  return found->second;
}

std::size_t RuleBuilder::add_rule(std::span<const std::int32_t> conditions, std::int32_t label, double weight,
                                  std::span<const std::int32_t> sources) {
  std::vector<std::int32_t> key(conditions.begin(), conditions.end());
  std::sort(key.begin(), key.end());
  key.push_back(2 * label + (weight < 0));
  const auto [found, is_new] = rule_number_.try_emplace(std::move(key), n_rules());
  if (is_new) {
    arrays_.condition.insert(arrays_.condition.end(), conditions.begin(), conditions.end());
    arrays_.condition_begin.push_back(static_cast<std::int64_t>(arrays_.condition.size()));
    arrays_.label.push_back(label);
    arrays_.weight.push_back(weight);
    sources_.emplace_back(sources.begin(), sources.end());
    return found->second;
  }
  auto& known = sources_[found->second];
  std::vector<std::int32_t> united;
  std::set_union(known.begin(), known.end(), sources.begin(), sources.end(), std::back_inserter(united));
  const auto n_new = static_cast<double>(united.size() - known.size());
  const bool adds_all = merging_ == Merging::kAddWeights || sources.empty();
  arrays_.weight[found->second] += adds_all ? weight : weight * n_new / static_cast<double>(sources.size());
  known = std::move(united);
  return found->second;
}

RuleSetPtr RuleBuilder::finish() {
  for (const auto& sources : sources_) {
    arrays_.source.insert(arrays_.source.end(), sources.begin(), sources.end());
    arrays_.source_begin.push_back(static_cast<std::int64_t>(arrays_.source.size()));
  }
  return std::make_shared<const RuleSet>(std::move(arrays_));
}

}  // namespace sightline::model
