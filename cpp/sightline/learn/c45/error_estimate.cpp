#include "sightline/learn/c45/error_estimate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "sightline/learn/c45/measures.hpp"

namespace sightline::learn::c45 {

double upper_normal_quantile(double probability) {
  if (probability >= 1) return -std::numeric_limits<double>::infinity();
  const double p = std::max(std::min(probability, 1 - probability), static_cast<double>(std::numeric_limits<float>::min()));
  // Abramowitz and Stegun 26.2.23, right to 4.5e-4.
  const double t = std::sqrt(-2 * std::log(p));
  double z = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  // Each of Halley's steps triples the number of right digits.
  for (int step = 0; step < 3; ++step) {
    const double x = z / std::numbers::sqrt2;
    // Near z = 0 the difference of two probabilities near 1/2 would cancel; 1 - 2p is exact there.
    const double error = p > 0.25 ? ((1 - 2 * p) - std::erf(x)) / 2 : std::erfc(x) / 2 - p;
    const double newton = error * std::sqrt(2 * std::numbers::pi) * std::exp(x * x);
    z += newton / (1 - z * newton / 2);
  }
  return probability > 0.5 ? -z : z;
}

double tabulated_quantile(double probability) {
  constexpr std::array<double, 9> kProbability = {0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00};
  constexpr std::array<double, 9> kQuantile = {4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00};
  std::size_t i = 1;
  while (i + 1 < kProbability.size() && probability > kProbability[i]) ++i;
  const double share = (probability - kProbability[i - 1]) / (kProbability[i] - kProbability[i - 1]);
  return std::lerp(kQuantile[i - 1], kQuantile[i], share);
}

void ErrorEstimate::tabulate(std::size_t n_rows) {
  std::vector<double> by_rows{0.0};
  for (std::size_t n = 1; n <= n_rows; ++n) by_rows.push_back(error_free(static_cast<double>(n)));
  error_free_ = std::move(by_rows);
}

double ErrorEstimate::error_free(double n) const {
  if (n < static_cast<double>(error_free_.size())) {
    const auto whole = static_cast<std::size_t>(n);
    if (whole > 0 && static_cast<double>(whole) == n) return error_free_[whole];
  }
  return n * (1 - std::pow(confidence_, 1 / n));
}

double ErrorEstimate::operator()(model::NumberRow<double> counts) const {
  const double total = counts.sum();
  if (equal(total, 0)) return 0;
  const double errors = total - counts.largest();
  return errors + extra(total, errors);
}

double ErrorEstimate::extra(double n, double errors) const {
  if (confidence_ > 0.5 && !tabulated_limits_) return 0;
  if (errors < 1) {
    const double base = error_free(n);
    return errors == 0 ? base : base + errors * (extra(n, 1) - base);
  }
  if (errors + 0.5 >= n) return (tabulated_limits_ ? 0.67 : 1) * std::max(n - errors, 0.0);
  const double f = (errors + 0.5) / n;
  const double z2 = z_ * z_;
  const double limit = (f + z2 / (2 * n) + z_ * std::sqrt(f / n - f * f / n + z2 / (4 * n * n))) / (1 + z2 / n);
  return limit * n - errors;
}

}  // namespace sightline::learn::c45
