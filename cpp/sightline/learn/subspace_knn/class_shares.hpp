// The class shares of the nearest cases.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sightline/learn/subspace_knn/nearest_list.hpp"

namespace sightline::learn::subspace_knn {

// Probabilities are multiples of 2^-30. Sums over members are exact, so members can be replaced in a sum, and ties are
// exact.
inline constexpr std::int32_t kWhole = 1 << 30;

// Cases at distance 0 decide alone, as 1 / d demands, and share if their classes differ.
inline constexpr double kMinDistance = 1e-9;

// Labels of the cases, and the order in which classes win ties: the most frequent first.
class CaseLabels {
 public:
  CaseLabels(std::vector<std::int32_t> codes, std::size_t n_classes);

  std::size_t n_classes() const { return order_.size(); }
  std::int32_t operator[](std::size_t row) const { return codes_[row]; }
  std::size_t size() const { return codes_.size(); }

  template <class Value>
  std::int32_t winner(const Value* values) const {
    std::int32_t best = order_[0];
    for (const std::int32_t c : order_) {
      if (values[c] > values[best]) best = c;
    }
    return best;
  }

  // Shares weighted by 1 / distance (the paper's eq. 1); without a neighbor, those of all cases.
  void write_shares(const NearestList<std::int32_t>& nearest, double unit, std::vector<double>& weights,
                    std::int32_t* shares) const;

 private:
  std::vector<std::int32_t> codes_;
  std::vector<std::int32_t> order_;
  std::vector<double> frequency_;
};

}  // namespace sightline::learn::subspace_knn
