// The rule that turns scores into a label or a number.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sightline/model/formula.hpp"

namespace sightline::model {

// Which of the largest scores tie.
enum class Ties : std::uint8_t {
  kScores,         // equal ones
  kSoftmax,        // those whose softmax rounds to the same double, as LightGBM decides
  kSingleSoftmax,  // those whose softmax rounds to the same float, as XGBoost decides
};

// What a rule makes of the scores.
enum class Answer : std::uint8_t {
  kLabel,
  kNumber,  // the divided score, or what a formula makes of the scores
  kMedian,  // the weighted median of the trees' outputs
};

struct LabelRule {
  // Label 1 if the one score exceeds `label_above`, else the first of the largest scores.
  bool above = false;
  double label_above = 0;
  // Divisors of the scores, one after the other, before anything is compared.
  std::vector<double> divide_by;
  // Decides instead of all this if there is one.
  FormulaPtr formula;
  Ties ties = Ties::kScores;
  Answer answer = Answer::kLabel;

  double divided(double score) const {
    for (const double divisor : divide_by) score /= divisor;
    return score;
  }

  // Of a rule that answers with kNumber.
  double number(std::span<const double> scores) const {
    if (!formula) return divided(scores[0]);
    if (formula->arbiter()) return formula->arbiter()(scores);
    std::vector<double> result(formula->n_classes());
    formula->probabilities(scores, result.data());
    return result[0];
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
    return static_cast<std::int32_t>(ties == Ties::kScores ? best : first_tied(scores, best));
  }

 private:
  // Far apart scores cannot tie, so that the exponentials are rarely needed.
  std::size_t first_tied(std::span<const double> scores, std::size_t best) const {
    const double near = divided(scores[best]) - (ties == Ties::kSoftmax ? 1e-12 : 1e-5);
    std::size_t first = 0;
    while (first < best && !(divided(scores[first]) >= near)) ++first;
    if (first == best) return best;
    return ties == Ties::kSoftmax ? first_of_equal_shares<double>(scores, best) : first_of_equal_shares<float>(scores, best);
  }

  // The arithmetic of both libraries: exponentials of differences, a sum of doubles, one division.
  template <class Real>
  std::size_t first_of_equal_shares(std::span<const double> scores, std::size_t best) const {
    const auto power = [&](std::size_t k) {
      return std::exp(static_cast<Real>(divided(scores[k])) - static_cast<Real>(divided(scores[best])));
    };
    double sum = 0;
    for (std::size_t k = 0; k < scores.size(); ++k) sum += power(k);
    const Real whole = static_cast<Real>(sum);
    std::size_t first = 0;
    while (first < best && !(power(first) / whole == power(best) / whole)) ++first;
    return first;
  }
};

}  // namespace sightline::model
