#include "sightline/model/flat_tree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sightline::model {
namespace {

constexpr std::uint64_t kLowHalf = 0xffff;
// The column's place in a tile is stored in units that a 16-bit field can hold for all columns, and that an
// address can scale by itself.
constexpr std::size_t kCodesPerUnit = 2;
static_assert(RowCoder::kMaxColumns * kLanes / kCodesPerUnit - 1 <= kLowHalf);

std::uint64_t step_of(RowCoder::CodedTest test, std::uint32_t next) {
  return std::uint64_t{next} << 32 | std::uint64_t{RowCoder::kHighest - test.cut} << 16 | test.column * kLanes / kCodesPerUnit;
}

// The lane's own code of a column is `column * kLanes` codes behind `codes`.
inline std::uint64_t taken(std::uint64_t step, const std::uint32_t* codes) {
  return (step + codes[kCodesPerUnit * (step & kLowHalf)]) >> 32;
}

}  // namespace

FlatTree::FlatTree(TreePtr tree, const RowCoder& coder) : tree_(std::move(tree)), node_at_(tree_->n_nodes()) {
  steps_.resize(tree_->n_nodes());
  // Pairs of siblings in depth-first order of their parents: the hot path stays together.
  std::uint32_t used = 1;
  std::vector<std::uint32_t> position(tree_->n_nodes(), 0);
  for (NodeId v = 0; v < static_cast<NodeId>(tree_->n_nodes()); ++v) {
    const std::uint32_t at = position[v];
    node_at_[at] = v;
    if (tree_->is_leaf(v)) {
      steps_[at] = step_of({0, RowCoder::kHighest}, at);
      continue;
    }
    const auto test = coder.coded(*tree_, v);
    if (!test) {
      steps_.clear();
      std::iota(node_at_.begin(), node_at_.end(), 0);
      return;
    }
    steps_[at] = step_of(*test, used);
    for (const NodeId child : tree_->children(v)) position[child] = used++;
  }
  choose_first_steps();
}

// One more than the mean depth of the training rows: most have arrived by then. Without weights, of the leaves.
void FlatTree::choose_first_steps() {
  double total = 0, weighted = 0, levels = 0;
  for (NodeId v = 0; v < static_cast<NodeId>(tree_->n_nodes()); ++v) {
    if (!tree_->is_leaf(v)) continue;
    const double weight = std::max(tree_->weight(v), 0.0);
    total += weight;
    weighted += weight * tree_->levels()[v];
    levels += tree_->levels()[v];
  }
  const double mean = total > 0 ? weighted / total : levels / static_cast<double>(tree_->n_leaves());
  n_first_steps_ = static_cast<int>(std::min<double>(std::ceil(mean) + 1, static_cast<double>(tree_->depth())));
}

// Leaves lie at very different depths, and shallow rows do not wait for the deepest: after the first steps, those that
// have arrived are sorted out every few steps.
void FlatTree::find_leaves(const CodedRows& rows, std::uint32_t* positions) const {
  begin_walk(rows, positions);
  thread_local std::vector<std::uint32_t> walking;
  walking.resize(rows.n_rows + kLanes);
  std::size_t n_walking = 0;
  for (std::uint32_t row = 0; row < rows.n_rows; ++row) {
    walking[n_walking] = row;
    n_walking += !is_leaf(positions[row]);
  }
  while (n_walking > 0) {
    // The last group is filled up with repetitions of its last row.
    for (std::size_t k = n_walking; k % kLanes != 0; ++k) walking[k] = walking[n_walking - 1];
    for (std::size_t first = 0; first < n_walking; first += kLanes) walk_on(rows, walking.data() + first, positions);
    std::size_t n_left = 0;
    for (std::size_t k = 0; k < n_walking; ++k) {
      const std::uint32_t row = walking[k];
      walking[n_left] = row;
      n_left += !is_leaf(positions[row]);
    }
    n_walking = n_left;
  }
}

void FlatTree::begin_walk(const CodedRows& rows, std::uint32_t* positions) const {
  const std::uint64_t* steps = steps_.data();
  for (std::size_t first = 0; first < rows.n_rows; first += kLanes, positions += kLanes) {
    const std::uint32_t* tile = rows.tile(first);
    std::uint64_t at[kLanes] = {};
    for (int i = 0; i < n_first_steps_; ++i) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) at[lane] = taken(steps[at[lane]], tile + lane);
    }
    std::copy(at, at + kLanes, positions);
  }
}

void FlatTree::walk_on(const CodedRows& rows, const std::uint32_t* walking, std::uint32_t* positions) const {
  constexpr int kSteps = 4;
  const std::uint64_t* steps = steps_.data();
  std::uint64_t at[kLanes];
  const std::uint32_t* codes[kLanes];
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    at[lane] = positions[walking[lane]];
    codes[lane] = rows.tile(walking[lane]) + walking[lane] % kLanes;
  }
  for (int i = 0; i < kSteps; ++i) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) at[lane] = taken(steps[at[lane]], codes[lane]);
  }
  for (std::size_t lane = 0; lane < kLanes; ++lane) positions[walking[lane]] = static_cast<std::uint32_t>(at[lane]);
}

}  // namespace sightline::model
