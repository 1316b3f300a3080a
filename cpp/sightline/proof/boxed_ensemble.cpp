#include "sightline/proof/boxed_ensemble.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace sightline::proof {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::size_t axes_of(const model::Ensemble& ensemble, const model::LabelRule& rule) {
  const std::size_t n = ensemble.n_scores();
  if (rule.formula || rule.answer != model::Answer::kLabel) return n;
  if (rule.above) return 1;
  return n == 1 ? 0 : n == 2 ? 1 : n;
}

}  // namespace

BoxedEnsemble::BoxedEnsemble(model::EnsemblePtr ensemble, model::LabelRule rule, runtime::StopPoll& poll)
    : ensemble_(std::move(ensemble)),
      rule_(std::move(rule)),
      forest_(*ensemble_),
      n_trees_(ensemble_->n_trees()),
      n_axes_(axes_of(*ensemble_, rule_)),
      rounding_(score_slack(*ensemble_, rule_)),
      total_(n_axes_),
      scores_(ensemble_->n_scores()) {
  if (rule_.formula) formula_.emplace(rule_.formula);
  if (rule_.answer == model::Answer::kMedian) median_.emplace(ensemble_->parts().tree_weight);
  number_tests(poll);
  find_leaf_values();
  test_score_.assign(n_tests_, 0.0);
}

void BoxedEnsemble::number_tests(runtime::StopPoll& poll) {
  using Key = std::tuple<model::Test, std::int32_t, double, std::vector<std::int32_t>>;
  std::map<Key, std::int32_t> numbers;
  for (const model::TreePtr& tree : ensemble_->parts().trees) {
    poll();
    first_node_.push_back(test_number_.size());
    for (model::NodeId v = 0; v < static_cast<model::NodeId>(tree->n_nodes()); ++v) {
      if (tree->is_leaf(v)) {
        test_number_.push_back(-1);
        continue;
      }
      const auto set = tree->categories(v);
      // Adding zero makes the two zeros one: they are the same threshold.
      Key key{tree->test(v), tree->feature(v), tree->threshold(v) + 0.0, {set.begin(), set.end()}};
      test_number_.push_back(numbers.emplace(std::move(key), static_cast<std::int32_t>(numbers.size())).first->second);
    }
  }
  n_tests_ = static_cast<std::int32_t>(numbers.size());
}

// What scores come to on the axes.
void BoxedEnsemble::values_of_scores(const double* scores, double* values) const {
  const bool is_difference = n_axes_ == 1 && ensemble_->n_scores() == 2;
  if (is_difference) {
    values[0] = scores[1] - scores[0];
  } else {
    std::copy(scores, scores + n_axes_, values);
  }
}

// What a tree adds on the axes when it gives this output.
void BoxedEnsemble::values_of(std::size_t t, model::NumberRow<double> output, double* values) const {
  const model::EnsembleParts& parts = ensemble_->parts();
  if (parts.combine == model::Combine::kVote) {
    return values_of_vote(t, model::argmax(output, parts.tie_tolerance), values);
  }
  std::vector<double> scores(parts.n_scores, 0.0);
  const std::int32_t only = parts.tree_score[t];
  for (std::size_t k = 0; k < parts.n_scores; ++k) {
    // A median weighs the trees, not their outputs.
    const double weight = median_ ? 1 : parts.tree_weight[t];
    if (only < 0 || only == static_cast<std::int32_t>(k)) scores[k] = weight * output[only < 0 ? k : 0];
  }
  values_of_scores(scores.data(), values);
}

void BoxedEnsemble::values_of_vote(std::size_t t, std::size_t vote, double* values) const {
  const model::EnsembleParts& parts = ensemble_->parts();
  std::vector<double> scores(parts.n_scores, parts.vote_against[t]);
  scores[vote] = parts.tree_weight[t];
  values_of_scores(scores.data(), values);
}

void BoxedEnsemble::find_leaf_values() {
  leaf_value_.resize(forest_.n_leaves() * n_axes_);
  std::size_t leaf = 0;
  for (std::size_t t = 0; t < n_trees_; ++t) {
    const model::Tree& tree = *ensemble_->parts().trees[t];
    for (model::NodeId v = 0; v < static_cast<model::NodeId>(tree.n_nodes()); ++v) {
      if (tree.is_leaf(v)) values_of(t, tree.output(v), leaf_value_.data() + leaf++ * n_axes_);
    }
  }
  base_value_.resize(n_axes_);
  values_of_scores(ensemble_->parts().base.data(), base_value_.data());
}

