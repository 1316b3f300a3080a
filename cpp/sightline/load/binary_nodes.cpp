#include "sightline/load/binary_nodes.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace sightline::load {
namespace {

// Clamps indices that do not fit, so that they stay out of range instead of wrapping around into it.
std::int32_t narrowed(std::int64_t id) {
  using Limits = std::numeric_limits<std::int32_t>;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(id, Limits::min(), Limits::max()));
}

void check_lengths(const BinaryNodes& nodes) {
  const std::size_t n = nodes.is_leaf.size();
  const std::pair<const char*, std::size_t> lengths[] = {
      {"feature", nodes.feature.size()},
      {"left", nodes.left.size()},
      {"right", nodes.right.size()},
      {"threshold", nodes.threshold.size()},
      {"weight", nodes.weight.size()},
      {"missing_goes_left", nodes.missing_goes_left.size()},
      {"is_subset", nodes.is_subset.empty() ? n : nodes.is_subset.size()},
  };
  for (const auto& [name, length] : lengths) {
    if (length != n) {
      throw std::invalid_argument("the array '" + std::string(name) + "' has length " + std::to_string(length) + "; expected " +
                                  std::to_string(n));
    }
  }
}

model::Test test_of(const BinaryNodes& nodes, std::size_t v) {
  if (nodes.is_leaf[v]) return model::Test::kLeaf;
  return !nodes.is_subset.empty() && nodes.is_subset[v] ? model::Test::kSubset : model::Test::kThreshold;
}

// What the order of nodes depends on, and what is copied in that order. Gathered in one pass over the arrays, which for a large
// forest are no longer in the cache: their depth-first order is scattered, and each step would wait for memory.
struct PackedNode {
  double threshold, weight;
  std::int32_t feature, left, right;
  model::Test test;
  bool missing_goes_left;
};

std::vector<PackedNode> packed(const BinaryNodes& nodes) {
  std::vector<PackedNode> result;
  result.reserve(nodes.is_leaf.size());
  for (std::size_t v = 0; v < nodes.is_leaf.size(); ++v) {
    result.push_back({nodes.threshold[v], nodes.weight[v], narrowed(nodes.feature[v]), narrowed(nodes.left[v]),
                      narrowed(nodes.right[v]), test_of(nodes, v), nodes.missing_goes_left[v]});
  }
  return result;
}

void add_packed(const PackedNode& node, model::TreeArrays& a) {
  a.add_node(node.test, node.feature, node.threshold, node.weight);
  if (node.test == model::Test::kLeaf) return;
  const double left_share = node.missing_goes_left ? 1.0 : 0.0;
  a.add_branch(node.left, left_share);
  a.add_branch(node.right, 1.0 - left_share);
}

model::TreeArrays without_nodes(const BinaryNodes& nodes) {
  const std::size_t n = nodes.is_leaf.size();
  model::TreeArrays a;
  a.n_values = nodes.n_values;
  a.n_outputs = nodes.n_outputs;
  a.reserve(n);
  a.child.reserve(n);
  a.share.reserve(n);
  return a;
}

// Whether categories, outputs and counts have an entry for every node.
bool is_complete(const BinaryNodes& nodes) {
  const std::size_t n = nodes.is_leaf.size();
  const auto& begin = nodes.category_begin;
  const bool has_categories =
      begin.empty() || (begin.size() == n + 1 && begin.front() == 0 && std::is_sorted(begin.begin(), begin.end()) &&
                        begin.back() == static_cast<std::int64_t>(nodes.category.size()));
  return n > 0 && has_categories && nodes.output.size() / n == nodes.n_outputs && nodes.output.size() % n == 0 &&
         (nodes.counts.empty() || nodes.counts.size() == nodes.output.size());
}

