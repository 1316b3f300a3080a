#include "sightline/learn/c45/grown_tree.hpp"

#include <algorithm>

#include "sightline/learn/c45/measures.hpp"

namespace sightline::learn::c45 {

void GrownTree::clear(std::size_t n_classes_of_next) {
  nodes.clear();
  children.clear();
  values.clear();
  counts.clear(n_classes_of_next);
  rows.clear();
  n_classes = n_classes_of_next;
}

model::NodeId GrownTree::add_node(model::NumberRow<double> class_counts, double weight) {
  GrownNode& node = nodes.emplace_back();
  node.weight = weight;
  node.count_row = static_cast<std::uint32_t>(counts.size());
  counts.add(class_counts);
  return static_cast<model::NodeId>(nodes.size() - 1);
}

void GrownTree::drop_last() {
  if (nodes.back().count_row + 1 == counts.size()) counts.drop_last();
  children.resize(nodes.back().first_child);
  if (nodes.back().n_values > 0) values.resize(nodes.back().first_value);
  nodes.pop_back();
}

void GrownTree::open(model::NodeId node, std::size_t n_children) {
  nodes[node].first_child = static_cast<std::uint32_t>(children.size());
  nodes[node].n_children = static_cast<std::uint32_t>(n_children);
  children.resize(children.size() + n_children, -1);
}

void GrownTree::set_values(model::NodeId node, std::span<const std::int32_t> of_branch_0) {
  nodes[node].test = model::Test::kSubset;
  nodes[node].first_value = static_cast<std::uint32_t>(values.size());
  nodes[node].n_values = static_cast<std::uint32_t>(of_branch_0.size());
  values.insert(values.end(), of_branch_0.begin(), of_branch_0.end());
}

void GrownTree::close_leaf(model::NodeId node, std::size_t first) {
  nodes[node].first_row = first;
  nodes[node].n_rows = nodes[node].room = static_cast<std::uint32_t>(rows.size() - first);
}

double GrownTree::training_errors(model::NodeId node) const { return nodes[node].weight - counts_of(node).largest(); }

void RowGatherer::start(const GrownTree& tree, const TrainingSet& training) {
  fragments_repeat_ = false;
  is_known_.assign(training.columns->size(), false);
  is_incomplete_.assign(training.columns->size(), false);
  for (const GrownNode& node : tree.nodes) {
    if (node.is_leaf() || is_known_[node.feature]) continue;
    is_known_[node.feature] = true;
    is_incomplete_[node.feature] = training.has_missing(node.feature);
    fragments_repeat_ |= is_incomplete_[node.feature];
  }
  if (fragments_repeat_ && index_.size() < training.size()) index_.resize(training.size(), 0);
}

void RowGatherer::start(const TrainingSet& training) {
  const std::size_t n_features = training.columns->size();
  is_known_.assign(n_features, true);
  is_incomplete_.resize(n_features);
  for (std::size_t f = 0; f < n_features; ++f) is_incomplete_[f] = training.has_missing(f);
  fragments_repeat_ = std::find(is_incomplete_.begin(), is_incomplete_.end(), true) != is_incomplete_.end();
  if (fragments_repeat_ && index_.size() < training.size()) index_.resize(training.size(), 0);
}

void RowGatherer::find_leaves(const GrownTree& tree, std::span<const model::NodeId> roots) {
  leaves_.clear();
  stack_.assign(roots.rbegin(), roots.rend());
  while (!stack_.empty()) {
    const model::NodeId node = stack_.back();
    stack_.pop_back();
    if (tree.nodes[node].is_leaf()) {
      leaves_.push_back(node);
    } else {
      const auto children = tree.children_of(node);
      stack_.insert(stack_.end(), children.rbegin(), children.rend());
    }
  }
}

void RowGatherer::gather(const GrownTree& tree, std::span<const model::NodeId> roots, bool may_repeat,
                         std::vector<Fragment>& rows) {
  find_leaves(tree, roots);
  gather_leaves(tree, may_repeat, rows);
}

void RowGatherer::gather_leaves(const GrownTree& tree, bool may_repeat, std::vector<Fragment>& rows) {
  rows.clear();
  for (const model::NodeId leaf : leaves_) {
    const auto part = tree.rows_of(leaf);
    if (may_repeat) {
      merge(part, rows);
    } else {
      rows.insert(rows.end(), part.begin(), part.end());
    }
  }
  if (may_repeat) {
    for (const Fragment& fragment : rows) index_[fragment.row] = 0;
  }
}

void RowGatherer::merge(std::span<const Fragment> part, std::vector<Fragment>& rows) {
  for (const Fragment& fragment : part) {
    std::uint32_t& index = index_[fragment.row];
    if (index == 0) {
      rows.push_back(fragment);
      index = static_cast<std::uint32_t>(rows.size());
    } else {
      rows[index - 1].weight += fragment.weight;
    }
  }
}

// If the rows of the subtree are adjacent, because none was moved, the new leaf keeps them where they are.
void RowGatherer::make_leaf(GrownTree& tree, model::NodeId node) {
  find_leaves(tree, tree.children_of(node));
  bool are_adjacent = true;
  std::size_t first = 0;
  std::size_t end = 0;
  for (const model::NodeId leaf : leaves_) {
    const GrownNode& part = tree.nodes[leaf];
    if (part.room == 0) continue;
    if (end == 0) first = end = part.first_row;
    are_adjacent &= part.first_row == end;
    end = part.first_row + part.room;
  }
  GrownNode& made = tree.nodes[node];
  made.n_children = 0;
  made.test = model::Test::kLeaf;
  made.first_row = are_adjacent ? first : tree.rows.size();
  made.n_rows = made.room = static_cast<std::uint32_t>(end - first);
  if (are_adjacent && !fragments_repeat_) return;
  gather_leaves(tree, fragments_repeat_, rows_);
  made.n_rows = static_cast<std::uint32_t>(rows_.size());
  if (are_adjacent) {
    std::copy(rows_.begin(), rows_.end(), tree.rows.begin() + static_cast<std::ptrdiff_t>(first));
  } else {
    made.room = made.n_rows;
    tree.rows.insert(tree.rows.end(), rows_.begin(), rows_.end());
  }
}

void Compactor::compact(GrownTree& tree) {
  nodes_.clear();
  stack_.assign(1, {0, -1, 0});
  while (!stack_.empty()) {
    const ToCopy next = stack_.back();
    stack_.pop_back();
    const auto id = static_cast<model::NodeId>(nodes_.size());
    const GrownNode& node = nodes_.emplace_back(tree.nodes[next.node]);
    if (next.parent >= 0) tree.children[nodes_[next.parent].first_child + next.branch] = id;
    for (std::size_t b = node.n_children; b-- > 0;) stack_.push_back({tree.children[node.first_child + b], id, b});
  }
  std::swap(tree.nodes, nodes_);
}

void SubtreeCopier::copy(const GrownTree& from, model::NodeId root, GrownTree& to) {
  stack_.assign(1, {root, -1, 0});
  while (!stack_.empty()) {
    const ToCopy next = stack_.back();
    stack_.pop_back();
    const GrownNode& node = from.nodes[next.node];
    const model::NodeId id = to.add_node(from.counts_of(next.node), node.weight);
    if (next.parent >= 0) to.set_child(next.parent, next.branch, id);
    if (node.is_leaf()) continue;
    GrownNode& made = to.nodes[id];
    made.test = node.test;
    made.feature = node.feature;
    made.threshold = node.threshold;
    if (node.test == model::Test::kSubset) to.set_values(id, from.values_of(node));
    to.open(id, node.n_children);
    for (std::size_t b = node.n_children; b-- > 0;) stack_.push_back({from.children[node.first_child + b], id, b});
  }
}

model::TreePtr to_tree(const GrownTree& tree, const table::Columns& columns, bool laplace) {
  model::TreeArrays a;
  a.n_values = columns.n_values();
  a.n_outputs = static_cast<std::int32_t>(tree.n_classes);
  a.reserve(tree.nodes.size());
  std::vector<model::NodeId> parent(tree.nodes.size(), 0);
  std::vector<double> output(tree.n_classes);
  const double prior = laplace ? 1 : 0;
  const double n_classes = static_cast<double>(tree.n_classes);
  for (model::NodeId v = 0; v < static_cast<model::NodeId>(tree.nodes.size()); ++v) {
    const GrownNode& node = tree.nodes[v];
    a.add_node(node.test, node.feature, node.threshold, node.weight);
    for (const std::int32_t value : tree.values_of(node)) a.add_category(value);
    double known = 0;
    for (const model::NodeId child : tree.children_of(v)) known += tree.nodes[child].weight;
    for (const model::NodeId child : tree.children_of(v)) {
      parent[child] = v;
      a.add_branch(child, tree.nodes[child].weight / known);
    }
    a.counts.add(tree.counts_of(v));
    // An empty leaf predicts like its parent.
    const model::NodeId source = equal(node.weight, 0) ? parent[v] : v;
    const double weight = tree.nodes[source].weight + prior * n_classes;
    tree.counts_of(source).copy_to(output.data());
    for (double& probability : output) probability = (probability + prior) / weight;
    a.output.add(output);
  }
  return model::build_tree(std::move(a));
}

}  // namespace sightline::learn::c45
