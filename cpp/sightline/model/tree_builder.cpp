// Checks of build_tree and build_graph: everything that a kernel later takes for granted is decided here.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

#include "sightline/model/graph.hpp"
#include "sightline/model/tree.hpp"
#include "sightline/runtime/select.hpp"
#include "sightline/runtime/simd_dispatch.hpp"

namespace sightline::model {
namespace {

using runtime::select;

[[noreturn]] void fail(NodeId node, const std::string& what) {
  throw std::invalid_argument("node " + std::to_string(node) + ": " + what);
}

void check_length(const char* name, std::size_t length, std::size_t expected) {
  if (length != expected) {
    throw std::invalid_argument("the array '" + std::string(name) + "' has length " + std::to_string(length) + "; expected " +
                                std::to_string(expected));
  }
}

// Without a branch per entry.
SIGHTLINE_SIMD_DISPATCH bool ascends(const std::vector<std::int64_t>& numbers) {
  bool result = true;
  for (std::size_t i = 1; i < numbers.size(); ++i) result &= numbers[i - 1] <= numbers[i];
  return result;
}

void check_offsets(const char* name, const std::vector<std::int64_t>& begin, std::size_t n_nodes, std::size_t n_entries) {
  check_length(name, begin.size(), n_nodes + 1);
  if (begin.front() == 0 && begin.back() == static_cast<std::int64_t>(n_entries) && ascends(begin)) return;
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

// Whether the arrays are a tree in depth-first order already, as what our own kernels make is: behind a node lies
// its branch 0, behind a leaf the branch that has waited least. Which nodes are leaves is as good as random, so
// nothing branches on it.
bool is_depth_first(const TreeArrays& a) {
  const auto n = static_cast<NodeId>(a.n_nodes());
  if (a.child.empty()) return n == 1;
  std::vector<NodeId> waiting(a.child.size() + 2);
  waiting[0] = n;  // behind the last leaf
  std::size_t n_waiting = 1;
  for (NodeId v = 0; v < n; ++v) {
    const auto begin = static_cast<std::size_t>(a.branch_begin[v]);
    const std::size_t n_branches = static_cast<std::size_t>(a.branch_begin[v + 1]) - begin;
    const NodeId first = a.child[select<std::size_t>(n_branches > 0, begin, 0)];
    if (select(n_branches > 0, first, waiting[n_waiting - 1]) != v + 1) return false;
    for (std::size_t b = n_branches; b-- > 2;) waiting[n_waiting + n_branches - 1 - b] = a.child[begin + b];
    // Without a branch 1, this lies behind the last one that waits.
    waiting[n_waiting + std::max<std::size_t>(n_branches, 2) - 2] = a.child[select<std::size_t>(n_branches > 1, begin + 1, 0)];
    n_waiting += n_branches - 1;
  }
  return n_waiting == 0;
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
SIGHTLINE_SIMD_DISPATCH void normalise(TreeArrays& a) {
  for (std::size_t v = 0; v < a.n_nodes(); ++v) {
    a.feature[v] = select(a.test[v] == Test::kLeaf, -1, a.feature[v]);
    a.threshold[v] = select(a.test[v] == Test::kThreshold, a.threshold[v], 0.0);
  }
}

// Whether all numbers are below infinity by their first bits: those of the exponent, or with the sign before it, which
// makes negative numbers large. In integers, because each comparison of doubles would be a branch.
SIGHTLINE_SIMD_DISPATCH bool are_below_infinity(std::span<const double> numbers, bool with_sign) {
  const int n_ignored = with_sign ? 0 : 1;
  std::uint64_t is_above = 0;
  for (const double number : numbers) {
    is_above |= ((std::bit_cast<std::uint64_t>(number) << n_ignored >> (52 + n_ignored)) + 1) >> 11;
  }
  return is_above == 0;
}

bool are_finite(std::span<const double> numbers) { return are_below_infinity(numbers, false); }
// Says no to minus zero, which is left to the check of single nodes.
bool are_amounts(std::span<const double> numbers) { return are_below_infinity(numbers, true); }

// Whether each node is a leaf or a sound test with two branches, but for its categories.
SIGHTLINE_SIMD_DISPATCH bool are_binary_tests(const TreeArrays& a) {
  if (a.n_values.empty()) return false;
  const std::size_t n_features = a.n_values.size();
  bool result = true;
  for (std::size_t v = 0; v < a.n_nodes(); ++v) {
    const bool is_inner = a.test[v] != Test::kLeaf;
    const auto feature = static_cast<std::uint32_t>(a.feature[v]);
    const bool exists = feature < n_features;
    const bool is_nominal = a.n_values[select(exists, feature, 0u)] > 0;
    const bool is_finite = std::isfinite(a.threshold[v]);
    const bool is_number_test = (a.test[v] == Test::kThreshold) & !is_nominal & is_finite;
    const bool is_category_test = (a.test[v] == Test::kSubset) & is_nominal;
    result &= (!is_inner) | (exists & (is_number_test | is_category_test));
    result &= a.branch_begin[v + 1] - a.branch_begin[v] == 2 * std::int64_t{is_inner};
  }
  return result;
}

// Whether only subset tests list categories, which exist and ascend, if all features exist.
bool are_category_lists(const TreeArrays& a) {
  bool result = true;
  for (std::size_t v = 0; v < a.n_nodes(); ++v) {
    std::int32_t last = -1;
    for (auto i = a.category_begin[v]; i < a.category_begin[v + 1]; ++i) {
      result &= a.category[i] > last;
      last = a.category[i];
    }
    result &= last < (a.test[v] == Test::kSubset ? a.n_values[a.feature[v]] : 0);
  }
  return result;
}

// Shares of nodes with two branches each.
bool sum_to_one(std::span<const double> shares) {
  bool result = true;
  for (std::size_t b = 0; b < shares.size(); b += 2) result &= std::abs(shares[b] + shares[b + 1] - 1) <= 1e-9;
  return result;
}

// Whether all tests have two branches and nothing is wrong. Array by array and without a branch per node, this takes a
// third of the time that the checks of single nodes take, which know what is wrong.
bool is_sound_and_binary(const TreeArrays& a) {
  return are_binary_tests(a) && (a.category.empty() || are_category_lists(a)) && are_amounts(a.share) && sum_to_one(a.share) &&
         are_amounts(a.weight) && are_finite(a.output.stored()) && are_amounts(a.counts.stored());
}

void check_nodes(TreeArrays& arrays) {
  check_lengths(arrays);
  const auto n_unchecked = static_cast<NodeId>(is_sound_and_binary(arrays) ? 0 : arrays.n_nodes());
  for (NodeId v = 0; v < n_unchecked; ++v) {
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
