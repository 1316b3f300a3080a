// The decision graph of voting trees with one fixed order of features.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sightline/proof/voting_trees.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::proof {

struct OrderedGraphOptions {
  bool may_be_missing = true;      // whether rows without a value must be answered as the vote does
  bool search = true;              // for a good order; else features that most trees test come first
  std::int64_t max_nodes = 0;      // of the result
  std::int64_t max_states = 0;     // of one construction
  std::int64_t search_states = 0;  // of all constructions of the search together
};

struct OrderedGraph {
  model::TreeArrays arrays;         // in the order of build_graph
  std::vector<std::int32_t> order;  // of the features
  std::int64_t n_orders = 0;        // that were tried
};

// Reduced: no two nodes are equal, and no test leads to one node only. Every path tests
// features in the same order. Nothing if it exceeds the budget.
std::optional<OrderedGraph> ordered_graph(const VotingTrees& trees, const OrderedGraphOptions& options, runtime::StopPoll& poll);

}  // namespace sightline::proof
