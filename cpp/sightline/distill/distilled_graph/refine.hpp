// Distills the best small graph, and turns it into a model::Graph.
#pragma once

#include "sightline/distill/distilled_tree/small_tree.hpp"
#include "sightline/model/graph.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::distill::distilled_graph {

struct Recipe {
  std::size_t n_tests;
  bool refine = true;
  int search_rounds = 0;
  int n_threads = 1;
};

// Begins with the best small tree and with a large one that is shrunk in steps, whichever loses less. Rounds
// of the search overgrow the best graph so far, optimize its tests, and shrink it again. So a graph never loses
// more of its rows than the tree with as many tests. In the end similar leaves are pooled.
distilled_tree::SmallTree distill(const distilled_tree::DistillationRows& rows, const Recipe& recipe, runtime::StopPoll& poll);

// The graph with its thresholds and categories; see the function of the same name for trees.
model::GraphPtr finished(const distilled_tree::SmallTree& graph, const distilled_tree::DistillationRows& rows);

}  // namespace sightline::distill::distilled_graph
