#include "sightline/learn/value_order.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sightline::learn {
namespace {

// The order needs no more: few values lie so close together that further steps would exchange them.
constexpr int kPowerSteps = 16;

}  // namespace

std::span<const std::uint32_t> ValueOrder::sort(std::span<const std::int32_t> value, std::span<const double> counts,
                                                std::span<const double> weight, std::size_t n_classes) {
  const std::size_t n_values = weight.size();
  // Sums in this order are rounded in the same way, whatever the order of the rows.
  order_.resize(n_values);
  std::iota(order_.begin(), order_.end(), 0U);
  std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) { return value[a] < value[b]; });
  direction_.assign(n_classes, 0.0);
  if (n_classes > 2) {
    find_direction(counts, weight, n_classes);
  } else {
    direction_[0] = 1;
  }
  key_.resize(n_values);
  for (std::size_t v = 0; v < n_values; ++v) {
    const double* count = counts.data() + v * n_classes;
    key_[v] = std::inner_product(direction_.begin(), direction_.end(), count, 0.0) / weight[v];
  }
  std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) { return key_[a] < key_[b]; });
  return order_;
}

// Power iteration, from the class whose share varies most.
void ValueOrder::find_direction(std::span<const double> counts, std::span<const double> weight, std::size_t n_classes) {
  const auto per_value = [&](const auto& add) {
    for (const std::uint32_t v : order_) add(counts.data() + v * n_classes, weight[v]);
  };
  double total = 0;
  mean_.assign(n_classes, 0.0);
  per_value([&](const double* count, double w) {
    total += w;
    for (std::size_t c = 0; c < n_classes; ++c) mean_[c] += count[c];
  });
  for (double& share : mean_) share /= total;
  next_.assign(n_classes, 0.0);
  per_value([&](const double* count, double w) {
    for (std::size_t c = 0; c < n_classes; ++c) next_[c] += w * (count[c] / w - mean_[c]) * (count[c] / w - mean_[c]);
  });
  direction_[std::max_element(next_.begin(), next_.end()) - next_.begin()] = 1;
  for (int step = 0; step < kPowerSteps; ++step) {
    const double at_mean = std::inner_product(direction_.begin(), direction_.end(), mean_.begin(), 0.0);
    next_.assign(n_classes, 0.0);
    per_value([&](const double* count, double w) {
      const double along = std::inner_product(direction_.begin(), direction_.end(), count, 0.0) - w * at_mean;
      for (std::size_t c = 0; c < n_classes; ++c) next_[c] += along * (count[c] / w - mean_[c]);
    });
    const double length = std::sqrt(std::inner_product(next_.begin(), next_.end(), next_.begin(), 0.0));
    if (!(length > 0)) return;
    for (std::size_t c = 0; c < n_classes; ++c) direction_[c] = next_[c] / length;
  }
}

}  // namespace sightline::learn
