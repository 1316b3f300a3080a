// Writes plans and diagrams as nodes of a tree or graph.
#pragma once

#include <unordered_map>
#include <vector>

#include "sightline/proof/joined_nodes.hpp"
#include "sightline/proof/smallest/leaf_states.hpp"
#include "sightline/proof/smallest/plan_search.hpp"
#include "sightline/proof/smallest/row_states.hpp"

namespace sightline::proof::smallest {

// Several functions share what they have in common.
class PlanWriter {
 public:
  using Id = JoinedNodes::Id;

  PlanWriter(JoinedNodes& nodes, Diagram& diagram, PlanSearch<LeafStates>& leaves)
      : nodes_(nodes), diagram_(diagram), leaf_states_(diagram), leaves_(leaves) {}

  // The plan with few leaves.
  Id leaf_plan(Diagram::Id function);
  // The plan with few tests per row.
  Id row_plan(RowStates& states, PlanSearch<RowStates>& search, RowStates::State state);
  // The diagram as it is: level by level.
  Id diagram(Diagram::Id function);

 private:
  template <class States, class Closed>
  Id plan(States& states, PlanSearch<States>& search, std::unordered_map<std::int32_t, Id>& written, std::int32_t root,
          Closed closed);
  Id some_leaf(Diagram::Id function);
  Id level_node(Diagram::Id function);
  Id category_node(const Level& level, const std::vector<Id>& by_atom);

  JoinedNodes& nodes_;
  Diagram& diagram_;
  LeafStates leaf_states_;
  PlanSearch<LeafStates>& leaves_;
  std::unordered_map<std::int32_t, Id> by_leaves_, by_rows_, by_levels_;
};

}  // namespace sightline::proof::smallest
