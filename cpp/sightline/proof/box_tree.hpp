// The boxes that questions lead to, as a tree: a search may turn from any of them to any other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "sightline/proof/box_walk.hpp"

namespace sightline::proof {

// Keeps one box, the present one, and the models that look at it in step. A box is known by the last
// question that led to it, so that a million of them fit into memory.
class BoxTree {
 public:
  // The box that no question led to.
  static constexpr std::int32_t kWhole = -1;

  explicit BoxTree(Box box) : walk_(std::move(box)) {}

  void add(BoxedModel& model) { walk_.add(model); }
  // Back to the whole box, for models that have looked at other boxes since.
  void restart() {
    path_.clear();
    walk_.restart();
  }
  const Box& box() const { return walk_.box(); }
  std::size_t depth() const { return path_.size(); }
  std::size_t memory() const { return nodes_.capacity() * sizeof(Node); }

  // Adds a part of the box `parent`, which is the present one, and enters it.
  std::int32_t enter_part(std::int32_t parent, const Question& question, std::size_t outcome) {
    nodes_.push_back({parent, static_cast<std::uint32_t>(outcome), question});
    const auto part = static_cast<std::int32_t>(nodes_.size() - 1);
    enter(part);
    return part;
  }
  // Leaves the parts down to a depth.
  void leave_to(std::size_t depth) {
    walk_.abandon(depth);
    path_.resize(depth);
  }
  // From the current box to another one, through the smallest box that contains both.
  void go_to(std::int32_t node) {
    way_.clear();
    for (std::int32_t v = node; v != kWhole; v = nodes_[v].parent) way_.push_back(v);
    std::reverse(way_.begin(), way_.end());
    std::size_t common = 0;
    while (common < std::min(way_.size(), path_.size()) && way_[common] == path_[common]) ++common;
    leave_to(common);
    for (std::size_t i = common; i < way_.size(); ++i) enter(way_[i]);
  }

 private:
  struct Node {
    std::int32_t parent;
    std::uint32_t outcome;
    Question question;
  };

  void enter(std::int32_t node) {
    walk_.take(nodes_[node].question, nodes_[node].outcome);
    path_.push_back(node);
  }

  BoxWalk walk_;
  std::vector<Node> nodes_;
  std::vector<std::int32_t> path_;  // the nodes of the present box, from the first question on
  std::vector<std::int32_t> way_;
};

}  // namespace sightline::proof