void BoxedEnsemble::start(const Box& box) {
  forest_.start(box);
  bounds_.assign(n_trees_ * n_axes_, {0, 0});
  settled_.assign(n_trees_, 0);
  mixes_.assign(n_trees_, 0);
  for (std::size_t t = 0; t < n_trees_; ++t) bound_tree(box, t);
}

void BoxedEnsemble::enter(const Box& box, std::int32_t feature) {
  forest_.enter(box, feature, changed_);
  bounds_.resize(bounds_.size() + n_trees_ * n_axes_);
  std::copy(bounds_.end() - 2 * n_trees_ * n_axes_, bounds_.end() - n_trees_ * n_axes_, bounds_.end() - n_trees_ * n_axes_);
  settled_.resize(settled_.size() + n_trees_);
  std::copy(settled_.end() - 2 * n_trees_, settled_.end() - n_trees_, settled_.end() - n_trees_);
  mixes_.resize(mixes_.size() + n_trees_);
  std::copy(mixes_.end() - 2 * n_trees_, mixes_.end() - n_trees_, mixes_.end() - n_trees_);
  for (const std::int32_t t : changed_) bound_tree(box, t);
  // A value that can no longer be missing narrows what a tree may vote, though not its shape.
  if (!votes() || box.may_be_missing(feature)) return;
  for (std::size_t t = 0; t < n_trees_; ++t) {
    if (mixes(t)) bound_tree(box, t);
  }
}

void BoxedEnsemble::leave() {
  forest_.leave();
  bounds_.resize(bounds_.size() - n_trees_ * n_axes_);
  settled_.resize(settled_.size() - n_trees_);
  mixes_.resize(mixes_.size() - n_trees_);
}

// Outputs that are added stay within those of the live leaves when a missing value mixes them,
// so only nodes that certainly mix are worth a closer look. Votes do not: a mixture may vote
// for a class that no leaf votes for, so every node counts that may mix.
bool BoxedEnsemble::mixes_at(const Box& box, std::size_t t, const ContractedForest::Entry& entry) const {
  if (entry.is_leaf()) return false;
  if (forest_.missing_only(entry.feature)) return true;
  return votes() && box.may_be_missing(entry.feature) && forest_.nodes(t).missing_branch(entry.node) < 0;
}

void BoxedEnsemble::bound_tree(const Box& box, std::size_t t) {
  const auto range = forest_.tree(t);
  bool settled = true;
  bool mixes = false;
  if (range.size > 1) {
    settled = forest_.any_missing_only();
    for (std::size_t i = range.begin; settled && i < range.begin + range.size; ++i) {
      settled = forest_[i].is_leaf() || forest_.missing_only(forest_[i].feature);
    }
    for (std::size_t i = range.begin; (votes() || forest_.any_missing_only()) && !mixes && i < range.begin + range.size; ++i) {
      mixes = mixes_at(box, t, forest_[i]);
    }
  }
  settled_[settled_.size() - n_trees_ + t] = settled;
  mixes_[mixes_.size() - n_trees_ + t] = mixes;
  if (n_axes_ == 0 || !rounding_.has_bounds) return;
  if (!mixes) {
    bound_plain(t);
  } else if (votes()) {
    bound_votes(t);
  } else {
    bound_mixed(t);
  }
}

void BoxedEnsemble::bound_plain(std::size_t t) {
  const auto range = forest_.tree(t);
  const ContractedForest::Entry* begin = &forest_[range.begin];
  bound_by_leaves(begin, begin + range.size, leaf_value_.data(), n_axes_, bounds(t));
}

// Below a node that mixes, bounds are mixed as outputs are; elsewhere they are joined.
// Children lie behind their parents, so one pass backwards does.
template <class LeafValues>
static void bound_backwards(const ContractedForest& forest, std::size_t t, std::size_t width, LeafValues leaf_values,
                            std::vector<double>& low, std::vector<double>& high) {
  const auto range = forest.tree(t);
  low.assign(range.size * width, kInfinity);
  high.assign(range.size * width, -kInfinity);
  for (std::int32_t i = range.size; i-- > 0;) {
    const auto& entry = forest[range.begin + i];
    double* lowest = low.data() + i * width;
    double* highest = high.data() + i * width;
    if (entry.is_leaf()) {
      const double* value = leaf_values(entry);
      std::copy(value, value + width, lowest);
      std::copy(value, value + width, highest);
      continue;
    }
    const bool mixes = forest.missing_only(entry.feature);
    const auto shares = forest.nodes(t).shares(entry.node);
    if (mixes) {
      std::fill(lowest, lowest + width, 0.0);
      std::fill(highest, highest + width, 0.0);
    }
    for (std::int32_t child = i + 1; child < i + entry.size; child += forest[range.begin + child].size) {
      const double share = shares[forest[range.begin + child].branch];
      for (std::size_t a = 0; a < width; ++a) {
        const double from = low[child * width + a], to = high[child * width + a];
        lowest[a] = mixes ? lowest[a] + share * from : std::min(lowest[a], from);
        highest[a] = mixes ? highest[a] + share * to : std::max(highest[a], to);
      }
    }
  }
}

