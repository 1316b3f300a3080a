// Stacks with the rows of the nodes that are still to be split.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightline/learn/training_set.hpp"
#include "sightline/table/orders.hpp"

namespace sightline::learn::c45 {

// The branch of a row whose tested value is missing: it goes to all branches.
inline constexpr std::uint32_t kEveryBranch = ~std::uint32_t{0};

// Depth-first growth works only on the topmost node. A split replaces its rows with those of its branches, the first
// branch on top. A row whose tested value is missing goes to several branches, so the stacks may become a little larger
// than the table. For each numeric feature a second stack holds the same rows in ascending order. Splits keep this order,
// so nothing is sorted after the root. The values are beside the rows once a node is small; of larger nodes they are collected
// from the table when a feature is scanned, because beside the rows they would take as much memory as the table. Costs 4 bytes
// per numeric cell, and 8 more for the cells of the largest small node.
class RowStacks {
 public:
  // How the topmost node is split.
  struct Partition {
    std::vector<std::uint32_t> branch;  // per training row: its branch, or kEveryBranch
    std::vector<double> missing_share;  // per branch: its share of a row that goes to every branch
    std::vector<bool> keeps_order;      // per branch: false for leaves, which need no order
    bool shares_rows = false;           // whether some row goes to every branch
  };

  RowStacks(const TrainingSet& training, const table::Orders* orders, runtime::StopPoll& poll);

  // Rows of the topmost node, and their weights unless all are 1.
  std::span<const std::uint32_t> rows() const { return tail(rows_.row, frames_.back().n_rows); }
  std::span<const double> weights() const { return tail(rows_.value, unit_weights() ? 0 : frames_.back().n_rows); }
  bool unit_weights() const { return frames_.back().unit_weights; }
  std::span<const std::uint32_t> sorted_rows(std::size_t feature) const { return tail(sorted_[feature].row, length(feature)); }
  // The values of these rows, valid until the next call.
  std::span<const double> sorted_values(std::size_t feature);

  void pop();
  void split(const Partition& partition);

 private:
  struct Stack {
    std::vector<std::uint32_t> row;
    std::vector<double> value;
  };
  struct Frame {
    std::size_t n_rows;
    bool unit_weights;
    std::vector<std::size_t> n_sorted;  // per column; empty: no orders kept
    bool has_values = false;            // whether the values of the sorted rows are on the stacks
  };

  template <class T>
  static std::span<const T> tail(const std::vector<T>& stack, std::size_t n) {
    return {stack.data() + (stack.size() - n), n};
  }
  std::size_t length(std::size_t feature) const {
    const auto& n_sorted = frames_.back().n_sorted;
    return n_sorted.empty() ? 0 : n_sorted[feature];
  }
  void collect_values(std::size_t feature, std::vector<double>& values) const;
  void prepare_top();
  void split_weighted(const Frame& top, const Partition& partition, std::vector<Frame>& branches);
  void split_sorted(const Frame& top, const Partition& partition, std::vector<Frame>& branches);
  // Sizes of the parts of the branches; without values, of the rows alone.
  std::vector<std::size_t> split_stack(Stack& stack, std::size_t n, const Partition& partition, bool all_branches,
                                       bool with_values);
  std::vector<std::size_t> split_in_two(Stack& stack, std::size_t n, const Partition& partition, bool all_branches,
                                        bool with_values);
  std::vector<std::size_t> split_in_many(Stack& stack, std::size_t n, const Partition& partition, bool all_branches,
                                         bool with_values);

  const TrainingSet& training_;
  std::vector<std::uint32_t> numeric_;  // the features that have a second stack
  std::vector<Frame> frames_;
  Stack rows_;  // value: the weight
  std::vector<Stack> sorted_;
  std::vector<double> collected_;  // the values of one feature of a large node
  Stack scratch_;
};

}  // namespace sightline::learn::c45
