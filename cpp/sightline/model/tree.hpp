// A decision tree.
#pragma once

#include "sightline/model/decision_nodes.hpp"

namespace sightline::model {

// Nodes in depth-first order, branch 0 of a node right behind it, each node with one parent.
class Tree : public DecisionNodes {
 private:
  friend std::shared_ptr<const Tree> build_tree(TreeArrays arrays);
  using DecisionNodes::DecisionNodes;
};

using TreePtr = std::shared_ptr<const Tree>;

// The only way to a Tree. Checks every invariant once, puts the nodes in depth-first
// order, and throws std::invalid_argument naming the node where something is wrong.
TreePtr build_tree(TreeArrays arrays);

// Part of a row that is on its way: missing values spread a row over several branches.
struct RowPart {
  NodeId node;
  double share;
};
// Adds the output for a row to `sum`, mixed over the branches wherever a value is missing.
// `pending` is scratch, kept by the caller so that rows share its memory.
void add_output(const Tree& tree, const double* row, std::vector<RowPart>& pending, double* sum);

}  // namespace sightline::model
