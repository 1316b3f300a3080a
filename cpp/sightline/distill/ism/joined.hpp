// Counts the leaves of a growing tree, with siblings of the same label joined.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sightline::distill::ism {

// Splits may come in any order. Each costs a walk up the tree that ends once nothing changes.
class JoinedLeaves {
 public:
  // Without joining, every leaf counts.
  JoinedLeaves(bool joins, std::int32_t root_label) : joins_(joins), nodes_(1, Node{-1, root_label, 1, {}}) {}

  void split(std::int32_t node, std::span<const std::int32_t> children, std::span<const std::int32_t> labels);
  std::size_t size() const { return nodes_[0].n_leaves; }

 private:
  struct Node {
    std::int32_t parent = -1;
    std::int32_t label = -1;  // of all leaves below, or kSeveral
    std::size_t n_leaves = 1;
    std::vector<std::int32_t> children;
  };
  static constexpr std::int32_t kSeveral = -1;

  // Whether anything changed.
  bool sum_up(Node& node) const;

  bool joins_;
  std::vector<Node> nodes_;
};

// Splits that change no label do not count, but growth must end: before siblings are joined, a tree
// may have this many times its maximum number of leaves.
inline constexpr std::size_t kMaxLeavesPerJoined = 4;

}  // namespace sightline::distill::ism
