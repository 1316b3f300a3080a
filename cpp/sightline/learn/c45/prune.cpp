#include "sightline/learn/c45/prune.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "sightline/learn/c45/pruner.hpp"

namespace sightline::learn::c45 {

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

void Trimmer::prune(GrownTree& tree, const TrainingSet& training, const PruneOptions& options, runtime::StopPoll& poll) {
  if (options.prune) {
    pruner_->prune(tree, training, estimate_for(options, training.size()), options.subtree_raising, gatherer_, poll);
    compactor_.compact(tree);
  }
  limit_leaves(tree, training, options);
}

const ErrorEstimate& Trimmer::estimate_for(const PruneOptions& options, std::size_t n_rows) {
  n_rows = std::min(n_rows, ErrorEstimate::kMaxTabulated);
  const std::pair limits{options.confidence, options.tabulated_limits};
  if (!estimate_ || limits_ != limits || n_rows_ < n_rows) {
    estimate_.emplace(options.confidence, options.tabulated_limits);
    estimate_->tabulate(n_rows);
    limits_ = limits;
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
  // Inner nodes whose children are all leaves, cheapest first.
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
