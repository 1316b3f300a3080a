// The next question of a boxed ensemble.
#include <algorithm>
#include <limits>

#include "sightline/proof/boxed_ensemble.hpp"

namespace sightline::proof {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// So many tests get a closer look where one bound is to be narrowed.
constexpr std::size_t kProbed = 8;
// A test counts by what it gains in its worse part, and a little by what it gains in the better one.
constexpr double kShareOfBetter = 1.0 / 6;

}  // namespace

double BoxedEnsemble::spread(std::size_t t) {
  double sum = 0;
  for (std::size_t a = 0; a < n_axes_; ++a) sum += bounds(t)[a].high - bounds(t)[a].low;
  return rounding_.has_bounds ? sum : 1.0;
}

// Every live test counts with the width of its tree's bounds, halved at each level: it
// decides the whole tree, or half of it, and so on.
void BoxedEnsemble::score_tests(std::size_t t) {
  const auto range = forest_.tree(t);
  double score = spread(t);
  above_.clear();
  for (std::size_t i = range.begin; i < range.begin + range.size; ++i) {
    while (!above_.empty() && above_.back().end == i) {
      score = above_.back().score;
      above_.pop_back();
    }
    if (forest_[i].is_leaf()) continue;
    const std::int32_t number = test_number(static_cast<std::int32_t>(t), forest_[i].node);
    if (test_score_[number] == 0) scored_.push_back(number);
    test_score_[number] += score + std::numeric_limits<double>::min();
    above_.push_back({i + forest_[i].size, score});
    score /= 2;
  }
}

// The uppermost undecided test of each tree, those that count most in all trees together first; on ties
// that of the first tree.
void BoxedEnsemble::rank_tops() {
  scored_.clear();
  tops_.clear();
  for (std::size_t t = 0; t < n_trees_; ++t) {
    if (tree_is_settled(t)) continue;
    std::size_t top = forest_.tree(t).begin;
    while (forest_[top].is_leaf() || forest_.missing_only(forest_[top].feature)) ++top;
    tops_.push_back({static_cast<std::int32_t>(t), forest_[top].node, 0});
    score_tests(t);
  }
  for (Top& top : tops_) top.score = test_score_[test_number(top.tree, top.node)];
  for (const std::int32_t number : scored_) test_score_[number] = 0;
}

Question BoxedEnsemble::question(const Box& box) {
  rank_tops();
  const Top best = *std::max_element(tops_.begin(), tops_.end(), [](const Top& a, const Top& b) { return a.score < b.score; });
  return Question::of(box, forest_.nodes(best.tree), best.node, best.tree);
}

// Keeps the few tests that count most, each once.
void BoxedEnsemble::keep_best_tops() {
  const auto number = [this](const Top& top) { return test_number(top.tree, top.node); };
  std::stable_sort(tops_.begin(), tops_.end(),
                   [&](const Top& a, const Top& b) { return a.score != b.score ? a.score > b.score : number(a) < number(b); });
  const auto same = [&](const Top& a, const Top& b) { return number(a) == number(b); };
  tops_.erase(std::unique(tops_.begin(), tops_.end(), same), tops_.end());
  if (tops_.size() > kProbed) tops_.resize(kProbed);
}

Question BoxedEnsemble::question_for(const Box& box, Aim aim) {
  if (n_axes_ != 1 || median_ || !rounding_.has_bounds) return question(box);
  rank_tops();
  keep_best_tops();
  Question best;
  double most = -1;
  for (const Top& top : tops_) {
    const Question asked = Question::of(box, forest_.nodes(top.tree), top.node, top.tree);
    const double gain = tops_.size() == 1 ? 0 : gain_of(box, asked, aim);
    if (gain > most) {
      most = gain;
      best = asked;
    }
  }
  return best;
}

// How far a question narrows the bound that is aimed at.
double BoxedEnsemble::gain_of(const Box& box, const Question& asked, Aim aim) {
  double worse = kInfinity, better = 0;
  for (std::size_t outcome = 0; outcome < asked.n_outcomes(); ++outcome) {
    if (!asked.possible(box, outcome)) continue;
    Box part = box;
    asked.narrow(part, outcome);
    double gain = 0;
    for (std::size_t t = 0; t < n_trees_; ++t) {
      if (forest_.tree(t).size == 1 || mixes(t)) continue;
      const ScoreBounds now = live_bounds(part, t, asked.feature());
      gain += aim == Aim::kHigh ? bounds(t)[0].high - now.high : now.low - bounds(t)[0].low;
    }
    worse = std::min(worse, gain);
    better = std::max(better, gain);
  }
  return worse + kShareOfBetter * (better - worse);
}

// Bounds of a tree in a part of the box that one feature narrows. Subtrees that no row of the part reaches
// are passed over.
ScoreBounds BoxedEnsemble::live_bounds(const Box& part, std::size_t t, std::int32_t feature) {
  const auto range = forest_.tree(t);
  const model::DecisionNodes& nodes = forest_.nodes(t);
  ScoreBounds result;
  dead_.clear();
  for (std::size_t i = range.begin; i < range.begin + range.size;) {
    const ContractedForest::Entry& entry = forest_[i];
    if (!dead_.empty() && dead_.back() == i) {
      dead_.pop_back();
      i += entry.size;
      continue;
    }
    if (entry.is_leaf()) {
      result.include(leaf_value_[entry.leaf()]);
    } else if (entry.feature == feature) {
      const std::size_t first = dead_.size();
      for (std::size_t child = i + 1; child < i + entry.size; child += forest_[child].size) {
        if (!part.branch_possible(nodes, entry.node, forest_[child].branch)) dead_.push_back(child);
      }
      std::reverse(dead_.begin() + static_cast<std::ptrdiff_t>(first), dead_.end());
    }
    ++i;
  }
  return result;
}

}  // namespace sightline::proof
