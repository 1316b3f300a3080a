#include "sightline/model/flat_trees.hpp"

#include <algorithm>

#include "sightline/runtime/parallel.hpp"

namespace sightline::model {
namespace {

// Many rows per block, because each block brings every tree into the first cache. But their codes must stay
// in the second, and nobody polls within a block.
constexpr std::size_t kMaxBlockRows = 4096;
constexpr std::size_t kMinBlockRows = 64;
constexpr std::size_t kBlockCodes = std::size_t{1} << 17;
constexpr std::size_t kBlockWalks = std::size_t{1} << 21;
// Blocks per thread, so that no thread waits long for the others.
constexpr std::size_t kBlocksPerThread = 4;

std::size_t whole_tiles(std::size_t n_rows) { return (n_rows + kLanes - 1) / kLanes * kLanes; }

}  // namespace

FlatTrees::FlatTrees(std::span<const TreePtr> trees, bool any_missing) : coder_(trees, any_missing) {
  trees_.reserve(trees.size());
  for (const TreePtr& tree : trees) trees_.emplace_back(tree, coder_);
  all_flat_ = std::all_of(trees_.begin(), trees_.end(), [](const FlatTree& tree) { return tree.is_flat(); });
  const std::size_t fitting = std::min(kBlockCodes / std::max<std::size_t>(coder_.n_columns(), 1), kBlockWalks / trees.size());
  max_block_rows_ = std::clamp(fitting, kMinBlockRows, kMaxBlockRows);
}

void FlatTrees::for_each_block(const table::Columns& rows, int n_threads, runtime::StopPoll& poll,
                               const std::function<void(Block&)>& work) const {
  std::size_t block_rows = max_block_rows_;
  if (n_threads > 1) {
    const std::size_t share = rows.n_rows() / (static_cast<std::size_t>(n_threads) * kBlocksPerThread);
    block_rows = std::clamp(share, kMinBlockRows, max_block_rows_);
  }
  runtime::parallel_blocks(rows.n_rows(), whole_tiles(block_rows), n_threads, poll, [&](std::size_t begin, std::size_t end) {
    thread_local Block block;
    fill(block, rows, begin, end);
    work(block);
  });
}

void FlatTrees::fill(Block& block, const table::Columns& rows, std::size_t begin, std::size_t end) const {
  block.trees_ = this;
  block.begin_ = begin;
  block.n_features_ = rows.size();
  coder_.encode(rows, begin, end, block.coded_);
  block.positions_.resize(end - begin + kLanes);
  if (all_flat_ && block.coded_.spread.empty()) return;
  block.numbers_.resize((end - begin) * rows.size());
  rows.gather(begin, end, block.numbers_.data());
}

std::span<const std::uint32_t> FlatTrees::Block::find_leaves(std::size_t t) {
  const FlatTree& tree = (*trees_)[t];
  if (tree.is_flat()) {
    tree.find_leaves(coded_, positions_.data());
  } else {
    for (std::uint32_t row = 0; row < n_rows(); ++row) positions_[row] = find_leaf(tree.tree(), numbers(row));
  }
  return {positions_.data(), n_rows()};
}

}  // namespace sightline::model
