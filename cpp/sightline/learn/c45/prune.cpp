#include "sightline/learn/c45/prune.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "sightline/learn/c45/measures.hpp"
#include "sightline/learn/c45/pruner.hpp"

namespace sightline::learn::c45 {

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

Trimmer::Trimmer() : pruner_(std::make_unique<Pruner>()) {}
Trimmer::~Trimmer() = default;

void Trimmer::collapse(GrownTree& tree, const TrainingSet& training) {
  leaf_errors_.assign(tree.nodes.size(), 0.0);
  for (auto v = static_cast<model::NodeId>(tree.nodes.size()); v-- > 0;) {
    if (tree.nodes[v].is_leaf()) leaf_errors_[v] = tree.training_errors(v);
    for (const model::NodeId child : tree.children_of(v)) leaf_errors_[v] += leaf_errors_[child];
  }
  gatherer_.start(tree, training);
  stack_.assign(1, 0);
  while (!stack_.empty()) {
    const model::NodeId v = stack_.back();
    stack_.pop_back();
    if (tree.nodes[v].is_leaf()) continue;
    if (leaf_errors_[v] >= tree.training_errors(v) - kCollapseSlack) {
      gatherer_.make_leaf(tree, v);
    } else {
      const auto children = tree.children_of(v);
      stack_.insert(stack_.end(), children.begin(), children.end());
    }
  }
  compactor_.compact(tree);
}

void Trimmer::finish(GrownTree& tree, const TrainingSet& training, const PruneOptions& options, runtime::StopPoll& poll) {
  if (options.prune) {
    pruner_->prune(tree, training, estimate_for(options, training.size()), options.subtree_raising, gatherer_, poll);
    compactor_.compact(tree);
  }
  limit_leaves(tree, training, options);
}

const ErrorEstimate& Trimmer::estimate_for(const PruneOptions& options, std::size_t n_rows) {
  n_rows = std::min(n_rows, ErrorEstimate::kRemembered);
  if (!estimate_ || confidence_ != options.confidence || z_ != options.z || n_rows_ < n_rows) {
    estimate_.emplace(options.confidence, options.z);
    estimate_->remember(n_rows);
    confidence_ = options.confidence;
    z_ = options.z;
    n_rows_ = n_rows;
  }
  return *estimate_;
}

void Trimmer::limit_leaves(GrownTree& tree, const TrainingSet& training, const PruneOptions& options) {
  if (!options.max_leaves) return;
  const ErrorEstimate& estimate = estimate_for(options, training.size());
  const auto n_nodes = static_cast<model::NodeId>(tree.nodes.size());
  std::vector<model::NodeId> parent(tree.nodes.size(), -1);
  std::size_t n_leaves = 0;
  for (model::NodeId v = 0; v < n_nodes; ++v) {
    n_leaves += tree.nodes[v].is_leaf();
    for (const model::NodeId child : tree.children_of(v)) parent[child] = v;
  }
  gatherer_.start(tree, training);
  // Inner nodes whose sons are all leaves, cheapest first.
  std::set<std::pair<double, model::NodeId>> twigs;
  const auto add_twig = [&](model::NodeId v) {
    double saved = estimate(tree.counts_of(v));
    for (const model::NodeId child : tree.children_of(v)) {
      if (!tree.nodes[child].is_leaf()) return;
      saved -= estimate(tree.counts_of(child));
    }
    twigs.insert({saved / static_cast<double>(tree.nodes[v].n_children), v});
  };
  for (model::NodeId v = 0; v < n_nodes; ++v) {
    if (!tree.nodes[v].is_leaf()) add_twig(v);
  }
  while (n_leaves > *options.max_leaves && !twigs.empty()) {
    const model::NodeId v = twigs.begin()->second;
    twigs.erase(twigs.begin());
    n_leaves -= tree.nodes[v].n_children - 1;
    gatherer_.make_leaf(tree, v);
    if (parent[v] >= 0) add_twig(parent[v]);
  }
  compactor_.compact(tree);
}

}  // namespace sightline::learn::c45
