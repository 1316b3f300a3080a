// How the sum over an ensemble's trees becomes a label and class probabilities.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sightline {

// The native counterpart of Python's Link, for kernels that must know what a score means.
struct Decision {
  enum class Link : std::uint8_t { kMean = 0, kSigmoid = 1, kSoftmax = 2 };

  Link link = Link::kMean;
  std::vector<double> divide_by;  // divisors of the scores, one after the other
  double label_above = 0;         // kSigmoid: class 1 above this

  double divided(double score) const {
    for (const double divisor : divide_by) score /= divisor;
    return score;
  }
  std::size_t n_classes(std::size_t n_scores) const { return link == Link::kSigmoid ? 2 : n_scores; }
  // Ties go to the lowest class.
  std::size_t label(std::span<const double> scores) const;
  // `divided_scores` are divided already.
  void probabilities(std::span<const double> divided_scores, double* result) const;
};

}  // namespace sightline
