// The test whether a value is known, written as an ordinary test.
#pragma once

#include <cstdint>
#include <limits>

#include "sightline/model/decision_nodes.hpp"

namespace sightline::model {

// Every known value takes branch 0; who adds the branches sends what is missing to branch 1.
inline void add_known_test(TreeArrays& arrays, std::int32_t feature) {
  const std::int32_t n_values = arrays.n_values[feature];
  if (n_values == 0) {
    arrays.add_node(Test::kThreshold, feature, std::numeric_limits<double>::max(), 0);
    return;
  }
  arrays.add_node(Test::kSubset, feature, 0, 0);
  for (std::int32_t value = 0; value < n_values; ++value) arrays.add_category(value);
}

}  // namespace sightline::model
