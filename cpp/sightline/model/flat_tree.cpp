#include "sightline/model/flat_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sightline/model/row_blocks.hpp"

namespace sightline::model {
namespace {

bool all_numeric(const Tree& tree) {
  const auto& tests = tree.arrays().test;
  return std::all_of(tests.begin(), tests.end(), [](Test t) { return t == Test::kLeaf || t == Test::kThreshold; });
}

}  // namespace

FlatTree::FlatTree(TreePtr tree) : tree_(std::move(tree)) {
  if (tree_->n_features() == 0 || !all_numeric(*tree_)) return;
  steps_.resize(tree_->n_nodes());
  node_of_step_.resize(tree_->n_nodes());
  // Pairs of siblings in depth-first order of their parents: the hot path stays together.
  std::int32_t used = 1;
  std::vector<std::int32_t> index(tree_->n_nodes(), 0);
  for (NodeId v = 0; v < static_cast<NodeId>(tree_->n_nodes()); ++v) {
    const std::int32_t at = index[v];
    node_of_step_[at] = v;
    if (tree_->is_leaf(v)) {
      steps_[at] = {std::numeric_limits<double>::infinity(), 0, at};
      continue;
    }
    steps_[at] = {tree_->threshold(v), tree_->feature(v), used};
    for (const NodeId child : tree_->children(v)) index[child] = used++;
  }
}

void FlatTree::find_leaves(const double* block, std::size_t n_rows, NodeId* leaves) const {
  if (!steps_.empty()) return find_leaves_together(block, n_rows, leaves);
  for (std::size_t i = 0; i < n_rows; ++i) leaves[i] = find_leaf(block + i * tree_->n_features());
}

// Several rows walk side by side, so that their memory accesses overlap where one row alone
// would wait for each. After a few steps those that have arrived are sorted out: leaves lie at
// very different depths, and nobody waits for the deepest.
void FlatTree::find_leaves_together(const double* block, std::size_t n_rows, NodeId* leaves) const {
  constexpr std::size_t kLanes = 12;
  constexpr int kSteps = 6;
  const std::size_t width = tree_->n_features();
  const Step* steps = steps_.data();
  std::int32_t at[kBlockRows + kLanes];
  std::uint32_t walking[kBlockRows + kLanes];
  std::size_t n_walking = n_rows;
  for (std::size_t i = 0; i < n_rows; ++i) {
    at[i] = 0;
    walking[i] = static_cast<std::uint32_t>(i);
  }
  while (n_walking > 0) {
    // The last group is filled up with repetitions of its last row.
    for (std::size_t k = n_walking; k % kLanes != 0; ++k) walking[k] = walking[n_walking - 1];
    for (std::size_t first = 0; first < n_walking; first += kLanes) {
      std::int32_t here[kLanes];
      const double* row[kLanes];
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        here[lane] = at[walking[first + lane]];
        row[lane] = block + walking[first + lane] * width;
      }
      for (int i = 0; i < kSteps; ++i) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          const Step& step = steps[here[lane]];
          here[lane] = step.next + !(row[lane][step.feature] <= step.threshold);
        }
      }
      for (std::size_t lane = 0; lane < kLanes; ++lane) at[walking[first + lane]] = here[lane];
    }
    std::size_t n_left = 0;
    for (std::size_t k = 0; k < n_walking; ++k) {
      const std::uint32_t i = walking[k];
      walking[n_left] = i;
      n_left += steps[at[i]].next != at[i];
    }
    n_walking = n_left;
  }
  for (std::size_t i = 0; i < n_rows; ++i) leaves[i] = node_of_step_[at[i]];
}

NodeId FlatTree::find_leaf(const double* row) const { return model::find_leaf(*tree_, row); }

void FlatTree::add_output(const double* row, double* sum, std::vector<Pending>& pending) const {
  pending.push_back({0, 1.0});
  while (!pending.empty()) {
    auto [v, share] = pending.back();
    pending.pop_back();
    while (!tree_->is_leaf(v)) {
      const auto children = tree_->children(v);
      const double value = row[tree_->feature(v)];
      if (!std::isnan(value)) {
        v = children[tree_->branch(v, value)];
      } else if (tree_->missing_branch(v) >= 0) {
        v = children[tree_->missing_branch(v)];
      } else {
        const auto shares = tree_->shares(v);
        for (std::size_t b = children.size(); b-- > 1;) {
          if (shares[b] > 0) pending.push_back({children[b], share * shares[b]});
        }
        share *= shares[0];
        v = children[0];
      }
    }
    if (share > 0) {
      const double part = share;
      tree_->output(v).for_each([&](std::size_t k, double value) { sum[k] += part * value; });
    }
  }
}

}  // namespace sightline::model