// Nodes in the order of the source, even if they are not a valid tree.
model::TreeArrays as_given(const BinaryNodes& nodes) {
  model::TreeArrays a = without_nodes(nodes);
  for (const PackedNode& node : packed(nodes)) add_packed(node, a);
  if (!nodes.category_begin.empty()) a.category_begin = nodes.category_begin;
  a.category = nodes.category;
  std::vector<double> output(nodes.output.begin(), nodes.output.end());
  if (nodes.leaves_only && is_complete(nodes)) {
    for (std::size_t i = 0; i < output.size(); ++i) {
      if (!nodes.is_leaf[i / a.n_outputs]) output[i] = 0;
    }
  }
  a.output = {a.n_outputs, std::move(output)};
  a.counts = {a.n_outputs, {nodes.counts.begin(), nodes.counts.end()}};
  return a;
}

model::NumberRows<double> ordered_rows(std::span<const double> from, const std::vector<std::uint32_t>& order, std::size_t width) {
  std::vector<double> rows(from.size());
  double* to = rows.data();
  for (std::size_t i = 0; i < order.size() && !from.empty(); ++i) {
    for (std::size_t k = 0; k < width; ++k) *to++ = from[order[i] * width + k];
  }
  return {width, std::move(rows)};
}

// A tree of n nodes that have no test yet: two branches for each inner node.
model::TreeArrays with_room(const BinaryNodes& nodes) {
  const std::size_t n = nodes.is_leaf.size();
  model::TreeArrays a;
  a.n_values = nodes.n_values;
  a.n_outputs = nodes.n_outputs;
  a.test.resize(n);
  a.feature.resize(n);
  a.threshold.resize(n);
  a.weight.resize(n);
  a.branch_begin.resize(n + 1);
  a.category_begin.resize(n + 1);
  a.child.resize(n - 1);
  a.share.resize(n - 1);
  return a;
}

// Nodes in depth-first order, as the builder wants them; empty if they are not a tree.
std::optional<model::TreeArrays> depth_first(const BinaryNodes& nodes) {
  struct Place {
    std::uint32_t node;
    std::size_t branch;  // that leads to it
  };
  const std::size_t n = nodes.is_leaf.size();
  const std::vector<PackedNode> source = packed(nodes);
  model::TreeArrays a = with_room(nodes);
  std::vector<std::uint32_t> order;
  order.reserve(n);
  std::vector<std::uint8_t> is_reached(n, 0);
  const auto reaches = [&](std::int32_t child) {
    return child >= 0 && static_cast<std::size_t>(child) < n && !std::exchange(is_reached[child], std::uint8_t{1});
  };
  std::vector<Place> waiting;  // right children of the nodes on the path
  is_reached[0] = 1;
  std::size_t n_branches = 0;
  Place here{0, 0};
  while (true) {
    const PackedNode& node = source[here.node];
    const std::size_t at = order.size();
    if (at > 0) a.child[here.branch] = static_cast<model::NodeId>(at);
    order.push_back(here.node);
    a.test[at] = node.test;
    a.feature[at] = node.feature;
    a.threshold[at] = node.threshold;
    a.weight[at] = node.weight;
    if (!nodes.category_begin.empty()) {
      const auto first = nodes.category.begin();
      a.category.insert(a.category.end(), first + nodes.category_begin[here.node], first + nodes.category_begin[here.node + 1]);
    }
    a.category_begin[at + 1] = static_cast<std::int64_t>(a.category.size());
    const bool is_leaf = node.test == model::Test::kLeaf;
    a.branch_begin[at + 1] = static_cast<std::int64_t>(n_branches + (is_leaf ? 0 : 2));
    if (!is_leaf) {
      // A node is reached once, so there are no more branches than nodes below the root.
      if (!reaches(node.left) || !reaches(node.right)) return std::nullopt;
      a.share[n_branches] = node.missing_goes_left ? 1.0 : 0.0;
      a.share[n_branches + 1] = node.missing_goes_left ? 0.0 : 1.0;
      waiting.push_back({static_cast<std::uint32_t>(node.right), n_branches + 1});
      here = {static_cast<std::uint32_t>(node.left), n_branches};
      n_branches += 2;
    } else if (!waiting.empty()) {
      here = waiting.back();
      waiting.pop_back();
    } else {
      break;
    }
  }
  if (order.size() != n) return std::nullopt;
  a.output = ordered_rows(nodes.output, order, nodes.n_outputs);
  a.counts = ordered_rows(nodes.counts, order, nodes.n_outputs);
  return a;
}

