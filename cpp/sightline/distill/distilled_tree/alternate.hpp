// Alternating optimisation: every test anew, with the rest of the tree as it is.
#pragma once

#include "sightline/distill/distilled_tree/small_tree.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::distill::distilled_tree {

struct Pass {
  double loss;   // after it; never more than before
  bool changed;  // whether any test changed or any node went
};

// Visits every node once, children first. A leaf takes the most frequent label of its rows;
// a test becomes the one that sends most weight to where it is answered as the ensemble does,
// if that is strictly better; a node goes where one of its children alone does as well.
// One pass costs rows * depth * features, whatever the number of classes.
Pass alternate_once(SmallTree& tree, const DistillationRows& rows, int n_threads, runtime::StopPoll& poll);

// Passes until nothing changes, at most `max_passes`. Returns the loss.
double alternate(SmallTree& tree, const DistillationRows& rows, int max_passes, int n_threads, runtime::StopPoll& poll);

}  // namespace sightline::distill::distilled_tree
