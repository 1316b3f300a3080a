#include "sightline/learn/c45/pruning_cache.hpp"

#include <algorithm>
#include <optional>

namespace sightline::learn::c45 {
namespace {

// A cached node keeps all its rows, whatever its branches were pruned to.
class CachedRows : public RowSource {
 public:
  CachedRows(const GrowthCache& growth, GrowthCache::NodeIndex node, const GrowthCache::Step& step)
      : growth_(growth), node_(node), step_(step) {}

  void gather(std::optional<std::size_t> without_branch, std::vector<Fragment>& rows) const override {
    rows.clear();
    if (!without_branch) return growth_.add_rows(node_, rows);
    for (std::size_t b = 0; b < growth_.n_branches(step_.feature); ++b) {
      if (b != *without_branch) growth_.add_rows(growth_.branch_of(step_.chosen, b), rows);
    }
  }

 private:
  const GrowthCache& growth_;
  GrowthCache::NodeIndex node_;
  const GrowthCache::Step& step_;
};

}  // namespace

PruningCache::PruningCache(const TrainingSet& training, GrowthCache& growth, bool collapse, const PruneOptions& options)
    : training_(training),
      growth_(growth),
      collapse_(collapse),
      prune_(options.prune),
      estimate_(options.confidence, options.tabulated_limits) {
  estimate_.tabulate(std::min(training.size(), ErrorEstimate::kMaxTabulated));
  store_.clear(training.n_classes);
  gatherer_.start(training);
  pruner_.start_store(store_, training_, estimate_, options.subtree_raising, gatherer_);
}

std::size_t PruningCache::used() const {
  return store_.nodes.size() * sizeof(GrownNode) + store_.counts.n_bytes() +
         (store_.children.size() + leaf_.size()) * sizeof(model::NodeId) + results_.used();
}

std::uint32_t PruningCache::prune(std::span<const std::uint32_t> features, runtime::StopPoll& poll) {
  growth_.set_features(features);
  done_.clear();
  growing_.clear();
  enter(GrowthCache::kRoot, GrowthCache::kNone, poll);
  while (!growing_.empty()) {
    Growing& top = growing_.back();
    if (top.n_done < growth_.n_branches(top.step.feature)) {
      enter(growth_.branch_of(top.step.chosen, top.n_done++), top.node, poll);
    } else {
      const Growing grown = top;
      growing_.pop_back();
      leave(grown, poll);
    }
  }
  return done_.back().result;
}

void PruningCache::enter(NodeIndex node, NodeIndex parent, runtime::StopPoll& poll) {
  const Done as_leaf{node | kIsLeaf, growth_.errors_of(node)};
  if (growth_.is_final(node)) return done_.push_back(as_leaf);
  const auto step = growth_.choose_test(node, parent, poll);
  if (!step) return done_.push_back(as_leaf);
  growing_.push_back({node, *step, 0});
}

// Finishes a node whose branches are on top of `done_`.
void PruningCache::leave(const Growing& growing, runtime::StopPoll& poll) {
  const std::size_t first = done_.size() - growing.n_done;
  Done done{growing.node | kIsLeaf, 0};
  for (std::size_t b = 0; b < growing.n_done; ++b) done.leaf_errors += done_[first + b].leaf_errors;
  if (!collapse_ || done.leaf_errors < growth_.errors_of(growing.node) - kCollapseSlack) done.result = settle(growing, poll);
  done_.resize(first);
  done_.push_back(done);
}

PruningCache::Result PruningCache::settle(const Growing& growing, runtime::StopPoll& poll) {
  const auto& [node, step, n_branches] = growing;
  const std::size_t first = done_.size() - n_branches;
  key_.assign(1, step.chosen);
  for (std::size_t b = 0; b < n_branches; ++b) key_.push_back(done_[first + b].result);
  if (const auto known = results_.find(key_)) return *known;
  branches_.clear();
  for (std::size_t b = 0; b < n_branches; ++b) branches_.push_back(stored(key_[b + 1]));
  const model::NodeId made = store_.add_node(growth_.counts_of(node), growth_.weight_of(node));
  growth_.add_test(step, store_, made);
  for (std::size_t b = 0; b < n_branches; ++b) store_.set_child(made, b, branches_[b]);
  if (prune_) pruner_.add_and_prune(made, CachedRows(growth_, node, step), poll);
  Result result = static_cast<Result>(made);
  if (store_.nodes[made].is_leaf()) {
    result = node | kIsLeaf;
    if (static_cast<std::size_t>(made) + 1 == store_.nodes.size()) store_.drop_last();
  }
  results_.insert(key_, result);
  return result;
}

model::NodeId PruningCache::stored(Result result) {
  if ((result & kIsLeaf) == 0) return static_cast<model::NodeId>(result);
  const NodeIndex node = result & ~kIsLeaf;
  if (leaf_.size() <= node) leaf_.resize(growth_.n_nodes(), -1);
  if (leaf_[node] < 0) {
    leaf_[node] = store_.add_node(growth_.counts_of(node), growth_.weight_of(node));
    if (prune_) pruner_.add_leaf(leaf_[node]);
  }
  return leaf_[node];
}

void PruningCache::build(std::uint32_t pruned, GrownTree& tree) {
  tree.clear(store_.n_classes);
  copier_.copy(store_, stored(pruned), tree);
}

}  // namespace sightline::learn::c45
