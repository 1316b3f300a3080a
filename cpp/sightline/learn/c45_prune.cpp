#include "sightline/learn/c45_prune.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace sightline::c45 {
namespace {

bool is_leaf(const GrownNode& node) { return node.children.empty(); }

double training_errors(const GrownNode& node) {
  return node.weight - *std::max_element(node.counts.begin(), node.counts.end());
}

// Whether a row may have gone several ways: a value that some node tests is missing.
bool tests_missing(const std::vector<GrownNode>& nodes, const TrainingSet& training) {
  std::vector<bool> is_known(training.columns->size(), false);
  for (const GrownNode& node : nodes) {
    if (is_leaf(node) || is_known[node.feature]) continue;
    if (training.has_missing(node.feature)) return true;
    is_known[node.feature] = true;
  }
  return false;
}

// Makes leaves of inner nodes, which must then hold the rows of their subtrees.
class RowGatherer {
 public:
  RowGatherer(const std::vector<GrownNode>& nodes, const TrainingSet& training)
      : fragments_repeat_(tests_missing(nodes, training)), place_(fragments_repeat_ ? training.size() : 0, 0) {}

  // Whether a row may lie in several leaves.
  bool fragments_repeat() const { return fragments_repeat_; }

  // Rows of some subtrees of one node. Parts of one row are put together again: a row with k missing
  // values may lie in 2^k leaves.
  void gather(const std::vector<GrownNode>& nodes, std::span<const NodeId> roots, std::vector<Fragment>& rows) {
    rows.clear();
    stack_.assign(roots.rbegin(), roots.rend());
    while (!stack_.empty()) {
      const GrownNode& node = nodes[stack_.back()];
      stack_.pop_back();
      if (is_leaf(node)) {
        add(node.rows, rows);
      } else {
        stack_.insert(stack_.end(), node.children.rbegin(), node.children.rend());
      }
    }
    if (fragments_repeat_) {
      for (const Fragment& fragment : rows) place_[fragment.row] = 0;
    }
  }

  void make_leaf(std::vector<GrownNode>& nodes, NodeId node) {
    std::vector<Fragment> rows;
    gather(nodes, nodes[node].children, rows);
    nodes[node].children.clear();
    nodes[node].test = Test::kLeaf;
    nodes[node].rows = std::move(rows);
  }

 private:
  void add(const std::vector<Fragment>& part, std::vector<Fragment>& rows) {
    if (!fragments_repeat_) {
      rows.insert(rows.end(), part.begin(), part.end());
      return;
    }
    for (const Fragment& fragment : part) {
      std::uint32_t& place = place_[fragment.row];
      if (place == 0) {
        rows.push_back(fragment);
        place = static_cast<std::uint32_t>(rows.size());
      } else {
        rows[place - 1].weight += fragment.weight;
      }
    }
  }

  bool fragments_repeat_;
  std::vector<std::uint32_t> place_;
  std::vector<NodeId> stack_;
};

// Drops what can no longer be reached and numbers the rest depth first.
GrownTree compact(std::vector<GrownNode>&& nodes) {
  GrownTree result;
  result.nodes.reserve(nodes.size());
  struct Place {
    NodeId node;
    NodeId parent;
    std::size_t branch;
  };
  std::vector<Place> stack{{0, -1, 0}};
  while (!stack.empty()) {
    const Place place = stack.back();
    stack.pop_back();
    const auto id = static_cast<NodeId>(result.nodes.size());
    if (place.parent >= 0) result.nodes[place.parent].children[place.branch] = id;
    result.nodes.push_back(std::move(nodes[place.node]));
    const std::vector<NodeId>& children = result.nodes.back().children;
    for (std::size_t b = children.size(); b-- > 0;) stack.push_back({children[b], id, b});
  }
  return result;
}

}  // namespace

double ErrorEstimate::operator()(std::span<const double> counts) const {
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  if (equal(total, 0)) return 0;
  const double errors = total - *std::max_element(counts.begin(), counts.end());
  return errors + extra(total, errors);
}

