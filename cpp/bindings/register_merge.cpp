#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "arrays.hpp"
#include "columns.hpp"
#include "interruptible.hpp"
#include "register.hpp"
#include "sightline/model/graph.hpp"
#include "sightline/model/tree.hpp"
#include "sightline/proof/merge.hpp"

namespace sightline::bindings {
namespace {

template <class Built>
auto merged_into(Built build) {
  return [build](model::EnsemblePtr ensemble, const model::LabelRule& rule, std::size_t n_classes,
                 std::vector<bool> may_be_missing, std::int64_t max_nodes, double max_seconds, const BoundColumns* rows,
                 double tolerance, bool smallest, bool weigh_rows, std::int64_t max_states) {
    if (may_be_missing.size() != ensemble->n_features()) throw std::invalid_argument("one entry per feature is required");
    proof::MergeOptions options;
    options.n_classes = n_classes;
    options.tolerance = tolerance;
    options.may_be_missing = std::move(may_be_missing);
    options.as_graph = std::is_same_v<decltype(build(model::TreeArrays{})), model::GraphPtr>;
    options.max_nodes = max_nodes;
    options.max_seconds = max_seconds;
    options.smallest = smallest;
    options.weigh_rows = weigh_rows;
    options.max_states = max_states;
    if (rows != nullptr) {
      if (rows->columns.size() != ensemble->n_features())
        throw std::invalid_argument("the columns differ from the model's features");
      options.rows = &rows->columns;
    }
    NewArray<bool> is_proved({});
    bool complete = false;
    std::int64_t n_boxes = 0;
    double cost = 0, least = 0;
    auto model = interruptible(nullptr, [&](runtime::StopPoll& poll) {
      proof::MergedNodes merged = proof::merge(std::move(ensemble), rule, options, poll);
      is_proved = NewArray<bool>({merged.is_proved.size()});
      std::copy(merged.is_proved.begin(), merged.is_proved.end(), is_proved.data());
      complete = merged.complete;
      n_boxes = merged.n_boxes;
      cost = merged.cost;
      least = merged.least;
      return build(std::move(merged.arrays));
    });
    return std::make_tuple(std::move(model), is_proved.release(), complete, n_boxes, cost, least);
  };
}

}  // namespace

void register_merge(nb::module_& m) {
  const char* what =
      "The tree or graph with the ensemble's labels (numbers if it has no classes), which nodes are proved, whether all is, "
      "the boxes it took and, from a search for the smallest, its cost and the least that any costs.";
  m.def("merge_to_tree", merged_into(&model::build_tree), nb::arg("ensemble"), nb::arg("rule"), nb::arg("n_classes"),
        nb::arg("may_be_missing"), nb::arg("max_nodes"), nb::arg("max_seconds"), nb::arg("rows").none(),
        nb::arg("tolerance") = 0.0, nb::arg("smallest") = false, nb::arg("weigh_rows") = false,
        nb::arg("max_states") = proof::MergeOptions().max_states, what);
  m.def("merge_to_graph", merged_into(&model::build_graph), nb::arg("ensemble"), nb::arg("rule"), nb::arg("n_classes"),
        nb::arg("may_be_missing"), nb::arg("max_nodes"), nb::arg("max_seconds"), nb::arg("rows").none(),
        nb::arg("tolerance") = 0.0, nb::arg("smallest") = false, nb::arg("weigh_rows") = false,
        nb::arg("max_states") = proof::MergeOptions().max_states, what);
}

}  // namespace sightline::bindings
