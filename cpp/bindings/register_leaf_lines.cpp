#include <nanobind/stl/shared_ptr.h>

#include <stdexcept>

#include "arrays.hpp"
#include "columns.hpp"
#include "interruptible.hpp"
#include "register.hpp"
#include "sightline/distill/distilled_tree/leaf_lines.hpp"

namespace sightline::bindings {
namespace {

using distill::distilled_tree::LineOptions;
using model::LeafLines;
using model::LineArrays;

using Doubles = Array1<double>;

void check_columns(const model::Tree& tree, const BoundColumns& rows) {
  if (rows.columns.n_values() != tree.arrays().n_values) {
    throw std::invalid_argument("the columns differ from the model's features");
  }
}

std::shared_ptr<const LeafLines> fitted(model::TreePtr tree, const BoundColumns& rows, const Doubles& answers,
                                        const Doubles& weights, std::size_t max_columns) {
  check_columns(*tree, rows);
  if (answers.size() != rows.columns.n_rows() || weights.size() != rows.columns.n_rows()) {
    throw std::invalid_argument("answers and weights must match the rows");
  }
  const LineOptions options{.max_columns = max_columns};
  LineArrays lines = interruptible(nullptr, [&](runtime::StopPoll& poll) {
    return distill::distilled_tree::fit_lines(*tree, rows.columns, {answers.data(), answers.size()},
                                              {weights.data(), weights.size()}, options, poll);
  });
  return std::make_shared<const LeafLines>(std::move(tree), std::move(lines));
}

template <class T>
auto array_property(std::vector<T> LineArrays::* member) {
  return [member](nb::handle_t<LeafLines> self) {
    const std::vector<T>& values = nb::cast<const LeafLines&>(self).arrays().*member;
    return view(values.data(), {values.size()}, self);
  };
}

}  // namespace

void register_leaf_lines(nb::module_& m) {
  nb::class_<LeafLines>(m, "LeafLines", "Lines in the leaves of a tree of numbers.")
      .def(nb::new_([](model::TreePtr tree, const Array1<std::int64_t>& term_begin, const Array1<std::int32_t>& feature,
                       const Doubles& slope, const Doubles& center, const Doubles& low, const Doubles& high) {
             return std::make_shared<const LeafLines>(
                 std::move(tree),
                 LineArrays{copied(term_begin), copied(feature), copied(slope), copied(center), copied(low), copied(high)});
           }),
           nb::arg("tree"), nb::arg("term_begin"), nb::arg("feature"), nb::arg("slope"), nb::arg("center"), nb::arg("low"),
           nb::arg("high"), "Check and build; ValueError names the node at fault.")
      .def_static("fit", &fitted, nb::arg("tree"), nb::arg("rows"), nb::arg("answers"), nb::arg("weights"),
                  nb::arg("max_columns") = 2, "Fit a line to the rows of every leaf where that pays.")
      .def_prop_ro("term_begin", array_property(&LineArrays::term_begin), "Per node, and one more: first term.")
      .def_prop_ro("feature", array_property(&LineArrays::feature), "Per term: the feature, numeric.")
      .def_prop_ro("slope", array_property(&LineArrays::slope), "Per term: what one unit of the feature adds.")
      .def_prop_ro("center", array_property(&LineArrays::center), "Per term: where it adds nothing, as if missing.")
      .def_prop_ro("low", array_property(&LineArrays::low), "Per node: the smallest answer.")
      .def_prop_ro("high", array_property(&LineArrays::high), "Per node: the largest answer.")
      .def(
          "outputs",
          [](const LeafLines& self, const BoundColumns& rows, int n_threads) {
            check_columns(self.tree(), rows);
            NewArray<double> result({rows.columns.n_rows(), 1});
            interruptible(nullptr, [&](runtime::StopPoll& poll) { self.outputs(rows.columns, n_threads, poll, result.data()); });
            return result.release();
          },
          nb::arg("rows"), nb::arg("n_threads"), "Answer for every row, mixed where a tested value is missing.");
}

}  // namespace sightline::bindings
