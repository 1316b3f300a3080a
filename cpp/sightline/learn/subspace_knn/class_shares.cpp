#include "sightline/learn/subspace_knn/class_shares.hpp"

#include <algorithm>
#include <numeric>

namespace sightline::learn::subspace_knn {

CaseLabels::CaseLabels(std::vector<std::int32_t> codes, std::size_t n_classes)
    : codes_(std::move(codes)), order_(n_classes), frequency_(n_classes, 0.0) {
  for (const std::int32_t code : codes_) ++frequency_[code];
  std::iota(order_.begin(), order_.end(), 0);
  std::stable_sort(order_.begin(), order_.end(), [&](std::int32_t a, std::int32_t b) { return frequency_[a] > frequency_[b]; });
}

void CaseLabels::write_shares(const NearestList<std::int32_t>& nearest, double unit, std::vector<double>& weights,
                              std::int32_t* shares) const {
  double sum = 0;
  if (nearest.size() == 0) {
    weights = frequency_;
    sum = static_cast<double>(codes_.size());
  } else {
    weights.assign(n_classes(), 0.0);
    for (std::size_t i = 0; i < nearest.size(); ++i) {
      const double distance = std::sqrt(nearest[i].distance / unit);
      const double weight = 1.0 / std::max(distance, kMinDistance);
      weights[codes_[nearest[i].row]] += weight;
      sum += weight;
    }
  }
  for (std::size_t c = 0; c < n_classes(); ++c) shares[c] = static_cast<std::int32_t>(weights[c] / sum * kWhole + 0.5);
}

}  // namespace sightline::learn::subspace_knn
