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

}  // namespace sightline::model
