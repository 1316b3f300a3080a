// Removes the nodes of a forest whose branch is already known.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "sightline/distill/ism/forest.hpp"
#include "sightline/proof/contraction.hpp"

namespace sightline::distill::ism {

// Keeps its memory from call to call: the system hands out new pages more slowly than nodes are copied.
class Contractor {
 public:
  // With `literal_matching`, only nodes with exactly the test are decided.
  Contractor(const PreparedEnsemble& prepared, bool literal_matching) : prepared_(prepared), literal_(literal_matching) {}

  // Removes the nodes that the context decides. It is that of `from`, narrowed by this outcome of a test. The result is
  // valid until the next call.
  ForestView operator()(const Forest& from, const Context& context, std::int32_t test, std::int32_t outcome);
  // Removes the nodes that the intervals of the context decide: all that it decides, if numeric tests alone lead from the
  // context of `from` to it. The result is valid until the next call.
  ForestView by_intervals(const Forest& from, const Context& context);
  // Whether intervals alone decide what an outcome of the test decides.
  bool follows_intervals(std::int32_t test) const {
    return !literal_ && !prepared_.tests().is_nominal(prepared_.tests().feature[test]);
  }

 private:
  // The nodes that `only_child` does not decide, for decisions that do not depend on the path to a node. Needs no stack of
  // open nodes: a subtree ends where the node behind it begins, so that its new size follows from the new positions.
  template <class OnlyChild>
  ForestView undecided(const Forest& from, OnlyChild only_child);
  // Copies those of one tree to nodes_ from `first` on; returns the end of the copy.
  template <class OnlyChild>
  std::int32_t copy_undecided(const Forest& from, std::size_t tree, std::int32_t first, OnlyChild only_child);

  // Nodes from `at` on are left out, up to `resume`.
  struct Gap {
    std::int32_t at;
    std::int32_t resume;
  };

  // The ranks that decide a numeric node: up to `low` it is its no child, from `high` on its yes child.
  struct Decisive {
    std::int32_t low = std::numeric_limits<std::int32_t>::min();
    std::int32_t high = std::numeric_limits<std::int32_t>::max();
  };

  const PreparedEnsemble& prepared_;
  bool literal_;
  std::vector<Node> nodes_;  // of the result, and room for more: resizing would fill it with zeros every time
  std::vector<std::int32_t> root_;
  std::vector<Decisive> decisive_;      // of leaves, which nothing decides, then per feature
  std::vector<std::int32_t> position_;  // per node of the old forest: its own in the new one, or that of what follows
  std::vector<Gap> gaps_;
  proof::Contraction<Node> contraction_;
};

}  // namespace sightline::distill::ism
