// The ways that rows take through a tree or graph.
#pragma once

#include <cstdint>
#include <vector>

#include "sightline/model/decision_nodes.hpp"
#include "sightline/runtime/stop.hpp"
#include "sightline/table/columns.hpp"

namespace sightline::model {

// Every different route once: many rows share a few, so that whatever is said about a route is
// worked out once. A route is one path, or several where a missing value spreads a row.
struct Routes {
  std::vector<std::int64_t> route_of;  // per row

  // The edges of route r are [begin[r], begin[r + 1]), by ascending node.
  std::vector<std::int64_t> begin{0};
  std::vector<NodeId> node;           // per edge: the test that it leaves
  std::vector<std::int32_t> branch;   // per edge
  std::vector<std::uint8_t> missing;  // per edge: whether the tested value is missing
  std::vector<double> part;           // per edge: how much of a row takes it

  std::size_t size() const { return begin.size() - 1; }
};

Routes find_routes(const DecisionNodes& nodes, const table::Columns& rows, runtime::StopPoll& poll);

}  // namespace sightline::model
