// The weighted median of the answers of several trees.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "sightline/proof/score_bounds.hpp"

namespace sightline::proof {

class WeightedMedian {
 public:
  explicit WeightedMedian(std::vector<double> weights) : weights_(std::move(weights)) {}

  // The smallest value at which the weights of all that are no larger reach a share of the whole.
  double of(std::span<const double> values, double share = 0.5) {
    sort(values);
    double whole = 0;
    for (const std::size_t t : order_) whole += weights_[t];
    std::size_t i = 0;
    for (double below = weights_[order_[0]]; below < share * whole && i + 1 < order_.size();) below += weights_[order_[++i]];
    return values[order_[i]];
  }

  // The median of these values. The order in which equal values with different weights are added is
  // not known: where it decides between two values, both lie within the bounds.
  ScoreBounds possible(std::span<const double> values) {
    sort(values);
    const auto unordered = [&](std::size_t a, std::size_t b) { return values[a] == values[b] && weights_[a] != weights_[b]; };
    if (std::adjacent_find(order_.begin(), order_.end(), unordered) != order_.end()) return bounds(values, values);
    const double only = of(values);
    return {only, only};
  }

  // A median ascends with every value. Where the weights of two halves are nearly equal, the order
  // of addition decides between two values: both lie within the bounds.
  ScoreBounds bounds(std::span<const double> lowest, std::span<const double> highest) {
    const double rounding = 16 * static_cast<double>(weights_.size() + 1) * std::numeric_limits<double>::epsilon();
    return {of(lowest, 0.5 - rounding), of(highest, 0.5 + rounding)};
  }

 private:
  void sort(std::span<const double> values) {
    order_.resize(values.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  }

  std::vector<double> weights_;
  std::vector<std::size_t> order_;
};

}  // namespace sightline::proof
