#include "sightline/proof/boxed_rules.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace sightline::proof {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

// Far more than what the decision itself takes for rounding: see rule_decision.cpp.
constexpr double kSlack = 1e-8;
constexpr double kSurelyAVote = 1e-10;

model::Voting referring_to(model::Voting voting, const std::vector<double>& base, const std::vector<double>& prior) {
  voting.base = base;
  voting.prior = prior;
  return voting;
}

}  // namespace

BoxedRules::BoxedRules(model::RuleSetPtr rules, const model::Voting& voting)
    : rules_(std::move(rules)),
      base_(voting.base.begin(), voting.base.end()),
      prior_(voting.prior.begin(), voting.prior.end()),
      voting_(referring_to(voting, base_, prior_)),
      voters_(*rules_, voting_),
      conditions_of_feature_(rules_->arrays().n_values.size()),
      rules_of_condition_(rules_->n_conditions()),
      votes_(rules_->n_classes()),
      tells_(rules_->n_conditions()),
      codes_(rules_->arrays().n_values.size()),
      label_votes_(rules_->n_classes()) {
  for (std::size_t c = 0; c < rules_->n_conditions(); ++c) {
    conditions_of_feature_[rules_->arrays().feature[c]].push_back(static_cast<std::int32_t>(c));
  }
  for (std::size_t r = 0; r < rules_->n_rules(); ++r) {
    for (const std::int32_t c : rules_->conditions(r)) rules_of_condition_[c].push_back(static_cast<std::int32_t>(r));
  }
  ask_conditions_as_nodes();
  find_rounding();
}

// A class's votes are added in a different order here than in a prediction. Each sum errs by at
// most half a unit in the last place of a partial sum per addition, and a partial sum is at most
// the sum of all magnitudes, however small the total: weights may cancel.
void BoxedRules::find_rounding() {
  std::vector<double> magnitude(rules_->n_classes());
  for (std::size_t k = 0; k < magnitude.size(); ++k) magnitude[k] = std::abs(base_[k]);
  const double most = std::max(1.0, std::abs(voting_.factor));
  for (std::size_t r = 0; r < rules_->n_rules(); ++r) {
    magnitude[rules_->arrays().label[r]] += most * std::abs(rules_->arrays().weight[r]);
  }
  const double n = static_cast<double>(rules_->n_rules()) + 8;
  rounding_ = 8 * n * std::numeric_limits<double>::epsilon() * *std::max_element(magnitude.begin(), magnitude.end());
}

// One node per different test, in a chain: branch 0 is a leaf, branch 1 the next node. Missing
// values take both branches, so that a question asks first whether there is a value.
void BoxedRules::ask_conditions_as_nodes() {
  using Key = std::tuple<std::int32_t, double, std::vector<std::int32_t>>;
  std::map<Key, model::NodeId> numbers;
  std::vector<Key> keys;
  const auto node_of = [&](Key key) {
    const auto [found, is_new] = numbers.emplace(key, static_cast<model::NodeId>(2 * keys.size()));
    if (is_new) keys.push_back(std::move(key));
    return found->second;
  };
  const model::RuleArrays& a = rules_->arrays();
  for (std::size_t c = 0; c < rules_->n_conditions(); ++c) {
    const auto set = rules_->categories(static_cast<std::int32_t>(c));
    const bool is_nominal = rules_->is_nominal(static_cast<std::int32_t>(c));
    // An end that is no number cannot be asked for, only whether there is a value.
    const auto end = [&](double value) { return is_nominal ? 0.0 : std::isfinite(value) ? value + 0.0 : kLargest; };
    low_test_.push_back(node_of({a.feature[c], end(a.low[c]), {set.begin(), set.end()}}));
    high_test_.push_back(node_of({a.feature[c], end(a.high[c]), {set.begin(), set.end()}}));
  }
  model::TreeArrays arrays;
  arrays.n_values = a.n_values;
  arrays.n_outputs = 1;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto& [feature, threshold, set] = keys[i];
    const bool is_nominal = a.n_values[feature] > 0;
    arrays.add_node(is_nominal ? model::Test::kSubset : model::Test::kThreshold, feature, threshold, 0);
    arrays.add_branch(static_cast<model::NodeId>(2 * i + 1), 0.5);
    arrays.add_branch(static_cast<model::NodeId>(2 * i + 2), 0.5);
    for (const std::int32_t value : set) arrays.add_category(value);
    arrays.add_node(model::Test::kLeaf, -1, 0, 0);
  }
  arrays.add_node(model::Test::kLeaf, -1, 0, 0);
  arrays.output = {1, std::vector<double>(arrays.n_nodes(), 0.0)};
  tests_ = model::build_tree(std::move(arrays));
}

