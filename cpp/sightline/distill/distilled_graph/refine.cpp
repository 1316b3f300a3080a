#include "sightline/distill/distilled_graph/refine.hpp"

#include <algorithm>

#include "sightline/distill/distilled_graph/sharing.hpp"
#include "sightline/distill/distilled_graph/shrink.hpp"
#include "sightline/distill/distilled_tree/alternate.hpp"
#include "sightline/distill/distilled_tree/grow.hpp"
#include "sightline/distill/distilled_tree/refine.hpp"

namespace sightline::distill::distilled_graph {
namespace {

using distilled_tree::Criterion;

constexpr int kMaxPasses = 12;
// A large graph is shrunk to these multiples of its size, with passes of optimization in between.
constexpr double kSteps[] = {2.0, 1.5, 1.25, 1.0};

class Refinement {
 public:
  Refinement(const DistillationRows& rows, const Recipe& recipe, runtime::StopPoll& poll)
      : rows_(rows), recipe_(recipe), poll_(poll) {}

  SmallTree run() {
    const std::size_t n_leaves = recipe_.n_tests + 1;
    best_ = distilled_tree::distill(rows_, {n_leaves, true, recipe_.search_rounds, recipe_.n_threads}, poll_);
    best_loss_ = best_.loss(rows_);
    SmallTree large;
    grow(large, Criterion::kSquares, distilled_tree::kOverGrowth * n_leaves);
    compare(shrunk(std::move(large)));
    for (int round = 0; round < recipe_.search_rounds; ++round) {
      SmallTree graph = best_;
      separate_leaves(graph);
      grow(graph, Criterion::kMixed, graph.n_leaves() + std::max<std::size_t>(2, (recipe_.n_tests << (round % 4)) / 4));
      compare(shrunk(std::move(graph)));
    }
    return std::move(best_);
  }

 private:
  void grow(SmallTree& graph, Criterion criterion, std::size_t n_leaves) {
    distilled_tree::grow(graph, rows_, n_leaves, {.criterion = criterion, .n_threads = recipe_.n_threads}, poll_);
    settle(graph);
  }

  SmallTree shrunk(SmallTree graph) {
    for (const double step : kSteps) {
      const auto n_tests = static_cast<std::size_t>(step * static_cast<double>(recipe_.n_tests));
      if (step > 1 && graph.n_tests() <= n_tests) continue;
      shrink_to(graph, rows_, n_tests, poll_);
      settle(graph);
    }
    return graph;
  }

  // Optimizes all tests in turn until nothing changes.
  void settle(SmallTree& graph) {
    bool changed = true;
    for (int i = 0; i < kMaxPasses && changed; ++i) {
      changed = distilled_tree::alternate_once(graph, rows_, recipe_.n_threads, poll_).changed;
      join_equal(graph);
    }
    graph.refit(rows_);
  }

  void compare(SmallTree graph) {
    const double loss = graph.loss(rows_);
    if (!(loss < best_loss_)) return;
    best_ = std::move(graph);
    best_loss_ = loss;
  }

  const DistillationRows& rows_;
  const Recipe& recipe_;
  runtime::StopPoll& poll_;
  SmallTree best_;
  double best_loss_ = 0;
};

}  // namespace

SmallTree distill(const DistillationRows& rows, const Recipe& recipe, runtime::StopPoll& poll) {
  SmallTree graph;
  if (recipe.refine && recipe.n_tests > 0) {
    graph = Refinement(rows, recipe, poll).run();
  } else {
    distilled_tree::grow(graph, rows, recipe.n_tests + 1, {.n_threads = recipe.n_threads}, poll);
  }
  pool_leaves(graph, rows);
  return graph;
}

model::GraphPtr finished(const SmallTree& graph, const DistillationRows& rows) {
  return model::build_graph(distilled_tree::arrays_of(graph, rows));
}

}  // namespace sightline::distill::distilled_graph
