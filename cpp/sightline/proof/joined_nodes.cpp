#include "sightline/proof/joined_nodes.hpp"

#include <algorithm>

#include "sightline/model/known_test.hpp"

namespace sightline::proof {

TestForm TestForm::of(const model::DecisionNodes& nodes, model::NodeId node) {
  const auto set = nodes.categories(node);
  return {nodes.test(node),         nodes.feature(node),        nodes.threshold(node) + 0.0,
          {set.begin(), set.end()}, nodes.missing_branch(node), false};
}

void TestForm::write(model::TreeArrays& arrays, std::span<const model::NodeId> children) const {
  if (asks_whether_known) {
    model::add_known_test(arrays, feature);
  } else {
    arrays.add_node(test, feature, threshold, 0);
    for (const std::int32_t value : categories) arrays.add_category(value);
  }
  for (std::size_t b = 0; b < children.size(); ++b) {
    arrays.add_branch(children[b], static_cast<std::int32_t>(b) == missing_to ? 1.0 : 0.0);
  }
}

JoinedNodes::Id JoinedNodes::node(const TestForm& form, std::span<const Id> children) {
  if (std::all_of(children.begin(), children.end(), [&](Id id) { return id == children[0]; })) return children[0];
  const auto [found, is_new] = numbers_.emplace(form, static_cast<std::int32_t>(forms_.size()));
  if (is_new) forms_.push_back(&found->first);
  return shared_.node(found->second, children);
}

// `children`: of all nodes in their order, one after the other.
model::TreeArrays JoinedNodes::arrays_of(const std::vector<Id>& order, const std::vector<model::NodeId>& children) const {
  model::TreeArrays arrays;
  arrays.n_values = n_values_;
  arrays.n_outputs = n_classes_;
  arrays.reserve(order.size());
  std::vector<double> output(order.size() * n_classes_, 0.0);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t n = shared_.children(order[i]).size();
    if (n == 0) {
      arrays.add_node(model::Test::kLeaf, -1, 0, 0);
      output[i * n_classes_ + shared_.leaf_kind(order[i])] = 1;
    } else {
      forms_[shared_.test(order[i])]->write(arrays, {children.data() + begin, n});
    }
    begin += n;
  }
  set_outputs(arrays, std::move(output));
  return arrays;
}

model::TreeArrays JoinedNodes::tree(Id root) const {
  const std::vector<Id> order = shared_.tree_order(root);
  std::vector<model::NodeId> children;
  for (std::size_t i = 0; i < order.size(); ++i) {
    auto next = static_cast<double>(i) + 1;
    for (const Id child : shared_.children(order[i])) {
      children.push_back(static_cast<model::NodeId>(next));
      next += shared_.tree_size(child);
    }
  }
  return arrays_of(order, children);
}

model::TreeArrays JoinedNodes::graph(Id root) const {
  const std::vector<Id> order = shared_.graph_order(root);
  std::vector<model::NodeId> index(shared_.size(), 0), children;
  for (std::size_t i = 0; i < order.size(); ++i) index[order[i]] = static_cast<model::NodeId>(i);
  for (const Id id : order) {
    for (const Id child : shared_.children(id)) children.push_back(index[child]);
  }
  return arrays_of(order, children);
}

void set_outputs(model::TreeArrays& arrays, std::vector<double> output) {
  const std::size_t width = arrays.n_outputs;
  for (std::size_t v = arrays.n_nodes(); v-- > 0;) {
    const auto n = static_cast<double>(arrays.branch_begin[v + 1] - arrays.branch_begin[v]);
    for (auto b = arrays.branch_begin[v]; b < arrays.branch_begin[v + 1]; ++b) {
      for (std::size_t c = 0; c < width; ++c) output[v * width + c] += output[arrays.child[b] * width + c] / n;
    }
  }
  arrays.output = {width, std::move(output)};
}

}  // namespace sightline::proof