BoxedRules::State BoxedRules::state_of_known(const Box& box, std::int32_t condition) const {
  const model::RuleArrays& a = rules_->arrays();
  const std::int32_t feature = a.feature[condition];
  if (rules_->is_nominal(condition)) {
    const CategorySet& allowed = box.allowed(feature);
    std::size_t n_inside = 0;
    for (const std::int32_t value : rules_->categories(condition)) n_inside += allowed.contains(value);
    return n_inside == 0 ? State::kFails : n_inside == allowed.size() ? State::kHolds : State::kOpen;
  }
  const Interval& known = box.interval(feature);
  const Interval common{std::max(known.low, a.low[condition]), std::min(known.high, a.high[condition])};
  if (common.empty()) return State::kFails;
  const bool covers = a.low[condition] <= known.low && std::min(known.high, kLargest) <= a.high[condition];
  return covers ? State::kHolds : State::kOpen;
}

BoxedRules::State BoxedRules::state(const Box& box, std::int32_t condition) const {
  const std::int32_t feature = rules_->arrays().feature[condition];
  const State missing = rules_->arrays().accepts_missing[condition] ? State::kHolds : State::kFails;
  if (!box.may_be_known(feature)) return missing;
  const State known = state_of_known(box, condition);
  return !box.may_be_missing(feature) || known == missing ? known : State::kOpen;
}

void BoxedRules::count(std::int32_t condition, State state, std::int32_t by) {
  if (state == State::kOpen) return;
  std::vector<std::int32_t>& counts = state == State::kHolds ? n_holding_ : n_failing_;
  for (const std::int32_t rule : rules_of_condition_[condition]) counts[rule] += by;
}

void BoxedRules::set_state(std::int32_t condition, State state) {
  count(condition, state_[condition], -1);
  count(condition, state, 1);
  state_[condition] = state;
}

void BoxedRules::start(const Box& box) {
  state_.assign(rules_->n_conditions(), State::kOpen);
  n_holding_.assign(rules_->n_rules(), 0);
  n_failing_.assign(rules_->n_rules(), 0);
  changes_.clear();
  level_begin_.clear();
  for (std::size_t c = 0; c < rules_->n_conditions(); ++c) {
    set_state(static_cast<std::int32_t>(c), state(box, static_cast<std::int32_t>(c)));
  }
}

void BoxedRules::enter(const Box& box, std::int32_t feature) {
  level_begin_.push_back(changes_.size());
  for (const std::int32_t c : conditions_of_feature_[feature]) {
    if (state_[c] != State::kOpen) continue;
    const State now = state(box, c);
    if (now == State::kOpen) continue;
    changes_.push_back({c, state_[c]});
    set_state(c, now);
  }
}

void BoxedRules::leave() {
  for (; changes_.size() > level_begin_.back(); changes_.pop_back()) set_state(changes_.back().condition, changes_.back().before);
  level_begin_.pop_back();
}

// What a rule's votes lie between: `full` for all conditions, `factor` times their share from
// `min_share` on.
BoxedRules::Bounds BoxedRules::vote(std::size_t rule, double min_share, double factor, double full) const {
  const std::size_t length = rules_->conditions(rule).size();
  const std::size_t needed = std::max<std::size_t>(1, model::conditions_needed(min_share, length));
  const auto worth = [&](std::size_t n) {
    if (n == length) return full;
    return n >= needed ? factor * static_cast<double>(n) / static_cast<double>(length) : 0.0;
  };
  const double weight = rules_->arrays().weight[rule];
  const double least = weight * worth(n_holding_[rule]), most = weight * worth(length - n_failing_[rule]);
  return {std::min(least, most), std::max(least, most)};
}

BoxedRules::Bounds BoxedRules::main_vote(std::size_t rule) const { return vote(rule, voting_.pc, voting_.factor, 1.0); }

// A full match does not count here, which breaks the order: the vote may then be nothing.
BoxedRules::Bounds BoxedRules::fallback_vote(std::size_t rule) const {
  Bounds bounds = vote(rule, voting_.fallback, 1.0, 1.0);
  const std::size_t length = rules_->conditions(rule).size();
  if (length - n_failing_[rule] == length) bounds = {std::min(bounds.low, 0.0), std::max(bounds.high, 0.0)};
  if (n_holding_[rule] == static_cast<std::int32_t>(length)) bounds = {0, 0};
  return bounds;
}

