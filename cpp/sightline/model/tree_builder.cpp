// Checks of build_tree and build_graph: everything that a kernel later takes for granted is decided here.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "sightline/model/graph.hpp"
#include "sightline/model/tree.hpp"

namespace sightline::model {
namespace {

[[noreturn]] void fail(NodeId node, const std::string& what) {
  throw std::invalid_argument("node " + std::to_string(node) + ": " + what);
}

void check_length(const char* name, std::size_t length, std::size_t expected) {
  if (length != expected) {
    throw std::invalid_argument("the array '" + std::string(name) + "' has length " + std::to_string(length) + "; expected " +
                                std::to_string(expected));
  }
}

void check_offsets(const char* name, const std::vector<std::int64_t>& begin, std::size_t n_nodes, std::size_t n_entries) {
  check_length(name, begin.size(), n_nodes + 1);
  for (std::size_t v = 0; v < n_nodes; ++v) {
    if (begin[v] > begin[v + 1] || begin[v] < 0) {
      fail(static_cast<NodeId>(v), "the array '" + std::string(name) + "' decreases here");
    }
  }
  if (begin.front() != 0 || begin.back() != static_cast<std::int64_t>(n_entries)) {
    throw std::invalid_argument("the array '" + std::string(name) + "' must run from 0 to " + std::to_string(n_entries));
  }
}

void check_lengths(const TreeArrays& a) {
  const std::size_t n = a.n_nodes();
  if (n == 0) throw std::invalid_argument("a tree needs at least one node");
  check_length("feature", a.feature.size(), n);
  check_length("threshold", a.threshold.size(), n);
  check_length("weight", a.weight.size(), n);
  if (a.n_outputs == 0) throw std::invalid_argument("a tree needs at least one output");
  // The product of absurd numbers would wrap around, perhaps to the right length.
  const std::size_t n_numbers = a.n_outputs > SIZE_MAX / n ? SIZE_MAX : n * a.n_outputs;
  check_length("output", a.output.n_numbers(), n_numbers);
  if (a.counts.n_numbers() > 0) check_length("counts", a.counts.n_numbers(), n_numbers);
  check_offsets("branch_begin", a.branch_begin, n, a.child.size());
  check_length("share", a.share.size(), a.child.size());
  check_offsets("category_begin", a.category_begin, n, a.category.size());
}

void check_test(const TreeArrays& a, NodeId v) {
  const auto n_branches = static_cast<std::size_t>(a.branch_begin[v + 1] - a.branch_begin[v]);
  const auto n_categories = a.category_begin[v + 1] - a.category_begin[v];
  if (a.test[v] > Test::kMultiway) fail(v, "there is no test of kind " + std::to_string(static_cast<int>(a.test[v])));
  if (a.test[v] != Test::kSubset && n_categories != 0) fail(v, "only a subset test has categories");
  if (a.test[v] == Test::kLeaf) {
    if (n_branches != 0) fail(v, "a leaf has no branches");
    return;
  }
  const std::int32_t feature = a.feature[v];
  if (feature < 0 || static_cast<std::size_t>(feature) >= a.n_values.size()) {
    fail(v, "feature " + std::to_string(feature) + " does not exist (there are " + std::to_string(a.n_values.size()) + ")");
  }
  const std::int32_t n_values = a.n_values[feature];
  const bool wants_nominal = a.test[v] != Test::kThreshold;
  if (wants_nominal != (n_values > 0)) {
    fail(v, "feature " + std::to_string(feature) +
                (wants_nominal ? " is numeric, but the test is nominal" : " is nominal, but the test is numeric"));
  }
  if (a.test[v] == Test::kThreshold && !std::isfinite(a.threshold[v])) fail(v, "the threshold is not a finite number");
  const std::size_t expected = a.test[v] == Test::kMultiway ? static_cast<std::size_t>(n_values) : 2;
  if (n_branches != expected) {
    fail(v, "it has " + std::to_string(n_branches) + " branches, but the test has " + std::to_string(expected) + " outcomes");
  }
  for (auto i = a.category_begin[v]; i < a.category_begin[v + 1]; ++i) {
    if (a.category[i] < 0 || a.category[i] >= n_values) {
      fail(v, "category " + std::to_string(a.category[i]) + " does not exist (feature " + std::to_string(feature) + " has " +
                  std::to_string(n_values) + ")");
    }
    if (i > a.category_begin[v] && a.category[i] <= a.category[i - 1]) fail(v, "the categories must be ascending");
  }
}

void check_numbers(const TreeArrays& a, NodeId v) {
  if (!std::isfinite(a.weight[v]) || a.weight[v] < 0) fail(v, "the weight must be finite and not negative");
  a.output[v].for_each([&](std::size_t, double value) {
    if (!std::isfinite(value)) fail(v, "the output is not finite");
  });
  if (!a.counts.empty()) {
    a.counts[v].for_each([&](std::size_t, double count) {
      if (!std::isfinite(count) || count < 0) fail(v, "class counts must be finite and not negative");
    });
  }
  double total = 0;
  for (auto b = a.branch_begin[v]; b < a.branch_begin[v + 1]; ++b) {
    if (!(a.share[b] >= 0) || !std::isfinite(a.share[b])) fail(v, "the shares of branches must not be negative");
    total += a.share[b];
  }
  if (a.test[v] != Test::kLeaf && std::abs(total - 1) > 1e-9) fail(v, "the shares of its branches do not sum to 1");
}

void check_child(const TreeArrays& a, NodeId v, NodeId child, const char* whole) {
  if (child < 0 || static_cast<std::size_t>(child) >= a.n_nodes()) {
    fail(v,
         "child " + std::to_string(child) + " does not exist (the " + whole + " has " + std::to_string(a.n_nodes()) + " nodes)");
  }
}

void check_all_reached(const std::vector<bool>& seen) {
  const auto missed = std::find(seen.begin(), seen.end(), false);
  if (missed != seen.end()) fail(static_cast<NodeId>(missed - seen.begin()), "it cannot be reached from the root");
}

// Whether the arrays are a tree in depth-first order already, as what our own kernels make is: from
// the last node on, the subtrees of every node's branches lie right behind it, one after the other.
bool is_depth_first(const TreeArrays& a) {
  const auto n = static_cast<NodeId>(a.n_nodes());
  std::vector<NodeId> end(n);  // of the subtree
  for (NodeId v = n; v-- > 0;) {
    NodeId next = v + 1;
    for (auto b = a.branch_begin[v]; b < a.branch_begin[v + 1]; ++b) {
      if (a.child[b] != next || next == n) return false;
      next = end[next];
    }
    end[v] = next;
  }
  return end[0] == n;
}

// Depth-first order from the root. Every node is entered once: by its only parent.
std::vector<NodeId> depth_first(const TreeArrays& a) {
  const auto n = static_cast<NodeId>(a.n_nodes());
  std::vector<NodeId> order;
  std::vector<bool> seen(n, false);
  std::vector<NodeId> stack{0};
  seen[0] = true;
  order.reserve(n);
  while (!stack.empty()) {
    const NodeId v = stack.back();
    stack.pop_back();
    order.push_back(v);
    for (auto b = a.branch_begin[v + 1]; b-- > a.branch_begin[v];) {
      const NodeId child = a.child[b];
      check_child(a, v, child, "tree");
      if (seen[child]) fail(v, "child " + std::to_string(child) + " is reached a second time (two parents, or a cycle)");
      seen[child] = true;
      stack.push_back(child);
    }
  }
  check_all_reached(seen);
  return order;
}

// Children behind all their parents: the reverse of the order in which a depth-first walk
// leaves the nodes. It depends on the shape alone, so that building twice changes nothing.
std::vector<NodeId> parents_first(const TreeArrays& a) {
  const auto n = static_cast<NodeId>(a.n_nodes());
  std::vector<NodeId> order;
  std::vector<bool> seen(n, false), left(n, false);
  std::vector<std::int64_t> next(a.branch_begin.begin() + 1, a.branch_begin.end());  // branches from the last on
  std::vector<NodeId> path{0};
  seen[0] = true;
  order.reserve(n);
  while (!path.empty()) {
    const NodeId v = path.back();
    if (next[v] == a.branch_begin[v]) {
      left[v] = true;
      order.push_back(v);
      path.pop_back();
      continue;
    }
    const NodeId child = a.child[--next[v]];
    check_child(a, v, child, "graph");
    if (seen[child] && !left[child]) fail(v, "child " + std::to_string(child) + " leads back to it: there is a cycle");
    if (!seen[child]) path.push_back(child);
    seen[child] = true;
  }
  check_all_reached(seen);
  std::reverse(order.begin(), order.end());
  return order;
}

TreeArrays reordered(TreeArrays a, const std::vector<NodeId>& order) {
  // The usual case, and a copy of ten million nodes less.
  if (std::is_sorted(order.begin(), order.end())) return a;
  std::vector<NodeId> index(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) index[order[i]] = static_cast<NodeId>(i);
  TreeArrays result;
  result.n_values = a.n_values;
  result.n_outputs = a.n_outputs;
  result.reserve(order.size());
  result.child.reserve(a.child.size());
  result.share.reserve(a.share.size());
  result.output.reserve(a.output.size(), a.n_outputs);
  result.counts.reserve(a.counts.size(), a.n_outputs);
  for (const NodeId v : order) {
    result.add_node(a.test[v], a.feature[v], a.threshold[v], a.weight[v]);
    for (auto b = a.branch_begin[v]; b < a.branch_begin[v + 1]; ++b) result.add_branch(index[a.child[b]], a.share[b]);
    for (auto i = a.category_begin[v]; i < a.category_begin[v + 1]; ++i) result.add_category(a.category[i]);
    result.output.add(a.output[v]);
    if (!a.counts.empty()) result.counts.add(a.counts[v]);
  }
  return result;
}

// Leaves carry no feature and no threshold, so that equal trees have equal arrays.
void normalise(TreeArrays& a) {
  for (std::size_t v = 0; v < a.n_nodes(); ++v) {
    if (a.test[v] == Test::kLeaf) a.feature[v] = -1;
    if (a.test[v] != Test::kThreshold) a.threshold[v] = 0;
  }
}

void check_nodes(TreeArrays& arrays) {
  check_lengths(arrays);
  for (NodeId v = 0; v < static_cast<NodeId>(arrays.n_nodes()); ++v) {
    check_test(arrays, v);
    check_numbers(arrays, v);
  }
  normalise(arrays);
}

}  // namespace

TreePtr build_tree(TreeArrays arrays) {
  check_nodes(arrays);
  if (is_depth_first(arrays)) return TreePtr(new Tree(std::move(arrays)));
  const std::vector<NodeId> order = depth_first(arrays);
  return TreePtr(new Tree(reordered(std::move(arrays), order)));
}

GraphPtr build_graph(TreeArrays arrays) {
  check_nodes(arrays);
  const std::vector<NodeId> order = parents_first(arrays);
  return GraphPtr(new Graph(reordered(std::move(arrays), order)));
}

}  // namespace sightline::model
