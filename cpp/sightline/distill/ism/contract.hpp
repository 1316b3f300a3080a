// Removes the nodes of a forest whose branch is already known.
#pragma once

#include <cstdint>
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
  const Forest& operator()(const Forest& from, const Context& context, std::int32_t test, std::int32_t outcome);

 private:
  // The nodes that `only_child` does not decide, for decisions that do not depend on the path to a node. Needs no stack of
  // open nodes: a subtree ends where the node behind it begins, so that its new size follows from the new positions.
  template <class OnlyChild>
  const Forest& undecided(const Forest& from, std::int32_t feature, OnlyChild only_child);
  // Copies those of one tree to to_.nodes from `first` on; returns the end of the copy.
  template <class OnlyChild>
  std::int32_t copy_undecided(const Forest& from, std::size_t tree, std::int32_t first, std::int32_t feature,
                              OnlyChild only_child);

  // Nodes from `at` on are left out, up to `resume`.
  struct Gap {
    std::int32_t at;
    std::int32_t resume;
  };

  const PreparedEnsemble& prepared_;
  bool literal_;
  Forest to_;
  std::vector<std::int32_t> position_;  // per node of the old forest: its own in the new one, or that of what follows
  std::vector<Gap> gaps_;
  proof::Contraction<Node> contraction_;
};

}  // namespace sightline::distill::ism
