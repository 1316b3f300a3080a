#include "sightline/proof/score_slack.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sightline::proof {
namespace {

// The largest number that a tree can add to a score.
double largest_addend(const model::EnsembleParts& parts, std::size_t t) {
  if (parts.combine == model::Combine::kVote) return std::max(std::abs(parts.tree_weight[t]), std::abs(parts.vote_against[t]));
  double largest = 0;
  for (const double value : parts.trees[t]->arrays().output) largest = std::max(largest, std::abs(parts.tree_weight[t] * value));
  return largest;
}

}  // namespace

// Each of the n additions errs by at most half a unit in the last place of a partial sum. A
// partial sum is at most the sum of all magnitudes, however small the total: terms may cancel.
// Mixing the leaves of a tree adds as many errors as it has nodes, at most.
ScoreSlack score_slack(const model::Ensemble& ensemble, const model::LabelRule& rule) {
  const model::EnsembleParts& parts = ensemble.parts();
  double magnitude = 0;
  double largest_tree = 0;
  for (const double value : parts.base) magnitude = std::max(magnitude, std::abs(value));
  for (std::size_t t = 0; t < parts.trees.size(); ++t) {
    magnitude += largest_addend(parts, t);
    largest_tree = std::max(largest_tree, static_cast<double>(parts.trees[t]->n_nodes()));
  }
  const double unit = std::numeric_limits<double>::epsilon();
  const double unit_of_sum = parts.single_precision ? std::numeric_limits<float>::epsilon() : unit;
  const double n = static_cast<double>(parts.trees.size()) + 2 * static_cast<double>(rule.divide_by.size()) + 8;
  ScoreSlack result;
  result.slack = 4 * magnitude * (n * (unit_of_sum + 2 * unit) + 4 * largest_tree * unit);
  result.has_bounds = std::isfinite(8 * n * magnitude);
  if (parts.single_precision) result.has_bounds &= 8 * n * magnitude < std::numeric_limits<float>::max();
  // Below the smallest normal numbers errors are no longer relative.
  result.slack += 4 * n * (parts.single_precision ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min());
  double divisor = 1;
  for (const double value : rule.divide_by) {
    divisor *= value;
    result.has_bounds &= value > 0 && std::isfinite(divisor);
  }
  // A quotient that is subnormal may round different scores to the same.
  if (divisor > 1) result.slack += 4 * n * divisor * std::numeric_limits<double>::min();
  return result;
}

}  // namespace sightline::proof