void BoxedEnsemble::bound_mixed(std::size_t t) {
  std::vector<double> low, high;
  const auto leaf_values = [this](const ContractedForest::Entry& entry) { return leaf_value_.data() + entry.leaf() * n_axes_; };
  bound_backwards(forest_, t, n_axes_, leaf_values, low, high);
  for (std::size_t a = 0; a < n_axes_; ++a) bounds(t)[a] = {low[a], high[a]};
}

// Whether no mixture of the live leaves votes for class k, although no leaf does by itself. A
// vote must come within `tolerance` of every other class, hence of any mean of classes. If each
// leaf puts k below the mean of the classes that leaves vote for, so does every mixture.
bool BoxedEnsemble::below_the_voted(std::size_t t, const std::vector<bool>& voted, std::size_t k, double tolerance) const {
  const auto range = forest_.tree(t);
  const auto n_voted = static_cast<double>(std::count(voted.begin(), voted.end(), true));
  for (std::size_t i = range.begin; i < range.begin + range.size; ++i) {
    if (!forest_[i].is_leaf()) continue;
    const auto output = forest_.nodes(t).output(forest_[i].node);
    double mean = 0;
    for (std::size_t j = 0; j < voted.size(); ++j) mean += voted[j] ? output[j] / n_voted : 0.0;
    if (!(output[k] < mean - tolerance)) return false;
  }
  return true;
}

std::vector<bool> BoxedEnsemble::voted_by_leaves(std::size_t t) const {
  const model::EnsembleParts& parts = ensemble_->parts();
  std::vector<bool> voted(parts.n_scores, false);
  const auto range = forest_.tree(t);
  for (std::size_t i = range.begin; i < range.begin + range.size; ++i) {
    if (!forest_[i].is_leaf()) continue;
    voted[model::argmax(forest_.nodes(t).output(forest_[i].node), parts.tie_tolerance)] = true;
  }
  return voted;
}

// A mixture may vote for a class for which none of its leaves does: whatever class may
// come close enough to the top is a possible vote.
void BoxedEnsemble::bound_votes(std::size_t t) {
  const model::EnsembleParts& parts = ensemble_->parts();
  const model::Tree& tree = *parts.trees[t];
  std::vector<double> low, high, output(parts.n_scores);
  const auto leaf_output = [&](const ContractedForest::Entry& entry) {
    tree.output(entry.node).copy_to(output.data());
    return output.data();
  };
  bound_backwards(forest_, t, parts.n_scores, leaf_output, low, high);
  double top = -kInfinity;
  double magnitude = 0;
  for (std::size_t k = 0; k < parts.n_scores; ++k) top = std::max(top, low[k]);
  for (const double value : tree.arrays().output.stored()) magnitude = std::max(magnitude, std::abs(value));
  const double rounding =
      16 * static_cast<double>(tree.n_nodes() + 4) * std::numeric_limits<double>::epsilon() * (magnitude + parts.tie_tolerance);
  const double tolerance = parts.tie_tolerance + rounding;
  const std::vector<bool> voted = voted_by_leaves(t);
  ScoreBounds* result = bounds(t);
  std::fill(result, result + n_axes_, ScoreBounds{});
  std::vector<double> values(n_axes_);
  for (std::size_t k = 0; k < parts.n_scores; ++k) {
    if (high[k] < top - tolerance || (!voted[k] && below_the_voted(t, voted, k, tolerance))) continue;
    values_of_vote(t, k, values.data());
    for (std::size_t a = 0; a < n_axes_; ++a) result[a].include(values[a]);
  }
}

