#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>

#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

#include "arrays.hpp"
#include "columns.hpp"
#include "interruptible.hpp"
#include "register.hpp"
#include "sightline/learn/c45/error_estimate.hpp"
#include "sightline/learn/c45/grow.hpp"
#include "sightline/learn/c45/options.hpp"
#include "sightline/learn/c45/prune.hpp"

namespace sightline::bindings {

namespace c45 = learn::c45;
namespace {

// Python integers have no upper limit, but no tree has more leaves or a longer path than this.
constexpr std::int32_t kNoLimit = std::numeric_limits<std::int32_t>::max();

std::int32_t clamped(nb::handle limit, std::int32_t least, const char* name) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(nb::int_(limit).ptr(), &overflow);
  if (overflow < 0 || (overflow == 0 && value < least)) {
    throw std::invalid_argument(std::string(name) + " must be " + std::to_string(least) + " or more");
  }
  return overflow > 0 || value > kNoLimit ? kNoLimit : static_cast<std::int32_t>(value);
}

void make_options(c45::Options* self, bool binary_splits, bool prune, double confidence, double min_leaf, bool subtree_raising,
                  bool collapse, bool mdl_correction, bool laplace, const nb::object& max_depth, const nb::object& max_leaves,
                  bool tabulated_limits) {
  if (!(confidence > 0 && confidence < 1)) throw std::invalid_argument("confidence must lie between 0 and 1");
  if (!(min_leaf > 0)) throw std::invalid_argument("min_leaf must be positive");
  c45::Options options;
  options.grow = {binary_splits, min_leaf, mdl_correction, collapse, -1};
  options.prune = {prune, confidence, tabulated_limits, subtree_raising, {}};
  options.laplace = laplace;
  if (!max_depth.is_none()) options.grow.max_depth = clamped(max_depth, 0, "max_depth");
  if (!max_leaves.is_none()) options.prune.max_leaves = clamped(max_leaves, 1, "max_leaves");
  new (self) c45::Options(options);
}

// A grown tree with everything that pruning it needs.
struct C45Growth {
  nb::object rows;  // keeps the borrowed columns alive
  c45::Options options;
  learn::TrainingSet training;
  c45::GrownTree tree;
};

learn::TrainingSet training_set(const BoundColumns& rows, const Array1<std::int32_t>& labels, std::int32_t n_classes,
                                const std::optional<Array1<double>>& weights, const std::optional<Array1<std::uint32_t>>& bag) {
  learn::TrainingSet training;
  training.columns = &rows.columns;
  training.n_classes = n_classes;
  const std::size_t n_rows = rows.columns.n_rows();
  if (labels.size() != n_rows) throw std::invalid_argument("one label per row is required");
  if (weights && weights->size() != n_rows) throw std::invalid_argument("one weight per row is required");
  const std::size_t n = bag ? bag->size() : n_rows;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = bag ? bag->data()[i] : i;
    if (row >= n_rows) throw std::invalid_argument("the bag contains a row that does not exist");
    const std::int32_t label = labels.data()[row];
    if (label < 0 || label >= n_classes) throw std::invalid_argument("a label is out of range");
    const double weight = weights ? weights->data()[row] : 1.0;
    if (!(weight > 0)) continue;  // rows without weight are left out
    training.table_row.push_back(static_cast<std::uint32_t>(row));
    training.label.push_back(label);
    if (weights) training.weight.push_back(weight);
  }
  if (training.size() == 0) throw std::invalid_argument("there is no training row");
  return training;
}

std::vector<std::uint32_t> checked_features(const Array1<std::uint32_t>& features, std::size_t n_columns) {
  for (std::size_t i = 0; i < features.size(); ++i) {
    if (features.data()[i] >= n_columns) throw std::invalid_argument("a feature is out of range");
    if (i > 0 && features.data()[i] <= features.data()[i - 1]) throw std::invalid_argument("the features must be ascending");
  }
  return copied(features);
}

