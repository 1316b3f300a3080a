#include "sightline/distill/ism/cut.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "sightline/distill/ism/joined.hpp"
#include "sightline/model/ensemble.hpp"

namespace sightline::distill::ism {
namespace {

std::int32_t label_of(const model::TreeArrays& a, model::NodeId v) {
  return static_cast<std::int32_t>(model::argmax(a.output[v], 0));
}

// Which nodes become leaves, with their outputs and the reasons.
struct NewLeaves {
  std::vector<bool> becomes_leaf;
  std::map<model::NodeId, std::vector<double>> output;  // where it is not the output that the node had
  std::vector<Rest> rest;

  model::NumberRow<double> output_of(const model::Tree& tree, model::NodeId v) const {
    const auto found = output.find(v);
    return found == output.end() ? tree.output(v) : found->second;
  }
};

// New leaves that look as if growth had hit its limit there.
NewLeaves limited(const Growth& growth, std::vector<bool> becomes_leaf) {
  return {std::move(becomes_leaf), {}, std::vector<Rest>(growth.tree->n_nodes(), Rest::kLimit)};
}

// The tree in which the marked nodes are leaves. Nodes are in depth-first order, and a copy that
// skips everything below the marked nodes stays in that order.
Growth cut(const Growth& growth, const NewLeaves& leaves) {
  const std::vector<bool>& becomes_leaf = leaves.becomes_leaf;
  const model::Tree& tree = *growth.tree;
  const model::TreeArrays& from = tree.arrays();
  const auto n = static_cast<model::NodeId>(tree.n_nodes());
  std::vector<model::NodeId> index(n, -1);
  std::vector<bool> kept(n, false);
  kept[0] = true;
  model::NodeId next = 0;
  for (model::NodeId v = 0; v < n; ++v) {
    if (!kept[v]) continue;
    index[v] = next++;
    if (becomes_leaf[v]) continue;
    for (const model::NodeId child : tree.children(v)) kept[child] = true;
  }
  Growth result;
  result.complete = growth.complete;
  model::TreeArrays a;
  a.n_values = from.n_values;
  a.n_outputs = from.n_outputs;
  for (model::NodeId v = 0; v < n; ++v) {
    if (!kept[v]) continue;
    const bool leaf = becomes_leaf[v] || tree.is_leaf(v);
    a.add_node(leaf ? model::Test::kLeaf : tree.test(v), tree.feature(v), tree.threshold(v), tree.weight(v));
    if (!leaf) {
      for (std::size_t b = 0; b < tree.children(v).size(); ++b) a.add_branch(index[tree.children(v)[b]], tree.shares(v)[b]);
      for (const std::int32_t value : tree.categories(v)) a.add_category(value);
    }
    a.output.add(leaves.output_of(tree, v));
    a.counts.add(from.counts[v]);
    result.source.push_back(v);
    result.step.push_back(leaf ? -1 : growth.step[v]);
    result.rest.push_back(becomes_leaf[v] && !tree.is_leaf(v) ? leaves.rest[v] : growth.rest[v]);
  }
  result.tree = model::build_tree(std::move(a));
  return result;
}

}  // namespace

Growth truncated(const Growth& growth, std::size_t max_leaves, bool join_siblings) {
  const model::Tree& tree = *growth.tree;
  const auto n = static_cast<model::NodeId>(tree.n_nodes());
  // Pruning leaves gaps in the steps: they order the splits but do not number them.
  std::vector<model::NodeId> splits;
  for (model::NodeId v = 0; v < n; ++v) {
    if (growth.step[v] >= 0) splits.push_back(v);
  }
  std::sort(splits.begin(), splits.end(), [&](model::NodeId a, model::NodeId b) { return growth.step[a] < growth.step[b]; });
  std::vector<bool> becomes_leaf(n, true);
  std::size_t n_leaves = 1;
  JoinedLeaves joined(join_siblings, label_of(tree.arrays(), 0));
  for (const model::NodeId v : splits) {
    n_leaves += tree.children(v).size() - 1;
    if (n_leaves > max_leaves * (join_siblings ? kMaxLeavesPerJoined : 1)) break;
    std::vector<std::int32_t> labels;
    for (const model::NodeId child : tree.children(v)) labels.push_back(label_of(tree.arrays(), child));
    joined.split(v, tree.children(v), labels);
    if (joined.size() > max_leaves) break;
    becomes_leaf[v] = false;
  }
  return cut(growth, limited(growth, std::move(becomes_leaf)));
}

Growth joined(const Growth& growth) {
  constexpr std::int32_t kSeveral = -1;
  const model::Tree& tree = *growth.tree;
  const model::TreeArrays& a = tree.arrays();
  NewLeaves leaves = limited(growth, std::vector<bool>(tree.n_nodes(), false));
  std::vector<std::int32_t> label(tree.n_nodes());
  std::vector<bool> proved(tree.n_nodes());
  for (auto v = static_cast<model::NodeId>(tree.n_nodes()); v-- > 0;) {
    const auto children = tree.children(v);
    label[v] = tree.is_leaf(v) ? label_of(a, v) : label[children[0]];
    proved[v] = tree.is_leaf(v) ? growth.rest[v] == Rest::kProved : true;
    for (const model::NodeId child : children) {
      if (label[child] != label[v]) label[v] = kSeveral;
      proved[v] = proved[v] && proved[child];
    }
    if (tree.is_leaf(v) || label[v] == kSeveral) continue;
    leaves.becomes_leaf[v] = true;
    leaves.rest[v] = proved[v] ? Rest::kProved : Rest::kOneLabel;
    if (label_of(a, v) == label[v]) continue;
    // Its own rows favor a different label, so it gets the mean output of its leaves.
    std::vector<double> mean(a.n_outputs, 0.0);
    for (const model::NodeId child : children) {
      leaves.output_of(tree, child).for_each([&](std::size_t c, double value) { mean[c] += value; });
    }
    for (double& value : mean) value /= static_cast<double>(children.size());
    leaves.output[v] = std::move(mean);
  }
  return cut(growth, leaves);
}

namespace {

// Makes leaves of the nodes whose error as a leaf is at most that of their leaves and `slack`.
Growth pruned_by(const Growth& growth, const std::vector<double>& as_leaf, double slack) {
  const model::Tree& tree = *growth.tree;
  std::vector<bool> becomes_leaf(tree.n_nodes(), false);
  std::vector<double> errors(tree.n_nodes(), 0.0);
  for (auto v = static_cast<model::NodeId>(tree.n_nodes()); v-- > 0;) {
    for (const model::NodeId child : tree.children(v)) errors[v] += errors[child];
    if (tree.is_leaf(v) || as_leaf[v] <= errors[v] + slack) {
      becomes_leaf[v] = true;
      errors[v] = as_leaf[v];
    }
  }
  return cut(growth, limited(growth, std::move(becomes_leaf)));
}

}  // namespace

Growth pruned(const Growth& growth, const learn::c45::ErrorEstimate& estimate) {
  constexpr double kSlack = 0.1;  // in favor of the smaller tree, as in C4.5
  const model::TreeArrays& a = growth.tree->arrays();
  std::vector<double> as_leaf;
  for (std::size_t v = 0; v < growth.tree->n_nodes(); ++v) {
    as_leaf.push_back(estimate(a.counts[v]));
  }
  return pruned_by(growth, as_leaf, kSlack);
}

Growth pruned(const Growth& growth) {
  const model::Tree& tree = *growth.tree;
  const auto n = static_cast<model::NodeId>(tree.n_nodes());
  std::vector<double> as_leaf(n, 0.0);
  for (model::NodeId v = 0; v < n; ++v) {
    const double weight = tree.weight(v);
    if (weight > 1) as_leaf[v] = growth.distance[v] * (weight + 1) / (weight - 1);
    for (const model::NodeId child : tree.children(v)) {
      if (tree.weight(child) <= 1) as_leaf[child] = tree.weight(child) * std::abs(tree.output(child)[0] - tree.output(v)[0]);
    }
  }
  return pruned_by(growth, as_leaf, 0);
}

}  // namespace sightline::distill::ism