// Requires nodes in depth-first order.
void average_inner_outputs(model::TreeArrays& a) {
  std::vector<double> output = a.output.taken();
  for (std::size_t v = a.n_nodes(); v-- > 0;) {
    if (a.test[v] == model::Test::kLeaf) continue;
    const model::NodeId children[] = {a.child[a.branch_begin[v]], a.child[a.branch_begin[v] + 1]};
    const double weights[] = {a.weight[children[0]], a.weight[children[1]]};
    const double total = weights[0] + weights[1];
    // Without training weight, both children count equally.
    const double share = total > 0 && total <= std::numeric_limits<double>::max() ? weights[0] / total : 0.5;
    for (std::size_t k = 0; k < a.n_outputs; ++k) {
      const double low = output[children[0] * a.n_outputs + k], high = output[children[1] * a.n_outputs + k];
      output[v * a.n_outputs + k] = share * low + (1 - share) * high;
    }
  }
  a.output = {a.n_outputs, std::move(output)};
}

// The nodes [begin, end) alone.
BinaryNodes part_of(const BinaryNodes& all, std::size_t begin, std::size_t end) {
  const auto cut = [&](auto span) { return span.empty() ? span : span.subspan(begin, end - begin); };
  const auto cut_rows = [&](std::span<const double> rows) {
    return rows.empty() ? rows : rows.subspan(begin * all.n_outputs, (end - begin) * all.n_outputs);
  };
  BinaryNodes part{all.n_values,
                   all.n_outputs,
                   cut(all.is_leaf),
                   cut(all.feature),
                   cut(all.left),
                   cut(all.right),
                   cut(all.threshold),
                   cut(all.missing_goes_left),
                   cut(all.is_subset),
                   {},
                   {},
                   cut(all.weight),
                   cut_rows(all.output),
                   cut_rows(all.counts),
                   all.leaves_only};
  if (all.category_begin.empty()) return part;
  const std::int64_t first = all.category_begin[begin];
  for (std::size_t v = begin; v <= end; ++v) part.category_begin.push_back(all.category_begin[v] - first);
  part.category.assign(all.category.begin() + first, all.category.begin() + all.category_begin[end]);
  return part;
}

}  // namespace

model::TreePtr build_binary_tree(const BinaryNodes& nodes) {
  check_lengths(nodes);
  std::optional<model::TreeArrays> ordered;
  if (is_complete(nodes)) ordered = depth_first(nodes);
  if (ordered) {
    if (nodes.leaves_only) average_inner_outputs(*ordered);
    try {
      return model::build_tree(std::move(*ordered));
    } catch (const std::invalid_argument&) {
      // Reported below, with the number of the node in the source.
    }
  }
  return model::build_tree(as_given(nodes));
}

std::vector<model::TreePtr> build_binary_trees(const BinaryNodes& nodes, std::span<const std::int64_t> begin, std::size_t first) {
  check_lengths(nodes);
  const auto n = static_cast<std::int64_t>(nodes.is_leaf.size());
  const bool is_divided = !begin.empty() && begin.front() == 0 && begin.back() == n && std::is_sorted(begin.begin(), begin.end());
  if (!is_divided || (n > 0 && !is_complete(nodes))) throw std::invalid_argument("the trees do not match their nodes");
  std::vector<model::TreePtr> trees;
  trees.reserve(begin.size() - 1);
  for (std::size_t k = 0; k + 1 < begin.size(); ++k) {
    try {
      trees.push_back(build_binary_tree(part_of(nodes, begin[k], begin[k + 1])));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("tree " + std::to_string(first + k) + ": " + error.what());
    }
  }
  return trees;
}

}  // namespace sightline::load
