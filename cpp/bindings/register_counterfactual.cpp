#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <limits>

#include "arrays.hpp"
#include "interruptible.hpp"
#include "register.hpp"
#include "sightline/proof/counterfactual.hpp"

namespace sightline::bindings {

void register_counterfactual(nb::module_& m) {
  nb::class_<proof::Demand>(m, "Demand", "What a model must answer: one of some labels, or a number within a range.")
      .def_static(
          "of_labels",
          [](std::shared_ptr<proof::BoxedModel> model, std::vector<std::int32_t> labels) {
            return proof::Demand(std::move(model), std::move(labels));
          },
          nb::arg("model"), nb::arg("labels"), "One of these labels.")
      .def_static(
          "of_numbers",
          [](std::shared_ptr<proof::BoxedModel> model, double low, double high) {
            return proof::Demand(std::move(model), proof::ScoreBounds{low, high});
          },
          nb::arg("model"), nb::arg("low"), nb::arg("high"), "A number from low to high, both included.");

  nb::class_<proof::ColumnChange>(m, "ColumnChange", "What a counterfactual may do to one column.")
      .def(
          "__init__",
          [](proof::ColumnChange* self, double own, double anchor, double scale, double unit, double low, double high,
             std::vector<std::int32_t> values, std::int32_t n_values, bool may_become_missing, bool is_fixed) {
            const double below = std::nextafter(low, -std::numeric_limits<double>::infinity());
            new (self) proof::ColumnChange{
                own, anchor, scale, unit, {below, high}, std::move(values), n_values, may_become_missing, is_fixed};
          },
          nb::arg("own"), nb::arg("anchor"), nb::arg("scale"), nb::arg("unit"), nb::arg("low"), nb::arg("high"),
          nb::arg("values"), nb::arg("n_values"), nb::arg("may_become_missing"), nb::arg("is_fixed"),
          "Own value, and what new values may be: numbers from low to high, or categories, the preferred one first.");

  nb::class_<proof::Counterfactual>(m, "Counterfactual", "A row that meets the demands.")
      .def_ro("row", &proof::Counterfactual::row, "Numbers, codes of categories, NaN where missing.")
      .def_ro("cost", &proof::Counterfactual::cost, "What its changes cost together.")
      .def_prop_ro(
          "bound", [](const proof::Counterfactual& self) { return std::make_pair(self.bound.n_changes, self.bound.cost); },
          "Changed columns, then cost, that no row undercuts.")
      .def_ro("is_nearest", &proof::Counterfactual::is_nearest, "Whether no row is nearer.");

  nb::class_<proof::Counterfactuals>(m, "Counterfactuals", "The nearest rows that meet the demands.")
      .def_ro("rows", &proof::Counterfactuals::rows, "The nearest first.")
      .def_ro("complete", &proof::Counterfactuals::complete, "Whether there is no further row with other changed columns.")
      .def_prop_ro(
          "bound", [](const proof::Counterfactuals& self) { return std::make_pair(self.bound.n_changes, self.bound.cost); },
          "Changed columns, then cost, that no further row undercuts.")
      .def_ro("n_boxes", &proof::Counterfactuals::n_boxes, "Number of boxes examined.");

  m.def(
      "counterfactuals",
      [](const std::vector<proof::Demand>& demands, const std::vector<proof::ColumnChange>& columns, std::int32_t max_rows,
         std::int32_t max_changes, bool fewest_columns_first,
         const nb::ndarray<nb::numpy, const double, nb::ndim<2>, nb::c_contig>& plausible, std::vector<double> width,
         std::int64_t max_boxes, double max_seconds) {
        proof::PlausibleRows rows{{plausible.data(), plausible.data() + plausible.size()}, std::move(width)};
        const proof::CounterfactualOptions options{max_rows,        max_changes, fewest_columns_first,
                                                   std::move(rows), max_boxes,   max_seconds};
        return interruptible(nullptr,
                             [&](runtime::StopPoll& poll) { return proof::counterfactuals(demands, columns, options, poll); });
      },
      nb::arg("demands"), nb::arg("columns"), nb::arg("max_rows"), nb::arg("max_changes"), nb::arg("fewest_columns_first"),
      nb::arg("plausible"), nb::arg("width"), nb::arg("max_boxes"), nb::arg("max_seconds"),
      "The nearest rows that meet all demands, with different changed columns.");
}

}  // namespace sightline::bindings
