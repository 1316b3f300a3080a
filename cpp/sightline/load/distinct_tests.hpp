// The tests of a forest, each once: whoever translates them looks at few tests instead of many nodes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightline/model/tree.hpp"

namespace sightline::load {

struct DistinctTests {
  // The branch of missing values: 0 or 1, or this where several branches share them.
  static constexpr std::int8_t kShared = -1;

  // Per test.
  std::vector<model::Test> kind;
  std::vector<std::int32_t> feature;
  std::vector<double> threshold;
  std::vector<std::int8_t> missing;
  std::vector<std::int64_t> category_begin{0};
  std::vector<std::int32_t> category;

  // Per tree and node: its test, -1 at leaves.
  std::vector<std::vector<std::int32_t>> of_node;
};

DistinctTests distinct_tests(std::span<const model::TreePtr> trees);

}  // namespace sightline::load
