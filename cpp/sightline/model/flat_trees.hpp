// The trees of an ensemble laid out for prediction of many rows, one block of rows after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sightline/model/flat_tree.hpp"
#include "sightline/model/row_coder.hpp"
#include "sightline/runtime/stop.hpp"
#include "sightline/table/columns.hpp"

namespace sightline::model {

class FlatTrees {
 public:
  // Rows without missing values need fewer codes.
  FlatTrees(std::span<const TreePtr> trees, bool any_missing);

  std::size_t size() const { return trees_.size(); }
  const FlatTree& operator[](std::size_t tree) const { return trees_[tree]; }

  // Some rows, as one thread sees them.
  class Block {
   public:
    std::size_t begin() const { return begin_; }
    std::size_t n_rows() const { return coded_.n_rows; }
    // The position in a tree at which each row arrives; a missing value follows the largest share, the first on ties.
    // Valid until the next call.
    std::span<const std::uint32_t> find_leaves(std::size_t tree);
    // Rows, counted from `begin`, with a missing value that some test spreads over several branches.
    std::span<const std::uint32_t> spread() const { return coded_.spread; }
    // One of them as numbers.
    const double* spread_row(std::uint32_t row) const { return numbers(row); }

   private:
    friend class FlatTrees;
    const double* numbers(std::uint32_t row) const { return numbers_.data() + row * n_features_; }

    const FlatTrees* trees_ = nullptr;
    std::size_t begin_ = 0;
    std::size_t n_features_ = 0;
    CodedRows coded_;
    std::vector<std::uint32_t> positions_;
    std::vector<double> numbers_;  // row-major, if needed
  };
  void for_each_block(const table::Columns& rows, int n_threads, runtime::StopPoll& poll,
                      const std::function<void(Block&)>& work) const;

 private:
  void fill(Block& block, const table::Columns& rows, std::size_t begin, std::size_t end) const;

  RowCoder coder_;
  std::vector<FlatTree> trees_;
  bool all_flat_;
  std::size_t max_block_rows_;
};

}  // namespace sightline::model
