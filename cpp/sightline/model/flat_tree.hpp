// A tree laid out for prediction of many rows: each step reads 8 bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "sightline/model/row_coder.hpp"
#include "sightline/model/tree.hpp"

namespace sightline::model {

// Siblings are neighbors (branch 1 = branch 0 + 1), and a leaf leads to itself, so that no row has to
// ask whether it has arrived. A step is, from the lowest bit on: where the column of its test begins in a
// tile, 16 bits; kHighest - cut, 16 bits; the position of branch 0, 32 bits. Added to the step, a code above
// the cut carries into the position: the test is one addition, without comparison or branch.
class FlatTree {
 public:
  FlatTree(TreePtr tree, const RowCoder& coder);

  const Tree& tree() const { return *tree_; }
  // Whether the coder knows all its tests. If not, rows must be walked one by one, with `find_leaf`.
  bool is_flat() const { return !steps_.empty(); }

  // The position at which each of the rows arrives.
  void find_leaves(const CodedRows& rows, std::uint32_t* positions) const;
  NodeId node(std::uint32_t position) const { return node_at_[position]; }
  std::size_t n_positions() const { return node_at_.size(); }

 private:
  bool is_leaf(std::uint32_t position) const { return steps_[position] >> 32 == position; }
  // Steps that all rows take before anybody looks who has arrived.
  void choose_first_steps();
  void begin_walk(const CodedRows& rows, std::uint32_t* positions) const;
  void walk_on(const CodedRows& rows, const std::uint32_t* walking, std::uint32_t* positions) const;

  TreePtr tree_;
  std::vector<std::uint64_t> steps_;
  std::vector<NodeId> node_at_;
  int n_first_steps_ = 0;
};

}  // namespace sightline::model
