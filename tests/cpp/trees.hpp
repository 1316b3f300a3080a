// Small trees, written down by hand.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "sightline/model/tree.hpp"

// x[feature] <= threshold ? yes : no, with the two outputs of each leaf. Missing values go to yes.
inline sightline::model::TreeArrays stump_arrays(std::vector<std::int32_t> n_values, std::int32_t feature, double threshold,
                                                 std::initializer_list<double> outputs_of_leaves) {
  using sightline::model::Test;
  sightline::model::TreeArrays a;
  a.n_values = std::move(n_values);
  a.n_outputs = 2;
  a.add_node(Test::kThreshold, feature, threshold, 2);
  a.add_branch(1, 1);
  a.add_branch(2, 0);
  a.add_node(Test::kLeaf, -1, 0, 1);
  a.add_node(Test::kLeaf, -1, 0, 1);
  std::vector<double> output{0.5, 0.5};
  output.insert(output.end(), outputs_of_leaves);
  a.output = {2, std::move(output)};
  return a;
}

inline sightline::model::TreePtr stump(double threshold, std::initializer_list<double> outputs_of_leaves = {1, 0, 0, 1}) {
  return sightline::model::build_tree(stump_arrays({0}, 0, threshold, outputs_of_leaves));
}
