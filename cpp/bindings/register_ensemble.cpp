#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "arrays.hpp"
#include "columns.hpp"
#include "interruptible.hpp"
#include "register.hpp"
#include "sightline/model/ensemble.hpp"

namespace sightline::bindings {
namespace {

model::EnsemblePtr make_ensemble(std::vector<model::TreePtr> trees, std::size_t n_scores, bool votes,
                                 std::vector<double> tree_weight, std::vector<double> vote_against,
                                 std::vector<std::int32_t> tree_score, std::vector<double> base,
                                 const std::vector<bool>& single_precision, double tie_tolerance,
                                 const std::vector<bool>& base_last) {
  model::EnsembleParts parts;
  parts.trees = std::move(trees);
  parts.n_scores = n_scores;
  parts.combine = votes ? model::Combine::kVote : model::Combine::kOutput;
  parts.tree_weight = std::move(tree_weight);
  parts.vote_against = std::move(vote_against);
  parts.tree_score = std::move(tree_score);
  parts.base = std::move(base);
  parts.single_precision.assign(single_precision.begin(), single_precision.end());
  parts.tie_tolerance = tie_tolerance;
  parts.base_last.assign(base_last.begin(), base_last.end());
  nb::gil_scoped_release unlock;
  return std::make_shared<const model::Ensemble>(std::move(parts));
}

std::vector<bool> flags(const std::vector<std::uint8_t>& values) { return {values.begin(), values.end()}; }

void check_rows(const model::Ensemble& ensemble, const BoundColumns& rows) {
  if (rows.columns.n_values() != ensemble.n_values())
    throw std::invalid_argument("the columns differ from the ensemble's features");
}

}  // namespace

void register_ensemble(nb::module_& m) {
  nb::class_<model::Ensemble>(m, "Ensemble", "Trees and how their outputs are added up.")
      .def(nb::new_(&make_ensemble), nb::arg("trees"), nb::arg("n_scores"), nb::arg("votes"), nb::arg("tree_weight"),
           nb::arg("vote_against"), nb::arg("tree_score"), nb::arg("base"), nb::arg("single_precision"), nb::arg("tie_tolerance"),
           nb::arg("base_last"), "Check and build; ValueError names the tree at fault.")
      .def_prop_ro(
          "trees", [](const model::Ensemble& self) { return self.parts().trees; }, "The trees.")
      .def_prop_ro("n_nodes", &model::Ensemble::n_nodes, "Nodes of all trees together.")
      .def_prop_ro("n_scores", &model::Ensemble::n_scores, "Scores per row.")
      .def_prop_ro(
          "votes", [](const model::Ensemble& self) { return self.parts().combine == model::Combine::kVote; },
          "Whether trees vote for one class instead of adding their outputs.")
      .def_prop_ro(
          "tree_weight", [](const model::Ensemble& self) { return self.parts().tree_weight; }, "Factor per tree.")
      .def_prop_ro(
          "vote_against", [](const model::Ensemble& self) { return self.parts().vote_against; },
          "Per tree: what it adds to the classes it does not vote for.")
      .def_prop_ro(
          "tree_score", [](const model::Ensemble& self) { return self.parts().tree_score; },
          "Per tree: the score it adds to, -1 for all.")
      .def_prop_ro(
          "base", [](const model::Ensemble& self) { return self.parts().base; }, "Scores before the first tree.")
      .def_prop_ro(
          "base_last", [](const model::Ensemble& self) { return flags(self.parts().base_last); },
          "Per score: whether the base is added after the last tree.")
      .def_prop_ro(
          "single_precision", [](const model::Ensemble& self) { return flags(self.parts().single_precision); },
          "Per score: whether its sum is rounded to float after each tree.")
      .def_prop_ro(
          "tie_tolerance", [](const model::Ensemble& self) { return self.parts().tie_tolerance; },
          "How much a tree's vote must exceed the classes before it.")
      .def(
          "scores",
          [](const model::Ensemble& self, const BoundColumns& rows, int n_threads) {
            check_rows(self, rows);
            NewArray<double> result({rows.columns.n_rows(), self.n_scores()});
            interruptible(nullptr,
                          [&](runtime::StopPoll& poll) { self.add_scores(rows.columns, n_threads, poll, result.data()); });
            return result.release();
          },
          nb::arg("rows"), nb::arg("n_threads"), "Scores of every row: base first, then the trees in their order.")
      .def(
          "tree_outputs",
          [](const model::Ensemble& self, const BoundColumns& rows, int n_threads) {
            check_rows(self, rows);
            const std::size_t width = self.parts().trees[0]->n_outputs();
            for (const model::TreePtr& tree : self.parts().trees) {
              if (tree->n_outputs() != width) throw std::invalid_argument("the trees have different numbers of outputs");
            }
            NewArray<double> result({rows.columns.n_rows(), self.n_trees(), width});
            interruptible(nullptr,
                          [&](runtime::StopPoll& poll) { self.tree_outputs(rows.columns, n_threads, poll, result.data()); });
            return result.release();
          },
          nb::arg("rows"), nb::arg("n_threads"), "Output of every tree for every row: (rows, trees, outputs).")
      .def(
          "find_leaves",
          [](const model::Ensemble& self, const BoundColumns& rows, int n_threads) {
            check_rows(self, rows);
            NewArray<model::NodeId> result({rows.columns.n_rows(), self.n_trees()});
            interruptible(nullptr,
                          [&](runtime::StopPoll& poll) { self.find_leaves(rows.columns, n_threads, poll, result.data()); });
            return result.release();
          },
          nb::arg("rows"), nb::arg("n_threads"), "Leaf of every tree for every row; a missing value follows the largest share.");
}

}  // namespace sightline::bindings
