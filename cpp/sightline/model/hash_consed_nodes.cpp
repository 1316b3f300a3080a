#include "sightline/model/hash_consed_nodes.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "sightline/model/graph.hpp"

namespace sightline::model {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
  return hash ^ (hash >> 29);
}

template <class T>
void append_bytes(std::string& key, std::span<const T> values) {
  key.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

// Everything that makes two nodes different but their children.
std::string bytes_of(const DecisionNodes& nodes, NodeId v) {
  std::string key(1, static_cast<char>(nodes.test(v)));
  if (nodes.is_leaf(v)) {
    append_bytes(key, std::span<const double>(nodes.output(v).in_full()));
    return key;
  }
  const std::int32_t feature = nodes.feature(v);
  const double threshold = nodes.threshold(v);
  append_bytes(key, std::span(&feature, 1));
  append_bytes(key, std::span(&threshold, 1));
  append_bytes(key, nodes.shares(v));
  append_bytes(key, nodes.categories(v));
  return key;
}

}  // namespace

HashConsedNodes::Id HashConsedNodes::find_or_add(std::int32_t test, std::span<const Id> children) {
  if (2 * (size() + 1) > slots_.size()) grow();
  const std::size_t slot = slot_of(test, children);
  if (slots_[slot] >= 0) return slots_[slot];
  if (size() == static_cast<std::size_t>(std::numeric_limits<Id>::max())) throw std::length_error("too many nodes");
  const auto id = static_cast<Id>(size());
  double nodes = 1;
  for (const Id child : children) nodes += tree_size_[child];
  test_.push_back(test);
  child_.insert(child_.end(), children.begin(), children.end());
  child_begin_.push_back(static_cast<std::int64_t>(child_.size()));
  tree_size_.push_back(nodes);
  slots_[slot] = id;
  return id;
}

std::size_t HashConsedNodes::slot_of(std::int32_t test, std::span<const Id> wanted) const {
  std::uint64_t hash = mixed(0, static_cast<std::uint32_t>(test));
  for (const Id child : wanted) hash = mixed(hash, static_cast<std::uint32_t>(child));
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (slots_[slot] >= 0) {
    const Id id = slots_[slot];
    if (test_[id] == test && std::ranges::equal(children(id), wanted)) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

void HashConsedNodes::grow() {
  slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), -1);
  for (Id id = 0; id < static_cast<Id>(size()); ++id) slots_[slot_of(test_[id], children(id))] = id;
}

std::vector<HashConsedNodes::Id> HashConsedNodes::tree_order(Id root) const {
  std::vector<Id> order, stack{root};
  order.reserve(static_cast<std::size_t>(tree_size(root)));
  while (!stack.empty()) {
    const Id id = stack.back();
    stack.pop_back();
    order.push_back(id);
    const auto below = children(id);
    stack.insert(stack.end(), below.rbegin(), below.rend());
  }
  return order;
}

std::vector<HashConsedNodes::Id> HashConsedNodes::graph_order(Id root) const {
  std::vector<Id> order, path{root};
  std::vector<bool> seen(size(), false);
  std::vector<std::int64_t> next(child_begin_.begin() + 1, child_begin_.end());
  seen[root] = true;
  while (!path.empty()) {
    const Id id = path.back();
    if (next[id] == child_begin_[id]) {
      order.push_back(id);
      path.pop_back();
      continue;
    }
    const Id child = child_[--next[id]];
    if (!seen[child]) path.push_back(child);
    seen[child] = true;
  }
  std::reverse(order.begin(), order.end());
  return order;
}

GraphPtr shared_subtrees(const DecisionNodes& nodes, runtime::StopPoll& poll) {
  const auto n = static_cast<NodeId>(nodes.n_nodes());
  const std::size_t width = nodes.n_outputs();
  const TreeArrays& from = nodes.arrays();
  HashConsedNodes shared;
  std::unordered_map<std::string, std::int32_t> numbers;
  std::vector<HashConsedNodes::Id> id_of(n), children;
  std::vector<NodeId> first;  // per shared node: one of the nodes that it represents
  for (NodeId v = n; v-- > 0;) {
    if (v % 4096 == 0) poll();
    const std::int32_t number = numbers.emplace(bytes_of(nodes, v), static_cast<std::int32_t>(numbers.size())).first->second;
    children.clear();
    for (const NodeId child : nodes.children(v)) children.push_back(id_of[child]);
    id_of[v] = nodes.is_leaf(v) ? shared.leaf(number) : shared.node(number, children);
    if (shared.size() > first.size()) first.push_back(v);
    first[id_of[v]] = v;  // of several the one that comes first in the tree
  }
  std::vector<double> weight(shared.size(), 0.0), counts(from.counts.empty() ? 0 : shared.size() * width, 0.0);
  for (NodeId v = 0; v < n; ++v) {
    weight[id_of[v]] += nodes.weight(v);
    if (counts.empty()) continue;
    from.counts[v].for_each([&](std::size_t k, double count) { counts[id_of[v] * width + k] += count; });
  }
  const std::vector<HashConsedNodes::Id> order = shared.graph_order(id_of[0]);
  std::vector<NodeId> index(shared.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) index[order[i]] = static_cast<NodeId>(i);
  TreeArrays arrays;
  arrays.n_values = from.n_values;
  arrays.n_outputs = width;
  arrays.reserve(order.size());
  for (const HashConsedNodes::Id id : order) {
    const NodeId v = first[id];
    arrays.add_node(nodes.test(v), nodes.feature(v), nodes.threshold(v), weight[id]);
    for (std::size_t b = 0; b < nodes.children(v).size(); ++b) {
      arrays.add_branch(index[id_of[nodes.children(v)[b]]], nodes.shares(v)[b]);
    }
    for (const std::int32_t value : nodes.categories(v)) arrays.add_category(value);
    arrays.output.add(nodes.output(v));
    if (!counts.empty()) arrays.counts.add(std::span<const double>(counts.data() + id * width, width));
  }
  return build_graph(std::move(arrays));
}

}  // namespace sightline::model
