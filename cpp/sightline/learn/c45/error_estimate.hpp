// The pessimistic error estimate of C4.5.
#pragma once

#include <cstddef>
#include <vector>

#include "sightline/model/number_rows.hpp"

namespace sightline::learn::c45 {

// The z for which a standard normal variable exceeds z with this probability, to the last few bits. Probabilities below
// the smallest normal float count as that float, so that z stays finite.
double upper_normal_quantile(double probability);

// The same, interpolated in the table of C4.5 release 8: positive for every probability below 1.
double tabulated_quantile(double probability);

// Expected errors of a leaf: the upper limit of a binomial confidence interval for its training errors.
class ErrorEstimate {
 public:
  // The confidence is rounded to float, as in Weka. With `tabulated_limits`, Quinlan's: confidences above 0.5 then still
  // add errors, and a leaf that is nearly all wrong gets two thirds of its rows more.
  explicit ErrorEstimate(double confidence, bool tabulated_limits = false)
      : confidence_(static_cast<float>(confidence)),
        z_(tabulated_limits ? tabulated_quantile(confidence_) : upper_normal_quantile(confidence_)),
        tabulated_limits_(tabulated_limits) {}

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
  bool tabulated_limits_;
  std::vector<double> error_free_;  // by number of rows
};

}  // namespace sightline::learn::c45