void BoxedEnsemble::sum_bounds() {
  for (std::size_t a = 0; a < n_axes_; ++a) total_[a] = {base_value_[a], base_value_[a]};
  const ScoreBounds* all = bounds(0);
  for (std::size_t t = 0; t < n_trees_; ++t) {
    for (std::size_t a = 0; a < n_axes_; ++a) total_[a] += all[t * n_axes_ + a];
  }
}

// The least lead of one class over each other one, or reversed theirs over it, pair by pair: within a tree
// the lead is least at some leaf, which is tighter than the bounds of both classes.
void BoxedEnsemble::sum_least_leads(std::size_t of, bool reversed) {
  const double sign = reversed ? -1 : 1;
  margin_.resize(n_axes_);
  for (std::size_t a = 0; a < n_axes_; ++a) margin_[a] = sign * (base_value_[of] - base_value_[a]);
  std::vector<double> least(n_axes_);
  for (std::size_t t = 0; t < n_trees_; ++t) {
    if (mixes(t)) {
      const ScoreBounds* all = bounds(t);
      for (std::size_t a = 0; a < n_axes_; ++a) margin_[a] += reversed ? all[a].low - all[of].high : all[of].low - all[a].high;
      continue;
    }
    const auto range = forest_.tree(t);
    std::fill(least.begin(), least.end(), kInfinity);
    for (std::size_t i = range.begin; i < range.begin + range.size; ++i) {
      if (!forest_[i].is_leaf()) continue;
      const double* value = leaf_value_.data() + forest_[i].leaf() * n_axes_;
      for (std::size_t a = 0; a < n_axes_; ++a) least[a] = std::min(least[a], sign * (value[of] - value[a]));
    }
    for (std::size_t a = 0; a < n_axes_; ++a) margin_[a] += least[a];
  }
}

bool BoxedEnsemble::exceeds_all(std::size_t winner) {
  sum_least_leads(winner, false);
  for (std::size_t a = 0; a < n_axes_; ++a) {
    if (a != winner && !(margin_[a] > 2 * rounding_.slack)) return false;
  }
  return true;
}

// Whether one and the same class is above a class in every row of the box.
bool BoxedEnsemble::is_exceeded(std::size_t label) {
  sum_least_leads(label, true);
  for (std::size_t a = 0; a < n_axes_; ++a) {
    if (a != label && margin_[a] > 2 * rounding_.slack) return true;
  }
  return false;
}

std::int32_t BoxedEnsemble::middle_label() {
  if (rule_.formula) {
    for (std::size_t k = 0; k < n_axes_; ++k) scores_[k] = (total_[k].low + total_[k].high) / 2;
    return rule_.label(scores_);
  }
  if (n_axes_ == 1) {
    const double middle = (total_[0].low + total_[0].high) / 2;
    return (rule_.above ? rule_.divided(middle) > rule_.label_above : middle > 0) ? 1 : 0;
  }
  std::size_t best = 0;
  for (std::size_t a = 1; a < n_axes_; ++a) {
    if (total_[a].low + total_[a].high > total_[best].low + total_[best].high) best = a;
  }
  return static_cast<std::int32_t>(best);
}

std::int32_t BoxedEnsemble::likely_label() {
  if (n_axes_ == 0) return 0;
  sum_bounds();
  return middle_label();
}

// The mean output of the trees, live leaves weighted by their training rows.
void BoxedEnsemble::sum_means() {
  for (std::size_t a = 0; a < n_axes_; ++a) total_[a] = {base_value_[a], base_value_[a]};
  std::vector<double> sum(n_axes_);
  for (std::size_t t = 0; t < n_trees_; ++t) {
    const auto range = forest_.tree(t);
    std::fill(sum.begin(), sum.end(), 0.0);
    double total = 0;
    for (std::size_t i = range.begin; i < range.begin + range.size; ++i) {
      if (!forest_[i].is_leaf()) continue;
      // Of sources that keep no weights every leaf counts the same.
      const double weight = forest_.nodes(t).weight(forest_[i].node) + std::numeric_limits<double>::min();
      const double* value = leaf_value_.data() + forest_[i].leaf() * n_axes_;
      for (std::size_t a = 0; a < n_axes_; ++a) sum[a] += weight * value[a];
      total += weight;
    }
    for (std::size_t a = 0; a < n_axes_; ++a) {
      total_[a].low += sum[a] / total;
      total_[a].high += sum[a] / total;
    }
  }
}

std::int32_t BoxedEnsemble::expected_label() {
  if (n_axes_ == 0) return 0;
  sum_means();
  return middle_label();
}

