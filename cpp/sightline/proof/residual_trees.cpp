#include "sightline/proof/residual_trees.hpp"

#include <algorithm>
#include <limits>

namespace sightline::proof {

double FeatureCells::value(std::size_t cell) const {
  if (n_values > 0) return static_cast<double>(cell);
  return cell < thresholds.size() ? thresholds[cell] : std::numeric_limits<double>::infinity();
}

ResidualTrees::ResidualTrees(const VotingTrees& trees) : trees_(trees), index_of_(trees.n_values().size(), -1) {
  find_cells();
  restricted_.resize(features_.size());
  for (std::size_t i = 0; i < features_.size(); ++i) restricted_[i].resize(features_[i].size());
  for (std::size_t t = 0; t < trees.n_trees(); ++t) roots_.push_back(converted(t));
}

void ResidualTrees::find_cells() {
  for (std::size_t t = 0; t < trees_.n_trees(); ++t) {
    const model::Tree& tree = trees_.tree(t);
    for (const std::int32_t feature : tree.used_features()) {
      if (index_of_[feature] < 0) {
        index_of_[feature] = static_cast<std::int32_t>(features_.size());
        features_.emplace_back();
        features_.back().feature = feature;
        features_.back().n_values = trees_.n_values()[feature];
        n_uses_.push_back(0);
      }
      ++n_uses_[index_of_[feature]];
    }
    for (model::NodeId v = 0; v < static_cast<model::NodeId>(tree.n_nodes()); ++v) {
      if (tree.test(v) == model::Test::kThreshold)
        features_[index_of_[tree.feature(v)]].thresholds.push_back(tree.threshold(v) + 0.0);
    }
  }
  for (FeatureCells& cells : features_) {
    std::sort(cells.thresholds.begin(), cells.thresholds.end());
    cells.thresholds.erase(std::unique(cells.thresholds.begin(), cells.thresholds.end()), cells.thresholds.end());
    find_usual(cells);
  }
}

void ResidualTrees::find_usual(FeatureCells& cells) {
  std::vector<std::size_t> n_agreeing(cells.missing(), 0);
  for (std::size_t t = 0; t < trees_.n_trees(); ++t) {
    const model::Tree& tree = trees_.tree(t);
    for (model::NodeId v = 0; v < static_cast<model::NodeId>(tree.n_nodes()); ++v) {
      if (tree.is_leaf(v) || tree.feature(v) != cells.feature) continue;
      for (std::size_t cell = 0; cell < cells.missing(); ++cell) {
        n_agreeing[cell] += tree.branch(v, cells.value(cell)) == static_cast<std::size_t>(tree.missing_branch(v));
      }
    }
  }
  cells.usual_for_missing = static_cast<std::size_t>(std::max_element(n_agreeing.begin(), n_agreeing.end()) - n_agreeing.begin());
}

ResidualTrees::Id ResidualTrees::leaf(std::int32_t vote, std::int64_t points) {
  const auto same = [&](const Leaf& leaf) { return leaf.vote == vote && leaf.points == points; };
  const auto found = std::find_if(leaves_.begin(), leaves_.end(), same);
  const auto kind = static_cast<std::int32_t>(found - leaves_.begin());
  if (found == leaves_.end()) leaves_.push_back({vote, points});
  const Id id = shared_.leaf(kind);
  if (points_.size() < shared_.size()) points_.push_back(points);
  return id;
}

ResidualTrees::Id ResidualTrees::node(std::size_t index, const std::vector<Id>& children) {
  if (std::all_of(children.begin(), children.end(), [&](Id child) { return child == children[0]; })) return children[0];
  const Id id = shared_.node(static_cast<std::int32_t>(index), children);
  if (points_.size() < shared_.size()) points_.push_back(points_[children[0]]);
  return id;
}

ResidualTrees::Id ResidualTrees::converted(std::size_t t) {
  const model::Tree& tree = trees_.tree(t);
  std::vector<Id> id(tree.n_nodes()), children;
  for (auto v = static_cast<model::NodeId>(tree.n_nodes()); v-- > 0;) {
    if (tree.is_leaf(v)) {
      id[v] = leaf(trees_.vote(t, v), trees_.points(t));
      continue;
    }
    const std::int32_t index = index_of_[tree.feature(v)];
    const FeatureCells& cells = features_[index];
    children.clear();
    for (std::size_t cell = 0; cell < cells.missing(); ++cell)
      children.push_back(id[tree.children(v)[tree.branch(v, cells.value(cell))]]);
    children.push_back(id[tree.children(v)[tree.missing_branch(v)]]);
    id[v] = node(index, children);
  }
  return id[0];
}

std::vector<ResidualTrees::Id>& ResidualTrees::memory(std::size_t index, std::size_t cell) {
  auto& known = restricted_[index][cell];
  if (known.size() < shared_.size()) known.resize(2 * shared_.size(), -1);
  return known;
}

// Depth first with the nodes that wait on a stack. What a restriction makes holds nothing
// of the feature any more, so that it is its own restriction.
ResidualTrees::Id ResidualTrees::restricted(Id wanted, std::size_t index, std::size_t cell) {
  waiting_.assign(1, wanted);
  while (!waiting_.empty()) {
    const Id id = waiting_.back();
    auto& known = memory(index, cell);
    if (known[id] >= 0 || shared_.is_leaf(id)) {
      known[id] = known[id] >= 0 ? known[id] : id;
      waiting_.pop_back();
      continue;
    }
    const auto below = shared_.children(id);
    const bool asks = shared_.test(id) == static_cast<std::int32_t>(index);
    const std::size_t n_waiting = waiting_.size();
    for (std::size_t b = 0; b < below.size(); ++b) {
      if ((!asks || b == cell) && known[below[b]] < 0) waiting_.push_back(below[b]);
    }
    if (waiting_.size() > n_waiting) continue;
    waiting_.pop_back();
    if (asks) {
      known[id] = known[below[cell]];
      continue;
    }
    children_.clear();
    for (const Id child : below) children_.push_back(known[child]);
    const Id result = node(shared_.test(id), children_);
    memory(index, cell)[id] = result;
    memory(index, cell)[result] = result;
  }
  return memory(index, cell)[wanted];
}

}  // namespace sightline::proof
