#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "interruptible.hpp"
#include "register.hpp"
#include "rule_rows.hpp"
#include "sightline/distill/rule_set/vote_selection.hpp"

namespace sightline::bindings {

namespace rule_set = distill::rule_set;
namespace {

using Weights = std::optional<Array1<double>>;
using Probabilities = nb::ndarray<nb::numpy, const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

rule_set::RowProbabilities target_of(const model::RuleSet& rules, const BoundColumns& rows, const Probabilities& probabilities,
                                     const Weights& weights, const std::vector<double>& base, double least) {
  check_rows(rules, rows);
  check_per_class(rules, base.size());
  check_per_class(rules, probabilities.shape(1));
  const std::size_t n_rows = rows.columns.n_rows();
  if (probabilities.shape(0) != n_rows) throw std::invalid_argument("one row of probabilities per row is required");
  if (weights && weights->size() != n_rows) throw std::invalid_argument("one weight per row is required");
  return rule_set::row_probabilities(probabilities.data(), n_rows, probabilities.shape(1), weights ? weights->data() : nullptr,
                                     least);
}

}  // namespace

void register_rule_selection(nb::module_& m) {
  nb::class_<rule_set::Candidates>(m, "RuleCandidates", "The rules of an ensemble's nodes, from which a few are selected.")
      .def(
          "__init__",
          [](rule_set::Candidates* self, const model::Ensemble& ensemble, const BoundColumns& rows, const Weights& weights,
             std::size_t n_classes, bool raw, double min_weight, std::size_t max_entries) {
            if (rows.columns.n_values() != ensemble.n_values()) {
              throw std::invalid_argument("the columns differ from the ensemble's features");
            }
            if (weights && weights->size() != rows.columns.n_rows())
              throw std::invalid_argument("one weight per row is required");
            const auto form = raw ? rule_set::ConditionForm::kRaw : rule_set::ConditionForm::kInterval;
            new (self) rule_set::Candidates(interruptible(nullptr, [&](runtime::StopPoll& poll) {
              return rule_set::candidates_of(ensemble, rows.columns, weights ? weights->data() : nullptr,
                                             {n_classes, form, min_weight, max_entries}, poll);
            }));
          },
          nb::arg("ensemble"), nb::arg("rows"), nb::arg("weights").none(), nb::arg("n_classes"), nb::arg("raw"),
          nb::arg("min_weight"), nb::arg("max_entries"),
          "One rule per node whose rows weigh at least min_weight; rules with the same rows are one. OverflowError if the lists "
          "of their rows would be longer than max_entries.")
      .def_ro("rules", &rule_set::Candidates::rules, "The rules, without a class.")
      .def(
          "select",
          [](const rule_set::Candidates& self, const BoundColumns& rows, const Probabilities& probabilities,
             const Weights& weights, const std::vector<double>& base, double least, std::size_t max_rules, bool shorten,
             double penalty, double similar) {
            const auto target = target_of(*self.rules, rows, probabilities, weights, base, least);
            if (rows.columns.n_rows() != self.n_rows) throw std::invalid_argument("the rows are not those of the candidates");
            return interruptible(nullptr, [&](runtime::StopPoll& poll) {
              return rule_set::select_votes(self, rows.columns, target, base, {max_rules, shorten, penalty, similar}, poll);
            });
          },
          nb::arg("rows"), nb::arg("probabilities"), nb::arg("weights").none(), nb::arg("base"), nb::arg("least"),
          nb::arg("max_rules"), nb::arg("shorten"), nb::arg("penalty"), nb::arg("similar"),
          "The rules whose votes come closest to the probabilities, best first, with their classes and weights. The rows "
          "must be those of the constructor.");
  m.def(
      "vote_weights",
      [](const model::RuleSet& rules, const BoundColumns& rows, const Probabilities& probabilities, const Weights& weights,
         const std::vector<double>& base, double least, double penalty) {
        const auto target = target_of(rules, rows, probabilities, weights, base, least);
        return interruptible(nullptr, [&](runtime::StopPoll& poll) {
          return rule_set::vote_weights(rules, rows.columns, target, base, penalty, poll);
        });
      },
      nb::arg("rules"), nb::arg("rows"), nb::arg("probabilities"), nb::arg("weights").none(), nb::arg("base"), nb::arg("least"),
      nb::arg("penalty"), "The weights of rules with which their votes come closest to the probabilities.");
}

}  // namespace sightline::bindings
