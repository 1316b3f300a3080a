#include "sightline/load/binary_nodes.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace sightline {
namespace {

// Keeps what does not fit out of range, instead of wrapping it around into it.
std::int32_t narrowed(std::int64_t id) {
  using Limits = std::numeric_limits<std::int32_t>;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(id, Limits::min(), Limits::max()));
}

void check_lengths(const BinaryNodes& nodes) {
  const std::size_t n = nodes.is_leaf.size();
  const std::pair<const char*, std::size_t> lengths[] = {
      {"feature", nodes.feature.size()},     {"left", nodes.left.size()},
      {"right", nodes.right.size()},         {"threshold", nodes.threshold.size()},
      {"weight", nodes.weight.size()},       {"missing_goes_left", nodes.missing_goes_left.size()},
      {"is_subset", nodes.is_subset.empty() ? n : nodes.is_subset.size()},
  };
  for (const auto& [name, length] : lengths) {
    if (length != n) {
      throw std::invalid_argument("the array '" + std::string(name) + "' has " + std::to_string(length) + " entries, but " +
                                  std::to_string(n) + " are needed");
    }
  }
}

// The nodes, each before its children; empty if that is not a tree, which the builder will say.
std::vector<NodeId> parents_first(const TreeArrays& a) {
  const auto n = static_cast<NodeId>(a.n_nodes());
  std::vector<NodeId> order;
  std::vector<bool> seen(n, false);
  order.reserve(n);
  if (n > 0) order.push_back(0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (auto b = a.branch_begin[order[i]]; b < a.branch_begin[order[i] + 1]; ++b) {
      const NodeId child = a.child[b];
      if (child <= 0 || child >= n || seen[child]) return {};
      seen[child] = true;
      order.push_back(child);
    }
  }
  return order;
}

void average_inner_outputs(TreeArrays& a) {
  const std::vector<NodeId> order = parents_first(a);
  for (auto v = order.rbegin(); v != order.rend(); ++v) {
    if (a.test[*v] == Test::kLeaf) continue;
    const NodeId children[] = {a.child[a.branch_begin[*v]], a.child[a.branch_begin[*v] + 1]};
    const double weights[] = {a.weight[children[0]], a.weight[children[1]]};
    const double total = weights[0] + weights[1];
    // Without any training weight, both children count alike.
    const double share = total > 0 && total <= std::numeric_limits<double>::max() ? weights[0] / total : 0.5;
    for (std::size_t k = 0; k < a.n_outputs; ++k) {
      const double low = a.output[children[0] * a.n_outputs + k], high = a.output[children[1] * a.n_outputs + k];
      a.output[*v * a.n_outputs + k] = share * low + (1 - share) * high;
    }
  }
}

}  // namespace

TreePtr build_binary_tree(const BinaryNodes& nodes) {
  check_lengths(nodes);
  const std::size_t n = nodes.is_leaf.size();
  TreeArrays a;
  a.n_values = nodes.n_values;
  a.n_outputs = nodes.n_outputs;
  a.test.resize(n);
  a.feature.resize(n);
  a.threshold.assign(nodes.threshold.begin(), nodes.threshold.end());
  a.branch_begin.reserve(n + 1);
  a.branch_begin.push_back(0);
  a.child.reserve(n);
  a.share.reserve(n);
  for (std::size_t v = 0; v < n; ++v) {
    a.feature[v] = narrowed(nodes.feature[v]);
    if (nodes.is_leaf[v]) {
      a.test[v] = Test::kLeaf;
    } else {
      a.test[v] = !nodes.is_subset.empty() && nodes.is_subset[v] ? Test::kSubset : Test::kThreshold;
      a.child.push_back(narrowed(nodes.left[v]));
      a.child.push_back(narrowed(nodes.right[v]));
      a.share.push_back(nodes.missing_goes_left[v] ? 1.0 : 0.0);
      a.share.push_back(nodes.missing_goes_left[v] ? 0.0 : 1.0);
    }
    a.branch_begin.push_back(static_cast<std::int64_t>(a.child.size()));
  }
  a.category_begin = nodes.category_begin;
  if (a.category_begin.empty()) a.category_begin.assign(n + 1, 0);
  a.category = nodes.category;
  a.weight.assign(nodes.weight.begin(), nodes.weight.end());
  a.output.assign(nodes.output.begin(), nodes.output.end());
  a.counts.assign(nodes.counts.begin(), nodes.counts.end());
  if (nodes.leaves_only && a.output.size() == n * a.n_outputs) average_inner_outputs(a);
  return build_tree(std::move(a));
}

}  // namespace sightline
