// Contraction: a copy of a tree without the nodes that a box decides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sightline::proof {

// Copies trees that are runs of entries in preorder. An entry has `is_leaf()` and the `size` of
// its subtree, itself included. A node with only one reachable child gives way to
// that child. `concerns(entry)` says whether a node tests the side that was narrowed; other nodes
// stay as they are. It is passed by value: then the loop keeps the side in a register, instead of
// reading it again after every entry that it writes. `Live` knows the box:
//   only_child(i)           index of the only child that rows of the box reach, or kNone
//   enter(parent, child)    called before each child of a node that stays and is concerned;
//                           false if no row of the box reaches the child
//   leave(parent)           after the last child of such a node
//   take_place(entry, old)  `entry` is what is left of the subtree of `old`
template <class Entry>
class Contraction {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  // Appends the live part of the tree at [begin, end) of `from` to `to`, which may be the same vector.
  template <class Concerns, class Live>
  void copy(const std::vector<Entry>& from, std::size_t begin, std::size_t end, std::vector<Entry>& to, Concerns concerns,
            Live&& live) {
    open_.clear();
    std::size_t removed = kNone;  // the topmost node above the next entry that fell away
    std::size_t i = begin;
    while (true) {
      while (!open_.empty() && i == open_.back().end) {
        const Open done = open_.back();
        open_.pop_back();
        if (done.out != kNone) to[done.out].size = static_cast<std::int32_t>(to.size() - done.out);
        if (done.concerned) live.leave(done.source);
        i = done.resume;
      }
      if (i == end) return;
      Entry entry = from[i];
      const std::size_t behind = i + static_cast<std::size_t>(entry.size);
      if (!open_.empty() && open_.back().concerned && !live.enter(open_.back().source, i)) {
        i = behind;
        continue;
      }
      const bool concerned = concerns(entry);
      const std::size_t child = concerned ? live.only_child(i) : kNone;
      if (child != kNone) {
        if (removed == kNone) removed = i;
        open_.push_back({i, kNone, child + static_cast<std::size_t>(from[child].size), behind, false});
        i = child;
        continue;
      }
      if (!entry.is_leaf()) open_.push_back({i, to.size(), behind, behind, concerned});
      if (removed != kNone) live.take_place(entry, from[removed]);
      removed = kNone;
      entry.size = 1;
      to.push_back(entry);
      ++i;
    }
  }

 private:
  struct Open {
    std::size_t source;
    std::size_t out;  // kNone: the node fell away, and its only child is copied
    std::size_t end;  // of the entries to copy
    std::size_t resume;
    bool concerned;
  };
  std::vector<Open> open_;
};

}  // namespace sightline::proof