double ErrorEstimate::extra(double n, double errors) const {
  if (confidence_ > 0.5) return 0;
  if (errors < 1) {
    const double base = n * (1 - std::pow(confidence_, 1 / n));
    return errors == 0 ? base : base + errors * (extra(n, 1) - base);
  }
  if (errors + 0.5 >= n) return std::max(n - errors, 0.0);
  const double f = (errors + 0.5) / n;
  const double z2 = z_ * z_;
  const double limit = (f + z2 / (2 * n) + z_ * std::sqrt(f / n - f * f / n + z2 / (4 * n * n))) / (1 + z2 / n);
  return limit * n - errors;
}

void collapse(GrownTree& tree, const TrainingSet& training) {
  constexpr double kSlack = 1e-3;
  auto& nodes = tree.nodes;
  std::vector<double> leaf_errors(nodes.size(), 0.0);
  for (std::size_t v = nodes.size(); v-- > 0;) {
    if (is_leaf(nodes[v])) leaf_errors[v] = training_errors(nodes[v]);
    for (const NodeId child : nodes[v].children) leaf_errors[v] += leaf_errors[child];
  }
  RowGatherer gatherer(nodes, training);
  std::vector<NodeId> stack{0};
  while (!stack.empty()) {
    const NodeId v = stack.back();
    stack.pop_back();
    if (is_leaf(nodes[v])) continue;
    if (leaf_errors[v] >= training_errors(nodes[v]) - kSlack) {
      gatherer.make_leaf(nodes, v);
    } else {
      stack.insert(stack.end(), nodes[v].children.begin(), nodes[v].children.end());
    }
  }
  tree = compact(std::move(nodes));
}

namespace {

class Pruner {
 public:
  Pruner(GrownTree&& tree, const TrainingSet& training, const ErrorEstimate& estimate, bool subtree_raising, StopPoll& poll)
      : nodes_(std::move(tree.nodes)),
        errors_(nodes_.size(), 0.0),
        training_(training),
        estimate_(estimate),
        subtree_raising_(subtree_raising),
        poll_(poll),
        gatherer_(nodes_, training) {}

  GrownTree prune() {
    // A node is entered before its sons and left after them.
    std::vector<std::pair<NodeId, bool>> stack{{0, false}};
    while (!stack.empty()) {
      const auto [v, sons_done] = stack.back();
      stack.pop_back();
      if (is_leaf(nodes_[v])) {
        errors_[v] = estimate_(nodes_[v].counts);
      } else if (!sons_done) {
        stack.emplace_back(v, true);
        for (const NodeId child : nodes_[v].children) stack.emplace_back(child, false);
      } else {
        poll_();
        // After raising, the node and its new sons are looked at once more.
        if (settle(v)) stack.emplace_back(v, false);
      }
    }
    return compact(std::move(nodes_));
  }

 private:
  static constexpr double kSlack = 0.1;

  // Decides about a node whose sons are pruned; true if a branch was raised.
  bool settle(NodeId v) {
    const double as_leaf = estimate_(nodes_[v].counts);
    double as_tree = 0;
    for (const NodeId child : nodes_[v].children) as_tree += errors_[child];
    const NodeId largest = largest_branch(v);
    const double as_branch = errors_as_branch(v, largest, as_leaf, as_tree);
    if (at_most(as_leaf, as_tree + kSlack) && at_most(as_leaf, as_branch + kSlack)) {
      gatherer_.make_leaf(nodes_, v);
      errors_[v] = as_leaf;
      return false;
    }
    if (at_most(as_branch, as_tree + kSlack)) {
      raise(v, largest);
      return true;
    }
    errors_[v] = as_tree;
    return false;
  }

  // The last one on ties.
  NodeId largest_branch(NodeId v) const {
    NodeId largest = nodes_[v].children[0];
    for (const NodeId child : nodes_[v].children) {
      if (at_least(nodes_[child].weight, nodes_[largest].weight)) largest = child;
    }
    return largest;
  }

  double errors_as_branch(NodeId v, NodeId branch, double as_leaf, double as_tree) {
    if (!subtree_raising_) return std::numeric_limits<double>::infinity();
    if (is_leaf(nodes_[branch])) return as_leaf;
    gather_rows_for(v, branch);
    // Beyond this it is neither raised nor preferred to a leaf, whatever else comes.
    enough_ = std::max(as_leaf, as_tree) + 2 * kSlack;
    return pass_down(branch, false);
  }