void BoxedRules::sum_votes() {
  for (std::size_t k = 0; k < votes_.size(); ++k) votes_[k] = {base_[k], base_[k]};
  votes_are_certain_ = true;
  for (std::size_t r = 0; r < rules_->n_rules(); ++r) {
    const Bounds bounds = main_vote(r);
    Bounds& sum = votes_[rules_->arrays().label[r]];
    sum.low += bounds.low;
    sum.high += bounds.high;
    votes_are_certain_ = votes_are_certain_ && bounds.width() == 0;
  }
}

// The class that has more votes than every other one, whatever the outcome of the open conditions.
std::int32_t BoxedRules::clear_winner() const {
  double largest = 0;
  std::size_t best = 0;
  for (std::size_t k = 0; k < votes_.size(); ++k) {
    largest = std::max({largest, std::abs(votes_[k].low), std::abs(votes_[k].high)});
    if (votes_[k].low > votes_[best].low) best = k;
  }
  if (!std::isfinite(largest) || !std::isfinite(rounding_) || may_be_without_votes()) return kOpen;
  for (std::size_t k = 0; k < votes_.size(); ++k) {
    if (k != best && !(votes_[best].low - votes_[k].high > kSlack * largest + rounding_)) return kOpen;
  }
  return static_cast<std::int32_t>(best);
}

bool BoxedRules::may_be_without_votes() const {
  return std::none_of(votes_.begin(), votes_.end(), [this](const Bounds& votes) {
    return votes.low > kSurelyAVote + rounding_ || votes.high < -kSurelyAVote - rounding_;
  });
}

std::int32_t BoxedRules::verdict(const Box& box) {
  sum_votes();
  const std::int32_t winner = clear_winner();
  if (winner != kOpen) return winner;
  if (!votes_are_certain_) return kOpen;
  if (may_be_without_votes() && voting_.fallback < 1) {
    for (std::size_t r = 0; r < rules_->n_rules(); ++r) {
      if (fallback_vote(r).width() > 0) return kOpen;
    }
  }
  return label(box.witness().data());
}

// The open condition that decides the most votes; a rule's votes depend equally on each of its open conditions.
std::int32_t BoxedRules::most_telling_condition() {
  std::fill(tells_.begin(), tells_.end(), 0.0);
  for (std::size_t r = 0; r < rules_->n_rules(); ++r) {
    const Bounds bounds = votes_are_certain_ ? fallback_vote(r) : main_vote(r);
    if (bounds.width() == 0) continue;
    const auto conditions = rules_->conditions(r);
    const double n_open = static_cast<double>(conditions.size()) - n_holding_[r] - n_failing_[r];
    for (const std::int32_t c : conditions) {
      if (state_[c] == State::kOpen) tells_[c] += bounds.width() / n_open + std::numeric_limits<double>::min();
    }
  }
  return static_cast<std::int32_t>(std::max_element(tells_.begin(), tells_.end()) - tells_.begin());
}

Question BoxedRules::question(const Box& box) {
  const std::int32_t c = most_telling_condition();
  const std::int32_t feature = rules_->arrays().feature[c];
  // The lower end decides nothing where the box lies above it.
  const bool is_above = !rules_->is_nominal(c) && box.interval(feature).low >= rules_->arrays().low[c];
  return Question::of(box, *tests_, is_above ? high_test_[c] : low_test_[c]);
}

std::int32_t BoxedRules::label(const double* row) {
  std::vector<table::Column> columns;
  for (std::size_t f = 0; f < codes_.size(); ++f) {
    const std::int32_t n_values = rules_->arrays().n_values[f];
    if (n_values == 0) {
      columns.push_back(table::Column::numeric(row + f, 1));
      continue;
    }
    codes_[f] = std::isnan(row[f]) ? table::kMissingCode : static_cast<std::int32_t>(row[f]);
    columns.push_back(table::Column::nominal(&codes_[f], 1, n_values));
  }
  runtime::StopPoll never;
  voters_.vote(table::Columns(std::move(columns), 1), 1, never, label_votes_.data());
  return static_cast<std::int32_t>(model::vote_winner(label_votes_, prior_));
}

}  // namespace sightline::proof
