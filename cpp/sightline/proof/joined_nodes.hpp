// Builds trees and graphs from the leaves up; equal subtrees are stored once.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "sightline/model/decision_nodes.hpp"
#include "sightline/model/hash_consed_nodes.hpp"

namespace sightline::proof {

// A test with everything that makes it different from others.
struct TestForm {
  model::Test test = model::Test::kLeaf;
  std::int32_t feature = -1;
  double threshold = 0;
  std::vector<std::int32_t> categories;
  std::int32_t missing_to = 0;  // the branch of rows without the value
  bool asks_whether_known = false;

  auto operator<=>(const TestForm&) const = default;

  static TestForm of(const model::DecisionNodes& nodes, model::NodeId node);
  // Known values take branch 0, the others branch 1.
  static TestForm whether_known(std::int32_t feature) { return {model::Test::kLeaf, feature, 0, {}, 1, true}; }

  // Appends a node with this test and these children.
  void write(model::TreeArrays& arrays, std::span<const model::NodeId> children) const;
};

class JoinedNodes {
 public:
  using Id = model::HashConsedNodes::Id;

  JoinedNodes(std::vector<std::int32_t> n_values, std::size_t n_classes)
      : n_values_(std::move(n_values)), n_classes_(n_classes) {}

  Id leaf(std::int32_t label) { return shared_.leaf(label); }
  // The node, or the one child that all branches lead to.
  Id node(const TestForm& form, std::span<const Id> children);

  double tree_size(Id root) const { return shared_.tree_size(root); }
  std::size_t graph_size(Id root) const { return shared_.graph_order(root).size(); }
  // In the order of build_tree and of build_graph, each leaf sure of its class.
  model::TreeArrays tree(Id root) const;
  model::TreeArrays graph(Id root) const;

 private:
  model::TreeArrays arrays_of(const std::vector<Id>& order, const std::vector<model::NodeId>& children) const;

  std::vector<std::int32_t> n_values_;
  std::size_t n_classes_;
  model::HashConsedNodes shared_;
  std::map<TestForm, std::int32_t> numbers_;
  std::vector<const TestForm*> forms_;
};

// Gives every test the mean output of its branches. Children must come after parents.
void set_outputs(model::TreeArrays& arrays, std::vector<double> output_of_leaves);

}  // namespace sightline::proof
