#include "sightline/learn/c45_prune.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "sightline/learn/c45.hpp"

namespace sightline::c45 {

void ErrorEstimate::remember(std::size_t n_rows) {
  std::vector<double> by_rows{0.0};
  for (std::size_t n = 1; n <= n_rows; ++n) by_rows.push_back(without_errors(static_cast<double>(n)));
  without_errors_ = std::move(by_rows);
}

double ErrorEstimate::without_errors(double n) const {
  if (n < static_cast<double>(without_errors_.size())) {
    const auto whole = static_cast<std::size_t>(n);
    if (whole > 0 && static_cast<double>(whole) == n) return without_errors_[whole];
  }
  return n * (1 - std::pow(confidence_, 1 / n));
}

double ErrorEstimate::operator()(std::span<const double> counts) const {
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  if (equal(total, 0)) return 0;
  const double errors = total - *std::max_element(counts.begin(), counts.end());
  return errors + extra(total, errors);
}

double ErrorEstimate::extra(double n, double errors) const {
  if (confidence_ > 0.5) return 0;
  if (errors < 1) {
    const double base = without_errors(n);
    return errors == 0 ? base : base + errors * (extra(n, 1) - base);
  }
  if (errors + 0.5 >= n) return std::max(n - errors, 0.0);
  const double f = (errors + 0.5) / n;
  const double z2 = z_ * z_;
  const double limit = (f + z2 / (2 * n) + z_ * std::sqrt(f / n - f * f / n + z2 / (4 * n * n))) / (1 + z2 / n);
  return limit * n - errors;
}

// Replaces subtrees by a leaf, or by their largest branch, where the expected errors do not rise.
class Pruner {
 public:
  void prune(GrownTree& tree, const TrainingSet& training, const ErrorEstimate& estimate, bool subtree_raising,
             RowGatherer& gatherer, StopPoll& poll) {
    tree_ = &tree;
    training_ = &training;
    estimate_ = &estimate;
    subtree_raising_ = subtree_raising;
    gatherer_ = &gatherer;
    poll_ = &poll;
    gatherer.start(tree, training);
    errors_.assign(tree.nodes.size(), 0.0);
    find_missing();
    // A node is entered before its sons and left after them.
    stack_.assign(1, {0, false});
    while (!stack_.empty()) {
      const auto [v, sons_done] = stack_.back();
      stack_.pop_back();
      if (tree.nodes[v].is_leaf()) {
        errors_[v] = estimate(tree.counts_of(v));
      } else if (!sons_done) {
        stack_.emplace_back(v, true);
        for (const NodeId child : tree.children_of(v)) stack_.emplace_back(child, false);
      } else {
        ask_to_stop(1);
        // After raising, the node and its new sons are looked at once more.
        if (settle(v)) stack_.emplace_back(v, false);
      }
    }
  }

 private:
  static constexpr double kSlack = 0.1;

  // Looking at the clock is dear compared with a small node.
  void ask_to_stop(std::size_t n_rows) {
    constexpr std::size_t kRowsBetween = 10'000;
    n_rows_passed_ += n_rows;
    if (n_rows_passed_ < kRowsBetween) return;
    n_rows_passed_ = 0;
    (*poll_)();
  }

  void find_missing() {
    may_repeat_.assign(tree_->nodes.size(), false);
    if (!gatherer_->fragments_repeat()) return;
    for (auto v = static_cast<NodeId>(tree_->nodes.size()); v-- > 0;) {
      if (tree_->nodes[v].is_leaf()) continue;
      may_repeat_[v] = gatherer_->is_incomplete(tree_->nodes[v].feature);
      for (const NodeId child : tree_->children_of(v)) may_repeat_[v] = may_repeat_[v] || may_repeat_[child];
    }
  }