double BoxedEnsemble::expected_number() {
  if (median_) {
    const ScoreBounds bounds = median_bounds();
    return bounds.low + (bounds.high - bounds.low) / 2;
  }
  sum_means();
  for (std::size_t k = 0; k < n_axes_; ++k) scores_[k] = total_[k].low;
  return rule_.number(scores_);
}

void BoxedEnsemble::widen_by_rounding(std::vector<ScoreBounds>& total) const {
  for (std::size_t k = 0; k < n_axes_; ++k) {
    total[k].low -= 2 * rounding_.of_score[k];
    total[k].high += 2 * rounding_.of_score[k];
  }
}

std::int32_t BoxedEnsemble::certain_by_formula(std::vector<ScoreBounds> total) {
  widen_by_rounding(total);
  return formula_->certain_label(total);
}

// Of the trees' outputs, each within its bounds. Mixing leaves adds rounding of its own.
ScoreBounds BoxedEnsemble::median_bounds() {
  std::vector<double> lowest, highest;
  double magnitude = 0;
  for (std::size_t t = 0; t < n_trees_; ++t) {
    lowest.push_back(bounds(t)[0].low);
    highest.push_back(bounds(t)[0].high);
    magnitude = std::max({magnitude, std::abs(lowest.back()), std::abs(highest.back())});
  }
  const double n = static_cast<double>(ensemble_->n_nodes() + 4);
  const double mixing = 16 * n * std::numeric_limits<double>::epsilon() * magnitude;
  const ScoreBounds result = median_->bounds(lowest, highest);
  return {result.low - mixing, result.high + mixing};
}

bool BoxedEnsemble::is_settled(const Box&) {
  for (std::size_t t = 0; t < n_trees_; ++t) {
    if (!tree_is_settled(t)) return false;
  }
  return true;
}

// What every row of a settled box gets, and what it might get where the order of equal weights decides.
ScoreBounds BoxedEnsemble::settled_numbers(const Box& box) {
  const double value = number(box.witness().data());
  return median_ ? median_->possible(values_) : ScoreBounds{value, value};
}

ScoreBounds BoxedEnsemble::numbers(const Box& box) {
  if (is_settled(box)) return settled_numbers(box);
  if (!rounding_.has_bounds) return {-kInfinity, kInfinity};
  if (median_) return median_bounds();
  sum_bounds();
  widen_by_rounding(total_);
  if (formula_) return formula_->number(total_);
  return {rule_.divided(total_[0].low), rule_.divided(total_[0].high)};
}

double BoxedEnsemble::number(const double* row) {
  if (median_) {
    values_.resize(n_trees_);
    ensemble_->tree_outputs(row, values_.data(), scratch_);
    return median_->of(values_);
  }
  ensemble_->add_scores(row, scores_.data(), scratch_);
  return rule_.number(scores_);
}

std::int32_t BoxedEnsemble::verdict(const Box& box) {
  if (n_axes_ == 0) return 0;
  if (rounding_.has_bounds && formula_) {
    sum_bounds();
    const std::int32_t certain = certain_by_formula(total_);
    if (certain >= 0) return certain;
  } else if (rounding_.has_bounds && n_axes_ == 1) {
    sum_bounds();
    const double low = total_[0].low - 2 * rounding_.slack, high = total_[0].high + 2 * rounding_.slack;
    if (rule_.above ? rule_.divided(low) > rule_.label_above : low > 0) return 1;
    if (rule_.above ? rule_.divided(high) <= rule_.label_above : high < 0) return 0;
  } else if (rounding_.has_bounds) {
    const std::int32_t likely = likely_label();
    if (exceeds_all(likely)) return likely;
  }
  return is_settled(box) ? label(box.witness().data()) : kOpen;
}

bool BoxedEnsemble::excludes(const Box& box, std::int32_t label) {
  if (rounding_.has_bounds && formula_) {
    sum_bounds();
    widen_by_rounding(total_);
    if (formula_->excludes(total_, label)) return true;
  } else if (rounding_.has_bounds && n_axes_ > 1 && is_exceeded(static_cast<std::size_t>(label))) {
    return true;
  }
  return BoxedModel::excludes(box, label);
}

std::int32_t BoxedEnsemble::label(const double* row) {
  ensemble_->add_scores(row, scores_.data(), scratch_);
  return formula_ ? formula_->label(scores_) : rule_.label(scores_);
}

}  // namespace sightline::proof
