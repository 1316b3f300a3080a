// Alternating optimization: optimize each test while the rest of the tree stays fixed.
#pragma once

#include "sightline/distill/distilled_tree/small_tree.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::distill::distilled_tree {

struct Pass {
  double loss;   // after the pass; never larger than before
  bool changed;  // whether any test changed or any node was removed
};

// Visits every node once, children first. A leaf takes the most frequent label of its rows. A
// test is replaced by the one that sends most weight to the right label, if that is strictly
// better. A node is replaced by one of its children if the child alone does as well.
// One pass costs rows * depth * features, for any number of classes.
Pass alternate_once(SmallTree& tree, const DistillationRows& rows, int n_threads, runtime::StopPoll& poll);

// Repeats until nothing changes, at most `max_passes` times. Returns the loss.
double alternate(SmallTree& tree, const DistillationRows& rows, int max_passes, int n_threads, runtime::StopPoll& poll);

}  // namespace sightline::distill::distilled_tree
