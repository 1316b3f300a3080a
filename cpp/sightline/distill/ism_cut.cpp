#include "sightline/distill/ism_cut.hpp"

#include <algorithm>

namespace sightline::ism {
namespace {

// The tree in which the marked nodes are leaves. Nodes are depth first, so a copy in the
// same order that leaves out what lies below marked nodes is depth first again.
Growth cut(const Growth& growth, const std::vector<bool>& becomes_leaf) {
  const Tree& tree = *growth.tree;
  const TreeArrays& from = tree.arrays();
  const auto n = static_cast<NodeId>(tree.n_nodes());
  std::vector<NodeId> place(n, -1);
  std::vector<bool> kept(n, false);
  kept[0] = true;
  NodeId next = 0;
  for (NodeId v = 0; v < n; ++v) {
    if (!kept[v]) continue;
    place[v] = next++;
    if (becomes_leaf[v]) continue;
    for (const NodeId child : tree.children(v)) kept[child] = true;
  }
  Growth result;
  result.complete = growth.complete;
  TreeArrays a;
  a.n_values = from.n_values;
  a.n_outputs = from.n_outputs;
  for (NodeId v = 0; v < n; ++v) {
    if (!kept[v]) continue;
    const bool leaf = becomes_leaf[v] || tree.is_leaf(v);
    a.add_node(leaf ? Test::kLeaf : tree.test(v), tree.feature(v), tree.threshold(v), tree.weight(v));
    if (!leaf) {
      for (std::size_t b = 0; b < tree.children(v).size(); ++b) a.add_branch(place[tree.children(v)[b]], tree.shares(v)[b]);
      for (const std::int32_t value : tree.categories(v)) a.add_category(value);
    }
    const auto copy_row = [&](const std::vector<double>& source, std::vector<double>& target) {
      target.insert(target.end(), source.begin() + v * from.n_outputs, source.begin() + (v + 1) * from.n_outputs);
    };
    copy_row(from.output, a.output);
    copy_row(from.counts, a.counts);
    result.step.push_back(leaf ? -1 : growth.step[v]);
    result.rest.push_back(becomes_leaf[v] && !tree.is_leaf(v) ? Rest::kLimit : growth.rest[v]);
  }
  result.tree = build_tree(std::move(a));
  return result;
}

}  // namespace

Growth truncated(const Growth& growth, std::size_t max_leaves) {
  const Tree& tree = *growth.tree;
  const auto n = static_cast<NodeId>(tree.n_nodes());
  std::vector<NodeId> split_in_step(*std::max_element(growth.step.begin(), growth.step.end()) + 1);
  for (NodeId v = 0; v < n; ++v) {
    if (growth.step[v] >= 0) split_in_step[growth.step[v]] = v;
  }
  std::vector<bool> becomes_leaf(n, true);
  std::size_t n_leaves = 1;
  for (const NodeId v : split_in_step) {
    n_leaves += tree.children(v).size() - 1;
    if (n_leaves > max_leaves) break;
    becomes_leaf[v] = false;
  }
  return cut(growth, becomes_leaf);
}

Growth pruned(const Growth& growth, const c45::ErrorEstimate& estimate) {
  constexpr double kSlack = 0.1;  // in favour of the smaller tree, as in C4.5
  const Tree& tree = *growth.tree;
  const TreeArrays& a = tree.arrays();
  std::vector<bool> becomes_leaf(tree.n_nodes(), false);
  std::vector<double> errors(tree.n_nodes(), 0.0);
  for (auto v = static_cast<NodeId>(tree.n_nodes()); v-- > 0;) {
    const double as_leaf = estimate({a.counts.data() + v * a.n_outputs, a.n_outputs});
    for (const NodeId child : tree.children(v)) errors[v] += errors[child];
    if (tree.is_leaf(v) || as_leaf <= errors[v] + kSlack) {
      becomes_leaf[v] = true;
      errors[v] = as_leaf;
    }
  }
  return cut(growth, becomes_leaf);
}

}  // namespace sightline::ism