  void raise(NodeId v, NodeId branch) {
    gather_rows_for(v, branch);
    enough_ = std::numeric_limits<double>::infinity();
    pass_down(branch, true);
    nodes_[v] = std::move(nodes_[branch]);
  }

  // The rows that the branch would have to take. Without missing values those that it has
  // stay where they are, and counts add up: only the others' rows are of interest.
  void gather_rows_for(NodeId v, NodeId branch) {
    std::vector<NodeId> sources = nodes_[v].children;
    if (counts_add_up()) std::erase(sources, branch);
    gatherer_.gather(nodes_, sources, rows_);
  }

  bool counts_add_up() const { return !gatherer_.fragments_repeat(); }

  // Errors of a subtree if the gathered rows were passed down it; `keep` makes it so.
  double pass_down(NodeId root, bool keep) {
    double sum = counts_add_up() ? errors_[root] : 0;
    passing_.clear();
    passing_.push_back({root, take_list()});
    passing_.back().rows = rows_;
    while (!passing_.empty()) {
      poll_();
      Passing here = std::move(passing_.back());
      passing_.pop_back();
      GrownNode& node = nodes_[here.node];
      if (is_leaf(node) || keep) count(node, here.rows);
      if (is_leaf(node)) {
        sum += estimate_(counts_);
        if (counts_add_up()) sum -= estimate_(node.counts);
      } else {
        divide(node, here.rows);
      }
      if (keep) take_over(node, here.rows);
      free_lists_.push_back(std::move(here.rows));
      if (sum > enough_) break;
    }
    for (Passing& rest : passing_) free_lists_.push_back(std::move(rest.rows));
    return sum;
  }

  void take_over(GrownNode& node, const std::vector<Fragment>& rows) {
    node.counts = counts_;
    node.weight = std::accumulate(counts_.begin(), counts_.end(), 0.0);
    if (!is_leaf(node)) return;
    if (!counts_add_up()) node.rows.clear();
    node.rows.insert(node.rows.end(), rows.begin(), rows.end());
  }

  void count(const GrownNode& node, const std::vector<Fragment>& rows) {
    if (counts_add_up()) {
      counts_ = node.counts;
    } else {
      counts_.assign(training_.n_classes, 0.0);
    }
    for (const Fragment& fragment : rows) counts_[training_.label[fragment.row]] += fragment.weight;
  }

  // Known values first; the missing follow in their proportions.
  void divide(const GrownNode& node, const std::vector<Fragment>& rows) {
    const std::size_t first = passing_.size();
    const std::size_t n_branches = node.children.size();
    for (const NodeId child : node.children) passing_.push_back({child, take_list()});
    known_.assign(n_branches, 0.0);
    missing_.clear();
    for (const Fragment& fragment : rows) {
      const std::int32_t branch = branch_of(node, fragment.row);
      if (branch < 0) {
        missing_.push_back(fragment);
      } else {
        passing_[first + branch].rows.push_back(fragment);
        known_[branch] += fragment.weight;
      }
    }
    if (missing_.empty() && counts_add_up()) return drop_empty(first);
    const double total = std::accumulate(known_.begin(), known_.end(), 0.0);
    for (std::size_t b = 0; b < n_branches; ++b) {
      const double share = equal(total, 0) ? 1.0 / static_cast<double>(n_branches) : known_[b] / total;
      if (!greater(share, 0)) continue;
      for (const Fragment& fragment : missing_) passing_[first + b].rows.push_back({fragment.row, fragment.weight * share});
    }
  }

  void drop_empty(std::size_t first) {
    for (std::size_t i = passing_.size(); i-- > first;) {
      if (!passing_[i].rows.empty()) continue;
      std::swap(passing_[i], passing_.back());
      free_lists_.push_back(std::move(passing_.back().rows));
      passing_.pop_back();
    }
  }

  std::int32_t branch_of(const GrownNode& node, std::uint32_t row) const {
    if (node.test == Test::kThreshold) {
      const double value = training_.number(node.feature, row);
      return std::isnan(value) ? -1 : !(value <= node.threshold);
    }
    const std::int32_t code = training_.code(node.feature, row);
    if (code < 0 || code >= (*training_.columns)[node.feature].n_values()) return -1;
    return node.test == Test::kMultiway ? code : code != node.value;
  }

  struct Passing {
    NodeId node;
    std::vector<Fragment> rows;
  };

