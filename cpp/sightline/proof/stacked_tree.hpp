// Stacks voting trees: each is attached to every leaf of the tree before it.
#pragma once

#include <cstdint>
#include <optional>

#include "sightline/proof/voting_trees.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::proof {

// Each step includes those before it.
enum class StackStep : std::uint8_t {
  kStacked = 0,   // leaves hold the share of the points that each class has
  kRounded = 1,   // leaves are sure of the class that wins
  kPossible = 2,  // tests that earlier tests answer are gone, with the branches that no row takes
  kEqual = 3,     // no test has branches that all lead to the same node
};

struct StackOptions {
  StackStep step = StackStep::kEqual;
  bool may_be_missing = true;  // whether rows without a value must be answered as the vote does
  std::int64_t max_nodes = 0;  // of the result
};

// How large the stacked tree is before anything is simplified; it need not fit anywhere.
double stacked_size(const VotingTrees& trees);

// Nothing if the result, or what has to be looked at to find it, is beyond the budget.
std::optional<model::TreeArrays> stacked_tree(const VotingTrees& trees, const StackOptions& options, runtime::StopPoll& poll);

}  // namespace sightline::proof
