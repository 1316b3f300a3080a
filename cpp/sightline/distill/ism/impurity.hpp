// How mixed the ensemble's answers are: the measure that ISM's tests reduce.
#pragma once

#include <cmath>
#include <cstddef>

namespace sightline::distill::ism {

inline double entropy(const double* distribution, std::size_t n) {
  double sum = 0;
  for (std::size_t c = 0; c < n; ++c) {
    const double p = distribution[c];
    if (p > 0) sum -= p * std::log2(p);
  }
  return sum;
}

// Numbers are measured from `center` in units of `scale`, so that gains are of the order of 1.
struct NumberScale {
  double center = 0;
  double scale = 1;

  double operator()(double number) const { return (number - center) / scale; }
};

// A concave function of an expectation: of class probabilities, their entropy; of a number, its
// variance without the mean of the squares. That mean is linear in the distribution, so it cancels in
// impurity(mixture of the sides) - mean impurity of the sides, which is the gain. What remains is
// the variance between the sides. Neither second moments nor covariances of trees matter.
class Impurity {
 public:
  Impurity(bool of_numbers, NumberScale scaled) : of_numbers_(of_numbers), scaled_(scaled) {
    if (!(scaled_.scale > 0)) scaled_.scale = 1;
  }

  double operator()(const double* expectation, std::size_t n) const {
    if (!of_numbers_) return entropy(expectation, n);
    const double number = scaled_(expectation[0]);
    return -number * number;
  }

 private:
  bool of_numbers_;
  NumberScale scaled_;
};

}  // namespace sightline::distill::ism
