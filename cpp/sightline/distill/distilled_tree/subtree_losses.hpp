// The losses of rows in the leaves that they reach.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightline/distill/distilled_tree/small_tree.hpp"

namespace sightline::distill::distilled_tree {

// Rows go down a subtree together, node by node, instead of one after the other: dividing a list needs no branch that is
// mispredicted, and a leaf is looked up once for all of its rows. Keeps its memory from call to call.
class SubtreeLosses {
 public:
  explicit SubtreeLosses(const DistillationRows& rows) : rows_(rows) {}

  // The loss of each of the rows in the leaf that it reaches from a node, in their order. Valid until the next call.
  std::span<const double> operator()(const SmallTree& tree, model::NodeId from, std::span<const std::uint32_t> of);

 private:
  // Positions [begin, end) of the rows at a node, in one of two lists: its children have theirs in the other one.
  struct Part {
    model::NodeId node;
    std::size_t begin;
    std::size_t end;
    bool in_second;
  };
  void divide(const SmallNode& node, const Part& part, std::span<const std::uint32_t> of);
  void write_losses(const SmallNode& leaf, const Part& part, std::span<const std::uint32_t> of);

  const DistillationRows& rows_;
  std::vector<std::uint32_t> position_[2];
  std::vector<Part> waiting_;
  std::vector<double> loss_;
};

}  // namespace sightline::distill::distilled_tree
