// Hash-consed nodes: equal subtrees are stored once. Built from the leaves up.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightline/model/decision_nodes.hpp"

namespace sightline::model {

// Two nodes are equal if their tests and their children are equal. Numbers are
// given in order of first appearance, so that children have lower numbers than parents;
// the meaning of a test number is up to the caller.
class HashConsedNodes {
 public:
  using Id = std::int32_t;

  // A leaf of a kind; kinds and tests are numbered apart.
  Id leaf(std::int32_t kind) { return find_or_add(-1 - kind, {}); }
  Id node(std::int32_t test, std::span<const Id> children) { return find_or_add(test, children); }

  std::size_t size() const { return test_.size(); }
  bool is_leaf(Id id) const { return test_[id] < 0; }
  std::int32_t leaf_kind(Id id) const { return -1 - test_[id]; }
  std::int32_t test(Id id) const { return test_[id]; }
  std::span<const Id> children(Id id) const { return {child_.data() + child_begin_[id], child_.data() + child_begin_[id + 1]}; }
  // Nodes of the tree that a node represents.
  double tree_size(Id id) const { return tree_size_[id]; }

  // The nodes below a root, it first: depth first, shared ones as often as they are reached.
  std::vector<Id> tree_order(Id root) const;
  // Once each, in the order of build_graph.
  std::vector<Id> graph_order(Id root) const;

 private:
  Id find_or_add(std::int32_t test, std::span<const Id> children);
  std::size_t slot_of(std::int32_t test, std::span<const Id> children) const;
  void grow();

  std::vector<std::int32_t> test_;
  std::vector<std::int64_t> child_begin_{0};
  std::vector<Id> child_;
  std::vector<double> tree_size_;
  std::vector<Id> slots_;  // open addressing; -1 is free
};

}  // namespace sightline::model
