#include "sightline/model/decision.hpp"

#include <algorithm>
#include <cmath>

namespace sightline::model {

void Decision::probabilities(std::span<const double> divided_scores, double* result) const {
  if (rule.formula) return rule.formula->probabilities(divided_scores, result);
  switch (link) {
    case Link::kMean:
    case Link::kIdentity:
      std::copy(divided_scores.begin(), divided_scores.end(), result);
      return;
    case Link::kSigmoid:
      result[1] = 1 / (1 + std::exp(-divided_scores[0]));
      result[0] = 1 - result[1];
      return;
    case Link::kSoftmax: {
      const double largest = *std::max_element(divided_scores.begin(), divided_scores.end());
      double sum = 0;
      for (std::size_t k = 0; k < divided_scores.size(); ++k) sum += result[k] = std::exp(divided_scores[k] - largest);
      for (std::size_t k = 0; k < divided_scores.size(); ++k) result[k] /= sum;
      return;
    }
  }
}

}  // namespace sightline::model
