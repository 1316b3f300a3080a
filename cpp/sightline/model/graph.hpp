// A decision graph: a tree whose equal subtrees are stored once.
#pragma once

#include "sightline/model/decision_nodes.hpp"
#include "sightline/runtime/stop.hpp"
#include "sightline/table/columns.hpp"

namespace sightline::model {

// Nodes may have several parents; there is no cycle, and children come after all their
// parents, in the order in which a depth-first walk leaves them, reversed.
class Graph : public DecisionNodes {
 public:
  // Number of paths from the root to leaves, which is the number of leaves of the tree
  // that the graph represents; as a double, since it may be astronomical.
  double n_paths() const;
  // Tests on all those paths together.
  double n_conditions() const;

  // Output of every row, mixed over the branches wherever a value is missing.
  void outputs(const table::Columns& rows, int n_threads, runtime::StopPoll& poll, double* outputs) const;

 private:
  friend std::shared_ptr<const Graph> build_graph(TreeArrays arrays);
  using DecisionNodes::DecisionNodes;
};

using GraphPtr = std::shared_ptr<const Graph>;

// The only way to a Graph, as build_tree is to a Tree.
GraphPtr build_graph(TreeArrays arrays);

// The graph of a tree in which equal subtrees are one: same tests, shares and outputs.
// Weights and counts are added up.
GraphPtr shared_subtrees(const DecisionNodes& nodes, runtime::StopPoll& poll);

}  // namespace sightline::model