  // Decides about a node whose sons are pruned; true if a branch was raised.
  bool settle(NodeId v) {
    const double as_leaf = (*estimate_)(tree_->counts_of(v));
    double as_tree = 0;
    for (const NodeId child : tree_->children_of(v)) as_tree += errors_[child];
    const NodeId largest = largest_branch(v);
    const double as_branch = errors_as_branch(v, largest, as_leaf, as_tree);
    if (at_most(as_leaf, as_tree + kSlack) && at_most(as_leaf, as_branch + kSlack)) {
      gatherer_->make_leaf(*tree_, v);
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
    const auto children = tree_->children_of(v);
    NodeId largest = children[0];
    for (const NodeId child : children) {
      if (at_least(tree_->nodes[child].weight, tree_->nodes[largest].weight)) largest = child;
    }
    return largest;
  }

  double errors_as_branch(NodeId v, NodeId branch, double as_leaf, double as_tree) {
    if (!subtree_raising_) return std::numeric_limits<double>::infinity();
    if (tree_->nodes[branch].is_leaf()) return as_leaf;
    // Only whoever compares sees the counts: where no row is in two leaves, they may be added up in another order.
    counts_add_up_ = !may_repeat_[v];
    gather_rows_for(v, branch);
    // Beyond this it is neither raised nor preferred to a leaf, whatever else comes.
    enough_ = std::max(as_leaf, as_tree) + 2 * kSlack;
    return pass_down(branch, false);
  }

  void raise(NodeId v, NodeId branch) {
    counts_add_up_ = !gatherer_->fragments_repeat();
    gather_rows_for(v, branch);
    enough_ = std::numeric_limits<double>::infinity();
    pass_down(branch, true);
    tree_->nodes[v] = tree_->nodes[branch];
    may_repeat_[v] = may_repeat_[branch];
  }

  // The rows that the branch would have to take. Without missing values those that it has
  // stay where they are, and counts add up: only the others' rows are of interest.
  void gather_rows_for(NodeId v, NodeId branch) {
    const auto children = tree_->children_of(v);
    sources_.assign(children.begin(), children.end());
    if (counts_add_up_) std::erase(sources_, branch);
    gatherer_->gather(*tree_, sources_, !counts_add_up_, rows_);
  }

  // Errors of a subtree if the gathered rows were passed down it; `keep` makes it so.
  double pass_down(NodeId root, bool keep) {
    double sum = counts_add_up_ ? errors_[root] : 0;
    passing_.clear();
    passing_.push_back({root, take_list()});
    std::swap(passing_.back().rows, rows_);
    while (!passing_.empty()) {
      ask_to_stop(passing_.back().rows.size() + 1);
      Passing here = std::move(passing_.back());
      passing_.pop_back();
      const bool is_leaf = tree_->nodes[here.node].is_leaf();
      if (is_leaf || keep) count(here.node, here.rows);
      if (is_leaf) {
        sum += (*estimate_)(counts_);
        if (counts_add_up_) sum -= errors_[here.node];
      } else {
        divide(here.node, here.rows);
      }
      if (keep) take_over(here.node, here.rows);
      free_lists_.push_back(std::move(here.rows));
      if (sum > enough_) break;
    }
    for (Passing& rest : passing_) free_lists_.push_back(std::move(rest.rows));
    return sum;
  }

  // The rows of a leaf move to the end of the list, where there is room for more.
  void take_over(NodeId v, const std::vector<Fragment>& rows) {
    std::copy(counts_.begin(), counts_.end(), tree_->counts_of(v).begin());
    GrownNode& node = tree_->nodes[v];
    node.weight = std::accumulate(counts_.begin(), counts_.end(), 0.0);
    if (!node.is_leaf()) return;
    auto& all = tree_->rows;
    const std::size_t first = all.size();
    const std::size_t n_kept = counts_add_up_ ? node.n_rows : 0;
    all.reserve(all.size() + n_kept + rows.size());
    for (std::size_t i = 0; i < n_kept; ++i) all.push_back(all[node.first_row + i]);
    all.insert(all.end(), rows.begin(), rows.end());
    tree_->close_leaf(v, first);
  }

  void count(NodeId v, const std::vector<Fragment>& rows) {
    if (counts_add_up_) {
      const auto known = tree_->counts_of(v);
      counts_.assign(known.begin(), known.end());
    } else {
      counts_.assign(tree_->n_classes, 0.0);
    }
    for (const Fragment& fragment : rows) counts_[training_->label[fragment.row]] += fragment.weight;
  }

  // Known values first; the missing follow in their proportions.
  void divide(NodeId v, const std::vector<Fragment>& rows) {
    const GrownNode& node = tree_->nodes[v];
    const std::size_t first = passing_.size();
    const std::size_t n_branches = node.n_children;
    for (const NodeId child : tree_->children_of(v)) passing_.push_back({child, take_list()});
    known_.assign(n_branches, 0.0);
    missing_.clear();
    distribute(node, rows, first);
    if (missing_.empty() && counts_add_up_) return drop_empty(first);
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

  // To the lists that begin at `first`, and to those with a missing value.
  void distribute(const GrownNode& node, const std::vector<Fragment>& rows, std::size_t first) {
    const Column& column = (*training_->columns)[node.feature];
    const std::uint32_t* table_row = training_->table_row.data();
    const auto place = [&](const Fragment& fragment, std::int32_t branch) {
      passing_[first + branch].rows.push_back(fragment);
      known_[branch] += fragment.weight;
    };
    if (node.test == Test::kThreshold) {
      for (const Fragment& fragment : rows) {
        const double value = column.number(table_row[fragment.row]);
        std::isnan(value) ? missing_.push_back(fragment) : place(fragment, !(value <= node.threshold));
      }
      return;
    }
    for (const Fragment& fragment : rows) {
      const std::int32_t code = column.code(table_row[fragment.row]);
      if (code < 0 || code >= column.n_values()) {
        missing_.push_back(fragment);
      } else {
        place(fragment, node.test == Test::kMultiway ? code : code != node.value);
      }
    }
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

  GrownTree* tree_ = nullptr;
  const TrainingSet* training_ = nullptr;
  const ErrorEstimate* estimate_ = nullptr;
  RowGatherer* gatherer_ = nullptr;
  StopPoll* poll_ = nullptr;
  bool subtree_raising_ = false;

  std::vector<std::pair<NodeId, bool>> stack_;
  std::vector<double> errors_;    // of the subtree as it is now
  std::vector<bool> may_repeat_;  // whether a row may lie in two leaves of the subtree
  bool counts_add_up_ = true;     // of what is passed down now
  std::vector<NodeId> sources_;
  double enough_ = 0;
  std::size_t n_rows_passed_ = 0;
  std::vector<Fragment> rows_;
  std::vector<Passing> passing_;
  std::vector<std::vector<Fragment>> free_lists_;
  std::vector<Fragment> missing_;
  std::vector<double> known_;
  std::vector<double> counts_;
};

Trimmer::Trimmer() : pruner_(std::make_unique<Pruner>()) {}
Trimmer::~Trimmer() = default;

void Trimmer::collapse(GrownTree& tree, const TrainingSet& training) {
  constexpr double kSlack = 1e-3;
  leaf_errors_.assign(tree.nodes.size(), 0.0);
  for (auto v = static_cast<NodeId>(tree.nodes.size()); v-- > 0;) {
    if (tree.nodes[v].is_leaf()) leaf_errors_[v] = tree.training_errors(v);
    for (const NodeId child : tree.children_of(v)) leaf_errors_[v] += leaf_errors_[child];
  }
  gatherer_.start(tree, training);
  stack_.assign(1, 0);
  while (!stack_.empty()) {
    const NodeId v = stack_.back();
    stack_.pop_back();
    if (tree.nodes[v].is_leaf()) continue;
    if (leaf_errors_[v] >= tree.training_errors(v) - kSlack) {
      gatherer_.make_leaf(tree, v);
    } else {
      const auto children = tree.children_of(v);
      stack_.insert(stack_.end(), children.begin(), children.end());
    }
  }
  compactor_.compact(tree);
}

void Trimmer::finish(GrownTree& tree, const TrainingSet& training, const Finish& options, StopPoll& poll) {
  const ErrorEstimate& estimate = estimate_for(options, training.size());
  if (options.prune) {
    pruner_->prune(tree, training, estimate, options.subtree_raising, gatherer_, poll);
    compactor_.compact(tree);
  }
  if (options.max_leaves) limit_leaves(tree, training, estimate, *options.max_leaves);
}

const ErrorEstimate& Trimmer::estimate_for(const Finish& options, std::size_t n_rows) {
  // Most leaves without an error are small.
  constexpr std::size_t kRemembered = 1024;
  n_rows = std::min(n_rows, kRemembered);
  if (!estimate_ || confidence_ != options.confidence || z_ != options.z || n_rows_ < n_rows) {
    estimate_.emplace(options.confidence, options.z);
    estimate_->remember(n_rows);
    confidence_ = options.confidence;
    z_ = options.z;
    n_rows_ = n_rows;
  }
  return *estimate_;
}

void Trimmer::limit_leaves(GrownTree& tree, const TrainingSet& training, const ErrorEstimate& estimate, std::size_t max_leaves) {
  const auto n_nodes = static_cast<NodeId>(tree.nodes.size());
  std::vector<NodeId> parent(tree.nodes.size(), -1);
  std::size_t n_leaves = 0;
  for (NodeId v = 0; v < n_nodes; ++v) {
    n_leaves += tree.nodes[v].is_leaf();
    for (const NodeId child : tree.children_of(v)) parent[child] = v;
  }
  gatherer_.start(tree, training);
  // Inner nodes whose sons are all leaves, cheapest first.
  std::set<std::pair<double, NodeId>> twigs;
  const auto add_twig = [&](NodeId v) {
    double saved = estimate(tree.counts_of(v));
    for (const NodeId child : tree.children_of(v)) {
      if (!tree.nodes[child].is_leaf()) return;
      saved -= estimate(tree.counts_of(child));
    }
    twigs.insert({saved / static_cast<double>(tree.nodes[v].n_children), v});
  };
  for (NodeId v = 0; v < n_nodes; ++v) {
    if (!tree.nodes[v].is_leaf()) add_twig(v);
  }
  while (n_leaves > max_leaves && !twigs.empty()) {
    const NodeId v = twigs.begin()->second;
    twigs.erase(twigs.begin());
    n_leaves -= tree.nodes[v].n_children - 1;
    gatherer_.make_leaf(tree, v);
    if (parent[v] >= 0) add_twig(parent[v]);
  }
  compactor_.compact(tree);
}

}  // namespace sightline::c45
