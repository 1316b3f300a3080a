#include "sightline/load/binary_nodes.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "sightline/runtime/select.hpp"

namespace sightline::load {
namespace {

using runtime::select;

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
  for (std::size_t v = 0; v < nodes.is_leaf.size(); ++v) {
    a.add_node(test_of(nodes, v), narrowed(nodes.feature[v]), nodes.threshold[v], nodes.weight[v]);
    if (nodes.is_leaf[v]) continue;
    const double left_share = nodes.missing_goes_left[v] ? 1.0 : 0.0;
    a.add_branch(narrowed(nodes.left[v]), left_share);
    a.add_branch(narrowed(nodes.right[v]), 1.0 - left_share);
  }
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

// Which nodes are leaves is as good as random, and a wrong guess takes as long as a node itself. So the loops below
// do not branch on it, and give leaves children of which nothing follows.

// Nodes of the source, or their positions in the tree.
using Indices = std::vector<std::uint32_t>;

// Whether all children lie in the source, behind their parents, as most libraries store them.
bool are_behind_parents(const BinaryNodes& nodes) {
  const std::uint64_t n = nodes.is_leaf.size();
  bool result = true;
  for (std::uint64_t v = 0; v < n; ++v) {
    // What is not behind the parent becomes a large number.
    const std::uint64_t left = static_cast<std::uint64_t>(nodes.left[v]) - v - 1;
    const std::uint64_t right = static_cast<std::uint64_t>(nodes.right[v]) - v - 1;
    result &= nodes.is_leaf[v] | ((left < n - v - 1) & (right < n - v - 1));
  }
  return result;
}

// The nodes as a walk from the root finds them. Empty if it finds a node twice, or one that does not exist.
Indices walked(const BinaryNodes& nodes) {
  const auto n = static_cast<std::int64_t>(nodes.is_leaf.size());
  std::vector<std::uint8_t> is_reached(n, 0);
  Indices order, waiting{0};
  is_reached[0] = 1;
  while (!waiting.empty()) {
    const std::uint32_t v = waiting.back();
    waiting.pop_back();
    order.push_back(v);
    if (nodes.is_leaf[v]) continue;
    for (const std::int64_t child : {nodes.right[v], nodes.left[v]}) {
      if (child < 0 || child >= n || std::exchange(is_reached[child], std::uint8_t{1})) return {};
      waiting.push_back(static_cast<std::uint32_t>(child));
    }
  }
  return order;
}

Indices parents_first(const BinaryNodes& nodes) {
  if (!are_behind_parents(nodes)) return walked(nodes);
  Indices order(nodes.is_leaf.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// The position of every node in depth-first order, and 0 for the children of leaves. Empty if the nodes are not a tree.
Indices depth_first_positions(const BinaryNodes& nodes, const Indices& order) {
  const std::size_t n = nodes.is_leaf.size();
  const auto none = static_cast<std::uint32_t>(n);
  const auto child = [&](std::span<const std::int64_t> of, std::uint32_t v) {
    return select(nodes.is_leaf[v], none, static_cast<std::uint32_t>(of[v]));
  };
  Indices size(n + 1, 0);  // of the subtree
  std::size_t n_branches = 0;
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::uint32_t v = order[i];
    size[v] = 1 + size[child(nodes.left, v)] + size[child(nodes.right, v)];
    n_branches += 2 * std::size_t{!nodes.is_leaf[v]};
  }
  Indices position(n + 1, none);
  position[0] = 0;
  for (const std::uint32_t v : order) {
    const std::uint32_t at = position[v], left = child(nodes.left, v);
    if (at >= n) return {};
    position[child(nodes.right, v)] = at + 1 + size[left];
    position[left] = at + 1;
  }
  // Every node has a position, and with as many branches as nodes below the root, it has only one parent.
  if (order.size() != n || n_branches != n - 1) return {};
  position[n] = 0;
  return position;
}

// Replaces the outputs of inner nodes with the mean of their leaves. The width is known when this is compiled, or 0.
template <std::size_t kWidth>
void average_inner_outputs(const BinaryNodes& nodes, const Indices& order, std::vector<double>& output) {
  const std::size_t width = kWidth > 0 ? kWidth : nodes.n_outputs;
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::size_t v = order[i];
    const bool is_leaf = nodes.is_leaf[v];
    const std::size_t left = select<std::size_t>(is_leaf, v, nodes.left[v]);
    const std::size_t right = select<std::size_t>(is_leaf, v, nodes.right[v]);
    const double total = nodes.weight[left] + nodes.weight[right];
    // Without training weight, both children count equally.
    const double mean_share = total > 0 && total <= std::numeric_limits<double>::max() ? nodes.weight[left] / total : 0.5;
    const double share = select(is_leaf, 1.0, mean_share);  // a leaf is its own mean
    for (std::size_t k = 0; k < width; ++k) {
      const double low = output[left * width + k], high = output[right * width + k];
      output[v * width + k] = share * low + (1 - share) * high;
    }
  }
}

template <std::size_t kWidth>
model::NumberRows<double> ordered_rows(std::span<const double> from, const Indices& position, std::size_t n_outputs) {
  const std::size_t width = kWidth > 0 ? kWidth : n_outputs;
  std::vector<double> rows(from.size());
  for (std::size_t v = 0; v < from.size() / width; ++v) {
    for (std::size_t k = 0; k < width; ++k) rows[position[v] * width + k] = from[v * width + k];
  }
  return {width, std::move(rows)};
}

template <std::size_t kWidth>
void add_ordered_rows(const BinaryNodes& nodes, const Indices& order, const Indices& position, model::TreeArrays& a) {
  a.counts = ordered_rows<kWidth>(nodes.counts, position, nodes.n_outputs);
  if (!nodes.leaves_only) {
    a.output = ordered_rows<kWidth>(nodes.output, position, nodes.n_outputs);
    return;
  }
  std::vector<double> output(nodes.output.begin(), nodes.output.end());
  average_inner_outputs<kWidth>(nodes, order, output);
  a.output = ordered_rows<kWidth>(output, position, nodes.n_outputs);
}

void add_ordered_categories(const BinaryNodes& nodes, const Indices& position, model::TreeArrays& a) {
  const std::size_t n = nodes.is_leaf.size();
  a.category_begin.assign(n + 1, 0);
  if (nodes.category_begin.empty()) return;
  Indices node_at(n);
  for (std::uint32_t v = 0; v < n; ++v) node_at[position[v]] = v;
  for (std::size_t at = 0; at < n; ++at) {
    const auto first = nodes.category.begin();
    a.category.insert(a.category.end(), first + nodes.category_begin[node_at[at]], first + nodes.category_begin[node_at[at] + 1]);
    a.category_begin[at + 1] = static_cast<std::int64_t>(a.category.size());
  }
}

// Adds the branches of nodes in depth-first order, given the right child of each, or 0.
void add_ordered_branches(const Indices& right, const std::vector<std::uint8_t>& missing_goes_left, model::TreeArrays& a) {
  const std::size_t n = right.size();
  a.branch_begin.resize(n + 1);
  a.child.resize(n + 1);  // two more than there are: what is written for a leaf is overwritten
  a.share.resize(n + 1);
  std::size_t n_branches = 0;
  for (std::size_t at = 0; at < n; ++at) {
    const double left_share = missing_goes_left[at];
    a.child[n_branches] = static_cast<model::NodeId>(at + 1);
    a.child[n_branches + 1] = static_cast<model::NodeId>(right[at]);
    a.share[n_branches] = left_share;
    a.share[n_branches + 1] = 1.0 - left_share;
    n_branches += 2 * std::size_t{right[at] != 0};
    a.branch_begin[at + 1] = static_cast<std::int64_t>(n_branches);
  }
  a.child.resize(n_branches);
  a.share.resize(n_branches);
}

void add_ordered_nodes(const BinaryNodes& nodes, const Indices& position, model::TreeArrays& a) {
  const std::size_t n = nodes.is_leaf.size();
  a.test.resize(n);
  a.feature.resize(n);
  a.threshold.resize(n);
  a.weight.resize(n);
  Indices right_of(n);
  std::vector<std::uint8_t> missing_goes_left(n);
  constexpr std::uint64_t kNoFeature = std::numeric_limits<std::int32_t>::max();
  for (std::size_t v = 0; v < n; ++v) {
    const std::uint32_t at = position[v];
    const bool is_leaf = nodes.is_leaf[v];
    a.test[at] = static_cast<model::Test>(!is_leaf);  // kLeaf or kThreshold
    a.feature[at] = static_cast<std::int32_t>(std::min(static_cast<std::uint64_t>(nodes.feature[v]), kNoFeature));
    a.threshold[at] = nodes.threshold[v];
    a.weight[at] = nodes.weight[v];
    right_of[at] = position[select<std::size_t>(is_leaf, n, nodes.right[v])];
    missing_goes_left[at] = nodes.missing_goes_left[v];
  }
  for (std::size_t v = 0; v < nodes.is_subset.size(); ++v) a.test[position[v]] = test_of(nodes, v);
  add_ordered_branches(right_of, missing_goes_left, a);
}

// Nodes in depth-first order, as the builder wants them; empty if they are not a tree.
std::optional<model::TreeArrays> depth_first(const BinaryNodes& nodes) {
  const Indices order = parents_first(nodes);
  const Indices position = depth_first_positions(nodes, order);
  if (position.empty()) return std::nullopt;
  model::TreeArrays a;
  a.n_values = nodes.n_values;
  a.n_outputs = nodes.n_outputs;
  add_ordered_nodes(nodes, position, a);
  add_ordered_categories(nodes, position, a);
  nodes.n_outputs == 1 ? add_ordered_rows<1>(nodes, order, position, a) : add_ordered_rows<0>(nodes, order, position, a);
  return a;
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
