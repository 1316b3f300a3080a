// Alternating optimization: optimize each test while the rest of the tree stays fixed.
#pragma once

#include "sightline/distill/distilled_tree/small_tree.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::distill::distilled_tree {

struct Pass {
  double loss;   // after the pass; never larger than before
  bool changed;  // whether any test changed or any node was removed
};

// Visits every node once, children first. A leaf is fitted to its rows. A test is replaced by the
// one with the smallest loss, if that is strictly better and leaves enough training rows on both
// sides. A node is replaced by one of its children if the child alone does as well.
// One pass costs rows * depth * features, for any number of classes.
Pass alternate_once(SmallTree& tree, const DistillationRows& rows, int n_threads, runtime::StopPoll& poll);

// Repeats until nothing changes, at most `max_passes` times. Then leaves with too few training
// rows are removed, the smallest first: their siblings replace their parents. Returns
// the loss.
double alternate(SmallTree& tree, const DistillationRows& rows, int max_passes, int n_threads, runtime::StopPoll& poll);

}  // namespace sightline::distill::distilled_tree
