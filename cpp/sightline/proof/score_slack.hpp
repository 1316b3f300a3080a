// How far rounding can move a score of an ensemble.
#pragma once

#include <vector>

#include "sightline/model/ensemble.hpp"
#include "sightline/model/label_rule.hpp"

namespace sightline::proof {

struct ScoreSlack {
  // A score as the ensemble computes it, and a bound of it as we compute it, each lie within
  // this of the exact sum. So bounds must clear a decision by twice as much. In units of
  // scores before the label rule divides them.
  double slack = 0;
  // The same of each score alone. The largest of them is `slack`.
  std::vector<double> of_score;
  // False where sums may overflow or a divisor may reverse their order. Bounds then prove nothing.
  bool has_bounds = true;
};

ScoreSlack score_slack(const model::Ensemble& ensemble, const model::LabelRule& rule);

}  // namespace sightline::proof
