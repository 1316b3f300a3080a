#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>

#include <optional>
#include <stdexcept>

#include "arrays.hpp"
#include "columns.hpp"
#include "interruptible.hpp"
#include "register.hpp"
#include "sightline/learn/c45/grow.hpp"
#include "sightline/learn/c45/prune.hpp"

namespace sightline::bindings {

namespace c45 = learn::c45;
namespace {

// A grown tree with everything that pruning it asks for.
struct C45Growth {
  nb::object rows;  // keeps the borrowed columns alive
  learn::TrainingSet training;
  c45::GrownTree tree;
};

learn::TrainingSet training_set(const BoundColumns& rows, const Array1<std::int32_t>& labels, std::int32_t n_classes,
                                const std::optional<Array1<double>>& weights, const std::optional<Array1<std::uint32_t>>& bag) {
  learn::TrainingSet training;
  training.columns = &rows.columns;
  training.n_classes = n_classes;
  const std::size_t n_rows = rows.columns.n_rows();
  if (labels.size() != n_rows) throw std::invalid_argument("one label per row is needed");
  if (weights && weights->size() != n_rows) throw std::invalid_argument("one weight per row is needed");
  const std::size_t n = bag ? bag->size() : n_rows;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = bag ? bag->data()[i] : i;
    if (row >= n_rows) throw std::invalid_argument("the bag names a row that does not exist");
    const std::int32_t label = labels.data()[row];
    if (label < 0 || label >= n_classes) throw std::invalid_argument("a label is out of range");
    const double weight = weights ? weights->data()[row] : 1.0;
    if (!(weight > 0)) continue;  // a row without weight is not there
    training.table_row.push_back(static_cast<std::uint32_t>(row));
    training.label.push_back(label);
    if (weights) training.weight.push_back(weight);
  }
  if (training.size() == 0) throw std::invalid_argument("there is no row to learn from");
  return training;
}

std::vector<std::uint32_t> checked_features(const Array1<std::uint32_t>& features, std::size_t n_columns) {
  for (std::size_t i = 0; i < features.size(); ++i) {
    if (features.data()[i] >= n_columns) throw std::invalid_argument("a feature does not exist");
    if (i > 0 && features.data()[i] <= features.data()[i - 1]) throw std::invalid_argument("the features must ascend");
  }
  return copied(features);
}

std::unique_ptr<C45Growth> grow(nb::handle_t<BoundColumns> rows, const Array1<std::int32_t>& labels, std::int32_t n_classes,
                                const std::optional<Array1<double>>& weights, const std::optional<Array1<std::uint32_t>>& bag,
                                const std::optional<Array1<std::uint32_t>>& features, const table::Orders* orders,
                                bool binary_splits, double min_leaf, bool mdl_correction, bool collapse, std::int32_t max_depth,
                                const runtime::StopFlag* stop) {
  auto growth = std::make_unique<C45Growth>();
  growth->rows = nb::borrow(rows);
  const auto& bound = nb::cast<const BoundColumns&>(rows);
  growth->training = training_set(bound, labels, n_classes, weights, bag);
  if (features) growth->training.candidates = checked_features(*features, bound.columns.size());
  const c45::Options options{binary_splits, min_leaf, mdl_correction, collapse, max_depth};
  interruptible(stop, [&](runtime::StopPoll& poll) {
    growth->tree = c45::grow(growth->training, options, orders, poll);
    if (collapse) c45::Trimmer().collapse(growth->tree, growth->training);
  });
  return growth;
}

model::TreePtr finish(const C45Growth& growth, bool prune, double confidence, double z, bool subtree_raising, bool laplace,
                      std::optional<std::size_t> max_leaves, const runtime::StopFlag* stop) {
  const c45::PruneOptions options{prune, confidence, z, subtree_raising, max_leaves};
  return interruptible(stop, [&](runtime::StopPoll& poll) {
    c45::GrownTree tree = growth.tree;
    c45::Trimmer().finish(tree, growth.training, options, poll);
    return c45::to_tree(tree, *growth.training.columns, laplace);
  });
}

}  // namespace

void register_c45(nb::module_& m) {
  nb::class_<table::Orders>(m, "Orders", "Rows in ascending order of each numeric column, shared by several learners.")
      .def(
          "__init__",
          [](table::Orders* self, const BoundColumns& rows) {
            interruptible(nullptr, [&](runtime::StopPoll& poll) { new (self) table::Orders(rows.columns, poll); });
          },
          nb::arg("rows"), "Sort every numeric column once.");

  nb::class_<C45Growth>(m, "C45Growth", "A C4.5 tree before pruning; it can be pruned at several levels.")
      .def(nb::new_(&grow), nb::arg("rows"), nb::arg("labels"), nb::arg("n_classes"), nb::arg("weights").none() = nb::none(),
           nb::arg("bag").none() = nb::none(), nb::arg("features").none() = nb::none(), nb::arg("orders").none() = nb::none(),
           nb::arg("binary_splits") = false, nb::arg("min_leaf") = 2.0, nb::arg("mdl_correction") = true,
           nb::arg("collapse") = true, nb::arg("max_depth") = -1, nb::arg("stop").none() = nb::none(),
           "Grow, and collapse unless told otherwise. A bag lists rows, repeated ones as often as drawn; features are the "
           "columns that may be tested, ascending.")
      .def("tree", &finish, nb::arg("prune"), nb::arg("confidence"), nb::arg("z"), nb::arg("subtree_raising"), nb::arg("laplace"),
           nb::arg("max_leaves").none() = nb::none(), nb::arg("stop").none() = nb::none(),
           "The finished tree. z is the normal quantile of 1 - confidence.");
}

}  // namespace sightline::bindings
