#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "decision.hpp"
#include "interruptible.hpp"
#include "register.hpp"
#include "rule_rows.hpp"
#include "sightline/model/graph.hpp"
#include "sightline/model/label_rule.hpp"
#include "sightline/model/tree.hpp"
#include "sightline/proof/boxed_ensemble.hpp"
#include "sightline/proof/boxed_nodes.hpp"
#include "sightline/proof/boxed_rules.hpp"

namespace sightline::bindings {

void register_boxed_model(nb::module_& m) {
  nb::class_<model::LabelRule>(m, "LabelRule", "How scores become a label or a number.")
      .def(
          "__init__",
          [](model::LabelRule* self, bool above, double label_above, std::vector<double> divide_by, model::FormulaPtr formula,
             const std::string& ties, const std::string& answer) {
            new (self) model::LabelRule{
                above, label_above, std::move(divide_by), std::move(formula), ties_named(ties), answer_named(answer)};
          },
          nb::arg("above"), nb::arg("label_above"), nb::arg("divide_by"), nb::arg("formula") = nb::none(),
          nb::arg("ties") = "scores", nb::arg("answer") = "label",
          "Label 1 above a score, or the first of the largest scores, after the divisions; or as a formula decides.")
      .def(
          "labels",
          [](const model::LabelRule& self, const nb::ndarray<nb::numpy, const double, nb::ndim<2>, nb::c_contig>& scores) {
            NewArray<std::int32_t> labels({scores.shape(0)});
            for (std::size_t i = 0; i < scores.shape(0); ++i) {
              labels.data()[i] = self.label({scores.data() + i * scores.shape(1), scores.shape(1)});
            }
            return labels.release();
          },
          nb::arg("scores"), "The label of each row of scores.");

  nb::class_<proof::BoxedModel>(m, "BoxedModel", "A model as a proof sees it: what it gives to the rows of a box.")
      .def_static(
          "of_ensemble",
          [](model::EnsemblePtr ensemble, const model::LabelRule& rule) -> std::shared_ptr<proof::BoxedModel> {
            return interruptible(nullptr, [&](runtime::StopPoll& poll) {
              return std::make_shared<proof::BoxedEnsemble>(std::move(ensemble), rule, poll);
            });
          },
          nb::arg("ensemble"), nb::arg("rule"), "An ensemble, by bounds of its scores.")
      .def_static(
          "of_tree",
          [](model::TreePtr tree, double tie_tolerance) -> std::shared_ptr<proof::BoxedModel> {
            return std::make_shared<proof::BoxedNodes>(std::move(tree), tie_tolerance);
          },
          nb::arg("tree"), nb::arg("tie_tolerance"), "A tree, leaf by leaf.")
      .def_static(
          "of_lines",
          [](model::TreePtr tree, model::LeafLinesPtr lines) -> std::shared_ptr<proof::BoxedModel> {
            if (&lines->tree() != tree.get()) throw std::invalid_argument("the lines belong to a different tree");
            return std::make_shared<proof::BoxedNodes>(std::move(tree), std::move(lines));
          },
          nb::arg("tree"), nb::arg("lines"), "A tree of numbers with lines in its leaves, leaf by leaf.")
      .def_static(
          "of_graph",
          [](model::GraphPtr graph, double tie_tolerance) -> std::shared_ptr<proof::BoxedModel> {
            return std::make_shared<proof::BoxedNodes>(std::move(graph), tie_tolerance);
          },
          nb::arg("graph"), nb::arg("tie_tolerance"), "A graph, leaf by leaf.")
      .def_static(
          "of_rules",
          [](model::RuleSetPtr rules, double pc, double factor, double fallback, const std::vector<double>& base,
             const std::vector<double>& prior) -> std::shared_ptr<proof::BoxedModel> {
            check_per_class(*rules, base.size());
            check_per_class(*rules, prior.size());
            return std::make_shared<proof::BoxedRules>(std::move(rules), model::Voting{pc, factor, fallback, base, prior});
          },
          nb::arg("rules"), nb::arg("pc"), nb::arg("factor"), nb::arg("fallback"), nb::arg("base"), nb::arg("prior"),
          "Rules that vote, by bounds of their votes.");
}

}  // namespace sightline::bindings
