#include "sightline/model/decision_nodes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "sightline/runtime/select.hpp"

namespace sightline::model {

using runtime::select;

void TreeArrays::reserve(std::size_t nodes) {
  test.reserve(nodes);
  feature.reserve(nodes);
  threshold.reserve(nodes);
  branch_begin.reserve(nodes + 1);
  category_begin.reserve(nodes + 1);
  weight.reserve(nodes);
}

NodeId TreeArrays::add_node(Test kind, std::int32_t tested, double cut, double coverage) {
  if (branch_begin.empty()) {
    branch_begin.push_back(0);
    category_begin.push_back(0);
  }
  test.push_back(kind);
  feature.push_back(tested);
  threshold.push_back(cut);
  branch_begin.push_back(branch_begin.back());
  category_begin.push_back(category_begin.back());
  weight.push_back(coverage);
  return static_cast<NodeId>(test.size() - 1);
}

void TreeArrays::add_branch(NodeId node, double branch_share) {
  child.push_back(node);
  share.push_back(branch_share);
  ++branch_begin.back();
}

void TreeArrays::add_category(std::int32_t value) {
  category.push_back(value);
  ++category_begin.back();
}

namespace {

// The branch that receives every row with a missing value, or -1. Shares sum to 1 up to rounding: a branch that alone has one
// receives all.
std::int32_t whole_branch(std::span<const double> shares) {
  std::int32_t first_whole = -1, last_with_share = -1, n_with_share = 0;
  for (std::size_t b = 0; b < shares.size(); ++b) {
    if (shares[b] == 1.0 && first_whole < 0) first_whole = static_cast<std::int32_t>(b);
    if (shares[b] > 0) last_with_share = static_cast<std::int32_t>(b);
    n_with_share += shares[b] > 0;
  }
  return n_with_share == 1 ? last_with_share : first_whole;
}

// The same for two shares of a checked node. In integers, because comparisons of doubles take longer.
std::int32_t whole_branch(double first, double second) {
  constexpr auto kOne = std::bit_cast<std::uint64_t>(1.0);
  const auto of_first = std::bit_cast<std::uint64_t>(first), of_second = std::bit_cast<std::uint64_t>(second);
  const bool is_first = (of_first == kOne) | (of_second << 1 == 0);
  const bool is_second = (of_second == kOne) | (of_first << 1 == 0);
  return select(is_first, 0, 2 * std::int32_t{is_second} - 1);
}

}  // namespace

// Which nodes are leaves is as good as random, so nothing branches on it: the two branches that a leaf does not have lead
// to an entry behind the last node.
DecisionNodes::DecisionNodes(TreeArrays arrays) : a_(std::move(arrays)) {
  const std::size_t n = n_nodes();
  levels_.assign(n + 1, 0);
  missing_branch_.assign(n, -1);
  std::int32_t deepest = 0;
  // In a graph, the longest way counts. In a tree there is one, and reading that entry again and again would take longer
  // than all the rest.
  const bool is_tree = a_.child.size() + 1 == n;
  const auto lower = [&](std::size_t child, std::int32_t level) {
    if (!is_tree) level = std::max(levels_[child], level);
    levels_[child] = level;
  };
  const bool has_pairs = a_.child.size() > 1;
  for (std::size_t v = 0; v < n; ++v) {
    const auto begin = static_cast<std::size_t>(a_.branch_begin[v]);
    const std::size_t n_branches = static_cast<std::size_t>(a_.branch_begin[v + 1]) - begin;
    const std::int32_t level = levels_[v] + 1;
    deepest = std::max(deepest, level);
    if (has_pairs && (n_branches & ~std::size_t{2}) == 0) {
      const bool is_inner = n_branches != 0;
      const std::size_t first = select<std::size_t>(is_inner, begin, 0);
      lower(select<std::size_t>(is_inner, a_.child[first], n), level);
      lower(select<std::size_t>(is_inner, a_.child[first + 1], n), level);
      missing_branch_[v] = select(is_inner, whole_branch(a_.share[first], a_.share[first + 1]), -1);
    } else {
      for (const NodeId child : children(static_cast<NodeId>(v))) lower(child, level);
      missing_branch_[v] = whole_branch(shares(static_cast<NodeId>(v)));
    }
  }
  levels_.pop_back();
  depth_ = static_cast<std::size_t>(deepest - 1);
  n_leaves_ = static_cast<std::size_t>(std::count(a_.test.begin(), a_.test.end(), Test::kLeaf));
}

std::vector<std::int32_t> DecisionNodes::used_features() const {
  std::vector<bool> used(n_features(), false);
  for (const std::int32_t feature : a_.feature) {
    if (feature >= 0) used[feature] = true;
  }
  std::vector<std::int32_t> result;
  for (std::size_t feature = 0; feature < used.size(); ++feature) {
    if (used[feature]) result.push_back(static_cast<std::int32_t>(feature));
  }
  return result;
}

std::size_t DecisionNodes::branch(NodeId v, double value) const {
  switch (test(v)) {
    case Test::kThreshold:
      return value <= threshold(v) ? 0 : 1;
    case Test::kSubset: {
      const auto set = categories(v);
      return std::binary_search(set.begin(), set.end(), static_cast<std::int32_t>(value)) ? 0 : 1;
    }
    case Test::kMultiway:
      return static_cast<std::size_t>(value);
    case Test::kLeaf:
      break;
  }
  return 0;
}

NodeId find_leaf(const DecisionNodes& nodes, const double* row) {
  NodeId v = 0;
  while (!nodes.is_leaf(v)) {
    const double value = row[nodes.feature(v)];
    std::size_t branch;
    if (std::isnan(value)) {
      const auto shares = nodes.shares(v);
      branch = std::max_element(shares.begin(), shares.end()) - shares.begin();
    } else {
      branch = nodes.branch(v, value);
    }
    v = nodes.children(v)[branch];
  }
  return v;
}

NodeId find_whole_leaf(const DecisionNodes& nodes, const double* row) {
  NodeId v = 0;
  while (!nodes.is_leaf(v)) {
    const double value = row[nodes.feature(v)];
    const auto branch = std::isnan(value) ? nodes.missing_branch(v) : static_cast<std::int32_t>(nodes.branch(v, value));
    if (branch < 0) return -1;
    v = nodes.children(v)[branch];
  }
  return v;
}

namespace {

// Hands the part of a row that a node has received on to its branches.
void hand_on(const DecisionNodes& nodes, const double* row, NodeId v, std::vector<double>& part) {
  const auto children = nodes.children(v);
  const double value = row[nodes.feature(v)];
  if (!std::isnan(value)) {
    part[children[nodes.branch(v, value)]] += part[v];
  } else if (nodes.missing_branch(v) >= 0) {
    part[children[nodes.missing_branch(v)]] += part[v];
  } else {
    const auto shares = nodes.shares(v);
    for (std::size_t b = 0; b < children.size(); ++b) part[children[b]] += part[v] * shares[b];
  }
}

}  // namespace

// Parents first: what a node receives is complete when its turn comes, so that the time
// does not grow with the number of paths. In a tree, sums come out as those of `add_output`.
void add_mixed_output(const DecisionNodes& nodes, const double* row, std::vector<double>& part, double* sum) {
  part.assign(nodes.n_nodes(), 0.0);
  part[0] = 1.0;
  for (NodeId v = 0; v < static_cast<NodeId>(nodes.n_nodes()); ++v) {
    if (part[v] == 0) continue;
    if (!nodes.is_leaf(v)) {
      hand_on(nodes, row, v, part);
      continue;
    }
    nodes.output(v).for_each([&](std::size_t k, double value) { sum[k] += part[v] * value; });
  }
}

void add_passing(const DecisionNodes& nodes, const double* row, double amount, std::vector<double>& part, double* weight,
                 std::size_t stride) {
  if (find_whole_leaf(nodes, row) < 0) {
    part.assign(nodes.n_nodes(), 0.0);
    part[0] = 1.0;
    for (NodeId v = 0; v < static_cast<NodeId>(nodes.n_nodes()); ++v) {
      if (part[v] > 0 && !nodes.is_leaf(v)) hand_on(nodes, row, v, part);
      weight[v * stride] += amount * part[v];
    }
    return;
  }
  NodeId v = 0;
  weight[0] += amount;
  while (!nodes.is_leaf(v)) {
    const double value = row[nodes.feature(v)];
    v = nodes.children(v)[std::isnan(value) ? nodes.missing_branch(v) : nodes.branch(v, value)];
    weight[v * stride] += amount;
  }
}

}  // namespace sightline::model
