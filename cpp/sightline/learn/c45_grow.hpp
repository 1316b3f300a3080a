// Growing a C4.5 tree, before any pruning.
#pragma once

#include <cstdint>
#include <vector>

#include "sightline/learn/c45.hpp"
#include "sightline/learn/training_set.hpp"
#include "sightline/model/tree.hpp"
#include "sightline/runtime/stop.hpp"
#include "sightline/table/orders.hpp"

namespace sightline::c45 {

// A training row, or the part of it that went this way because a tested value was missing.
struct Fragment {
  std::uint32_t row;
  double weight;
};

struct GrownNode {
  Test test = Test::kLeaf;
  std::int32_t feature = -1;
  double threshold = 0;
  std::int32_t value = -1;  // kSubset: the one value of branch 0
  std::vector<NodeId> children;
  double weight = 0;
  std::vector<double> counts;  // per class
  std::vector<Fragment> rows;  // at leaves
};

// Nodes depth first. A leaf without rows (weight 0) answers as its parent does.
struct GrownTree {
  std::vector<GrownNode> nodes;
};

// `orders` may be null: then columns are sorted one at a time and forgotten again.
GrownTree grow(const TrainingSet& training, const Options& options, const Orders* orders, StopPoll& poll);

}  // namespace sightline::c45
