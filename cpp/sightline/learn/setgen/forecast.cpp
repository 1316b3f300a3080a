#include "sightline/learn/setgen/forecast.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace sightline::learn::setgen {
namespace {

// Four sums at a time, because a single sum would wait for each addition.
double dot(const double* a, const double* b, std::size_t n) {
  double sums[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] += a[i + k] * b[i + k];
  }
  for (; i < n; ++i) sums[0] += a[i] * b[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

void Forecast::learn(const bool* set, double fitness) {
  const Bits bits = packed(set);
  const std::size_t n = n_known();
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = likeness(bits, i);
  solve(values, n);
  // Without rounding, at least the noise is left.
  values.push_back(std::sqrt(std::max(1 + noise_ - dot(values.data(), values.data(), n), noise_)));
  factor_.insert(factor_.end(), values.begin(), values.end());
  known_.insert(known_.end(), bits.words.begin(), bits.words.end());
  sizes_.push_back(bits.size);
  fitness_.push_back(fitness);
}

std::vector<double> Forecast::forecast(std::span<const bool> sets, runtime::StopPoll& poll) {
  if (weights_.size() < n_known()) weigh();
  std::vector<double> result;
  for (std::size_t begin = 0; begin < sets.size(); begin += n_features_) {
    poll();
    const Bits bits = packed(sets.data() + begin);
    double sum = 0;
    for (std::size_t i = 0; i < n_known(); ++i) sum += weights_[i] * likeness(bits, i);
    result.push_back(mean_ + sum);
  }
  return result;
}

Forecast::Bits Forecast::packed(const bool* set) const {
  Bits bits{std::vector<std::uint64_t>(n_words_), 0};
  for (std::size_t f = 0; f < n_features_; ++f) {
    bits.words[f / 64] |= static_cast<std::uint64_t>(set[f]) << (f % 64);
    bits.size += set[f];
  }
  return bits;
}

double Forecast::likeness(const Bits& set, std::size_t known) const {
  const std::uint64_t* words = known_.data() + known * n_words_;
  std::size_t shared = 0;
  for (std::size_t w = 0; w < n_words_; ++w) shared += std::popcount(set.words[w] & words[w]);
  const std::size_t either = set.size + sizes_[known] - shared;
  return either == 0 ? 1.0 : static_cast<double>(shared) / static_cast<double>(either);
}

// Replaces the first n values with the solution of the first n rows of the factor.
void Forecast::solve(std::vector<double>& values, std::size_t n) const {
  for (std::size_t i = 0; i < n; ++i) values[i] = (values[i] - dot(row(i), values.data(), i)) / row(i)[i];
}

void Forecast::weigh() {
  const std::size_t n = n_known();
  mean_ = std::accumulate(fitness_.begin(), fitness_.end(), 0.0) / static_cast<double>(n);
  weights_ = fitness_;
  for (double& weight : weights_) weight -= mean_;
  solve(weights_, n);
  for (std::size_t i = n; i-- > 0;) {
    weights_[i] /= row(i)[i];
    for (std::size_t j = 0; j < i; ++j) weights_[j] -= row(i)[j] * weights_[i];
  }
}

}  // namespace sightline::learn::setgen
