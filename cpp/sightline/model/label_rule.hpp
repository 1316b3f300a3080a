// The rule that turns scores into a label.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sightline/model/formula.hpp"

namespace sightline::model {

struct LabelRule {
  // Label 1 if the one score exceeds `label_above`, else the first of the largest scores.
  bool above = false;
  double label_above = 0;
  // Divisors of the scores, one after the other, before anything is compared.
  std::vector<double> divide_by;
  // Decides instead of all this if there is one.
  FormulaPtr formula;

  double divided(double score) const {
    for (const double divisor : divide_by) score /= divisor;
    return score;
  }

  std::int32_t label(std::span<const double> scores) const {
    if (formula) return formula->label(scores);
    if (above) return divided(scores[0]) > label_above ? 1 : 0;
    std::size_t best = 0;
    double highest = divided(scores[0]);
    for (std::size_t k = 1; k < scores.size(); ++k) {
      const double score = divided(scores[k]);
      if (score > highest) {
        best = k;
        highest = score;
      }
    }
    return static_cast<std::int32_t>(best);
  }
};

}  // namespace sightline::model