std::unique_ptr<C45Growth> grow(nb::handle_t<BoundColumns> rows, const Array1<std::int32_t>& labels, std::int32_t n_classes,
                                const c45::Options& options, const std::optional<Array1<double>>& weights,
                                const std::optional<Array1<std::uint32_t>>& bag,
                                const std::optional<Array1<std::uint32_t>>& features, const table::Orders* orders,
                                const runtime::StopFlag* stop) {
  auto growth = std::make_unique<C45Growth>();
  growth->rows = nb::borrow(rows);
  growth->options = options;
  const auto& bound = nb::cast<const BoundColumns&>(rows);
  growth->training = training_set(bound, labels, n_classes, weights, bag);
  if (features) growth->training.candidates = checked_features(*features, bound.columns.size());
  interruptible(stop, [&](runtime::StopPoll& poll) {
    growth->tree = c45::grow(growth->training, options.grow, orders, poll);
    if (options.grow.collapse) c45::Trimmer().collapse(growth->tree, growth->training);
  });
  return growth;
}

model::TreePtr pruned_tree(const C45Growth& growth, std::optional<double> confidence, const runtime::StopFlag* stop) {
  c45::PruneOptions options = growth.options.prune;
  options.confidence = confidence.value_or(options.confidence);
  return interruptible(stop, [&](runtime::StopPoll& poll) {
    c45::GrownTree tree = growth.tree;
    c45::Trimmer().prune(tree, growth.training, options, poll);
    return c45::to_tree(tree, *growth.training.columns, growth.options.laplace);
  });
}

}  // namespace

void register_c45(nb::module_& m) {
  nb::class_<table::Orders>(m, "Orders", "The sort order of each numeric column, shared by several learners.")
      .def(
          "__init__",
          [](table::Orders* self, const BoundColumns& rows) {
            interruptible(nullptr, [&](runtime::StopPoll& poll) { new (self) table::Orders(rows.columns, poll); });
          },
          nb::arg("rows"), "Sort every numeric column once.");

  nb::class_<c45::Options>(m, "C45Options", "The options of C4.5, checked and with clamped limits.")
      .def("__init__", &make_options, nb::arg("binary_splits") = false, nb::arg("prune") = true, nb::arg("confidence") = 0.25,
           nb::arg("min_leaf") = 2.0, nb::arg("subtree_raising") = true, nb::arg("collapse") = true,
           nb::arg("mdl_correction") = true, nb::arg("laplace") = false, nb::arg("max_depth").none() = nb::none(),
           nb::arg("max_leaves").none() = nb::none(), nb::arg("tabulated_limits") = false,
           nb::sig("def __init__(self, binary_splits: bool = False, prune: bool = True, confidence: float = 0.25, "
                   "min_leaf: float = 2.0, subtree_raising: bool = True, collapse: bool = True, mdl_correction: bool = True, "
                   "laplace: bool = False, max_depth: int | None = None, max_leaves: int | None = None, "
                   "tabulated_limits: bool = False) -> None"),
           "As in C45Classifier.")
      .def_prop_ro(
          "z",
          [](const c45::Options& self) { return c45::ErrorEstimate(self.prune.confidence, self.prune.tabulated_limits).z(); },
          "The normal quantile of 1 - confidence, finite for every confidence.");

  nb::class_<C45Growth>(m, "C45Growth", "A C4.5 tree before pruning. It can be pruned with several confidences.")
      .def(nb::new_(&grow), nb::arg("rows"), nb::arg("labels"), nb::arg("n_classes"), nb::arg("options"),
           nb::arg("weights").none() = nb::none(), nb::arg("bag").none() = nb::none(), nb::arg("features").none() = nb::none(),
           nb::arg("orders").none() = nb::none(), nb::arg("stop").none() = nb::none(),
           "Grow and collapse a tree. A bag lists rows, repeated as often as drawn. Features are the columns to test, ascending.")
      .def("tree", &pruned_tree, nb::arg("confidence").none() = nb::none(), nb::arg("stop").none() = nb::none(),
           "The pruned tree, with the confidence of the options or another one.");
}

}  // namespace sightline::bindings