  std::vector<Fragment> take_list() {
    if (free_lists_.empty()) return {};
    std::vector<Fragment> list = std::move(free_lists_.back());
    free_lists_.pop_back();
    list.clear();
    return list;
  }

  std::vector<GrownNode> nodes_;
  std::vector<double> errors_;  // of the subtree as it is now
  const TrainingSet& training_;
  const ErrorEstimate& estimate_;
  bool subtree_raising_;
  StopPoll& poll_;
  RowGatherer gatherer_;

  double enough_ = 0;
  std::vector<Fragment> rows_;
  std::vector<Passing> passing_;
  std::vector<std::vector<Fragment>> free_lists_;
  std::vector<Fragment> missing_;
  std::vector<double> known_;
  std::vector<double> counts_;
};

}  // namespace

GrownTree prune(GrownTree tree, const TrainingSet& training, const ErrorEstimate& estimate, bool subtree_raising,
                StopPoll& poll) {
  return Pruner(std::move(tree), training, estimate, subtree_raising, poll).prune();
}

GrownTree finish(GrownTree tree, const TrainingSet& training, const Finish& options, StopPoll& poll) {
  const ErrorEstimate estimate(options.confidence, options.z);
  if (options.prune) tree = prune(std::move(tree), training, estimate, options.subtree_raising, poll);
  if (options.max_leaves) limit_leaves(tree, training, estimate, *options.max_leaves);
  return tree;
}

void limit_leaves(GrownTree& tree, const TrainingSet& training, const ErrorEstimate& estimate, std::size_t max_leaves) {
  auto& nodes = tree.nodes;
  std::vector<NodeId> parent(nodes.size(), -1);
  std::size_t n_leaves = 0;
  for (std::size_t v = 0; v < nodes.size(); ++v) {
    n_leaves += is_leaf(nodes[v]);
    for (const NodeId child : nodes[v].children) parent[child] = static_cast<NodeId>(v);
  }
  RowGatherer gatherer(nodes, training);
  // Inner nodes whose sons are all leaves, cheapest first.
  std::set<std::pair<double, NodeId>> twigs;
  const auto add_twig = [&](NodeId v) {
    double saved = estimate(nodes[v].counts);
    for (const NodeId child : nodes[v].children) {
      if (!is_leaf(nodes[child])) return;
      saved -= estimate(nodes[child].counts);
    }
    twigs.insert({saved / static_cast<double>(nodes[v].children.size()), v});
  };
  for (std::size_t v = 0; v < nodes.size(); ++v) {
    if (!is_leaf(nodes[v])) add_twig(static_cast<NodeId>(v));
  }
  while (n_leaves > max_leaves && !twigs.empty()) {
    const NodeId v = twigs.begin()->second;
    twigs.erase(twigs.begin());
    n_leaves -= nodes[v].children.size() - 1;
    gatherer.make_leaf(nodes, v);
    if (parent[v] >= 0) add_twig(parent[v]);
  }
  tree = compact(std::move(nodes));
}

TreePtr to_tree(const GrownTree& tree, const Columns& columns, std::int32_t n_classes, bool laplace) {
  TreeArrays a;
  a.n_values = columns.n_values();
  a.n_outputs = n_classes;
  a.reserve(tree.nodes.size());
  std::vector<NodeId> parent(tree.nodes.size(), 0);
  for (std::size_t v = 0; v < tree.nodes.size(); ++v) {
    const GrownNode& node = tree.nodes[v];
    a.add_node(node.test, node.feature, node.threshold, node.weight);
    if (node.test == Test::kSubset) a.add_category(node.value);
    double known = 0;
    for (const NodeId child : node.children) known += tree.nodes[child].weight;
    for (const NodeId child : node.children) {
      parent[child] = static_cast<NodeId>(v);
      a.add_branch(child, tree.nodes[child].weight / known);
    }
    a.counts.insert(a.counts.end(), node.counts.begin(), node.counts.end());
    // An empty leaf answers as its parent does.
    const GrownNode& speaker = equal(node.weight, 0) ? tree.nodes[parent[v]] : node;
    const double prior = laplace ? 1 : 0;
    for (const double count : speaker.counts) a.output.push_back((count + prior) / (speaker.weight + prior * n_classes));
  }
  return build_tree(std::move(a));
}

}  // namespace sightline::c45
