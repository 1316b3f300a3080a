// SET-GEN: predicts the fitness of a feature set from the sets evaluated so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sightline/runtime/stop.hpp"

namespace sightline::learn::setgen {

// A Gaussian process over feature sets. The kernel is Jaccard's index, the share of the features of two sets that they have in
// common; it is positive definite. `noise` is the variance that the kernel does not explain, relative to what it explains.
//
// The Cholesky factor grows by one row per set: learning the n-th set costs O(n^2), as does the first forecast after it.
// Sums run in a fixed order, so the same sets in the same order give the same bytes.
class Forecast {
 public:
  Forecast(std::size_t n_features, double noise) : n_words_((n_features + 63) / 64), n_features_(n_features), noise_(noise) {}

  std::size_t n_features() const { return n_features_; }
  std::size_t n_known() const { return fitness_.size(); }

  // A set is one boolean per feature.
  void learn(const bool* set, double fitness);
  // The forecasts of the sets; 0 before anything is learned.
  std::vector<double> forecast(std::span<const bool> sets, runtime::StopPoll& poll);

 private:
  struct Bits {
    std::vector<std::uint64_t> words;
    std::size_t size;
  };

  Bits packed(const bool* set) const;
  double likeness(const Bits& set, std::size_t known) const;
  const double* row(std::size_t known) const { return factor_.data() + known * (known + 1) / 2; }
  void solve(std::vector<double>& values, std::size_t n) const;
  void weigh();

  std::size_t n_words_;
  std::size_t n_features_;
  double noise_;
  std::vector<std::uint64_t> known_;  // n_words_ per set
  std::vector<std::size_t> sizes_;
  std::vector<double> fitness_;
  std::vector<double> factor_;   // rows of the lower triangle
  std::vector<double> weights_;  // of the known sets in a forecast; out of date if shorter than the number of known sets
  double mean_ = 0;
};

}  // namespace sightline::learn::setgen
