#include "sightline/proof/score_slack.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sightline::proof {
namespace {

// What is added up to one score.
struct Addends {
  double magnitude = 0;  // sum of the largest magnitudes
  double number = 0;
  double largest_tree = 0;
};

// The largest number that a tree can add to a score, by its output of that index.
double largest_addend(const model::EnsembleParts& parts, std::size_t t, std::size_t output) {
  if (parts.combine == model::Combine::kVote) return std::max(std::abs(parts.tree_weight[t]), std::abs(parts.vote_against[t]));
  const model::Tree& tree = *parts.trees[t];
  double largest = 0;
  for (std::size_t v = 0; v < tree.n_nodes(); ++v) {
    largest = std::max(largest, std::abs(parts.tree_weight[t] * tree.arrays().output[v][output]));
  }
  return largest;
}

std::vector<Addends> addends_of(const model::EnsembleParts& parts) {
  std::vector<Addends> result(parts.n_scores);
  for (std::size_t k = 0; k < parts.n_scores; ++k) result[k].magnitude = std::abs(parts.base[k]);
  for (std::size_t t = 0; t < parts.trees.size(); ++t) {
    const std::size_t first = std::max(parts.tree_score[t], 0);
    const std::size_t end = parts.tree_score[t] < 0 ? parts.n_scores : first + 1;
    for (std::size_t k = first; k < end; ++k) {
      result[k].magnitude += largest_addend(parts, t, k - first);
      result[k].number += 1;
      result[k].largest_tree = std::max(result[k].largest_tree, static_cast<double>(parts.trees[t]->n_nodes()));
    }
  }
  return result;
}

}  // namespace

// Each of the n additions errs by at most half a unit in the last place of a partial sum. A
// partial sum is at most the sum of all magnitudes, however small the total: terms may cancel.
// Mixing the leaves of a tree adds as many errors as it has nodes, at most.
ScoreSlack score_slack(const model::Ensemble& ensemble, const model::LabelRule& rule) {
  const model::EnsembleParts& parts = ensemble.parts();
  ScoreSlack result;
  double divisor = 1, least = 1, most = 1;  // on the way as well
  for (const double value : rule.divide_by) {
    divisor *= value;
    least = std::min(least, divisor);
    most = std::max(most, divisor);
    result.has_bounds &= value > 0 && std::isfinite(divisor);
  }
  const double unit = std::numeric_limits<double>::epsilon();
  // Scores whose shares differ by less than two units in the last place may tie.
  double tied = 0;
  if (rule.ties != model::Ties::kScores) {
    tied = 4 * divisor * (rule.ties == model::Ties::kSoftmax ? unit : static_cast<double>(std::numeric_limits<float>::epsilon()));
  }
  for (std::size_t k = 0; const Addends& added : addends_of(parts)) {
    const bool single = parts.single_precision[k++];
    const double unit_of_sum = single ? std::numeric_limits<float>::epsilon() : unit;
    const double n = added.number + 2 * static_cast<double>(rule.divide_by.size()) + 8;
    double slack = 4 * added.magnitude * (n * (unit_of_sum + 2 * unit) + 4 * added.largest_tree * unit);
    // Infinite quotients of different scores are equal.
    result.has_bounds &= std::isfinite(8 * n * added.magnitude / least);
    if (single) result.has_bounds &= 8 * n * added.magnitude < std::numeric_limits<float>::max();
    // Below the smallest normal numbers errors are no longer relative.
    slack += 4 * n * (single ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min());
    // A quotient that is subnormal may round different scores to the same.
    if (most > 1) slack += 4 * n * most * std::numeric_limits<double>::min();
    slack += tied;
    result.of_score.push_back(slack);
    result.slack = std::max(result.slack, slack);
  }
  return result;
}

}  // namespace sightline::proof
