// Makes a small graph smaller at the smallest loss.
#pragma once

#include "sightline/distill/distilled_tree/small_tree.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::distill::distilled_graph {

// Replaces tests by a new leaf or by any other node that is not above them, until at most `n_tests` are left. It works
// in rounds, cheapest first (loss per test that nothing leads to any more). A round frees at most half of the
// excess, in parts of the graph that do not touch each other, because every change moves the prices.
void shrink_to(distilled_tree::SmallTree& graph, const distilled_tree::DistillationRows& rows, std::size_t n_tests,
               runtime::StopPoll& poll);

}  // namespace sightline::distill::distilled_graph
