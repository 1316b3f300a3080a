// The pessimistic error estimate of C4.5.
#pragma once

#include <cstddef>
#include <vector>

#include "sightline/model/number_rows.hpp"

namespace sightline::learn::c45 {

// The z for which a standard normal variable exceeds z with this probability, to the last few bits. Probabilities below
// the smallest normal float count as that float, so that z stays finite.
double upper_normal_quantile(double probability);

// Expected errors of a leaf: the upper limit of a binomial confidence interval for its training errors.
class ErrorEstimate {
 public:
  // The confidence is rounded to float, as in Weka.
  explicit ErrorEstimate(double confidence)
      : confidence_(static_cast<float>(confidence)), z_(upper_normal_quantile(confidence_)) {}

  // Tabulates the estimate of error-free leaves with up to this many rows.
  void tabulate(std::size_t n_rows);
  // Most error-free leaves are small.
  static constexpr std::size_t kMaxTabulated = 1024;

  double z() const { return z_; }
  double operator()(model::NumberRow<double> counts) const;
  // Expected errors beyond those seen.
  double extra(double n, double errors) const;

 private:
  double error_free(double n) const;

  double confidence_;
  double z_;
  std::vector<double> error_free_;  // by number of rows
};

}  // namespace sightline::learn::c45
