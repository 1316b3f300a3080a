#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <span>
#include <stdexcept>

#include "arrays.hpp"
#include "columns.hpp"
#include "interruptible.hpp"
#include "register.hpp"
#include "sightline/load/binary_nodes.hpp"
#include "sightline/load/single_threshold.hpp"
#include "sightline/model/graph.hpp"
#include "sightline/model/routes.hpp"
#include "sightline/model/row_blocks.hpp"
#include "sightline/model/tree.hpp"

namespace sightline::bindings {
namespace {

using Doubles = Array1<double>;
using Ints = Array1<std::int32_t>;
using Longs = Array1<std::int64_t>;

model::TreeArrays arrays_of(std::vector<std::int32_t> n_values, std::size_t n_outputs, const Array1<std::uint8_t>& test,
                            const Ints& feature, const Doubles& threshold, const Longs& branch_begin, const Ints& child,
                            const Doubles& share, const Longs& category_begin, const Ints& category, const Doubles& weight,
                            const Doubles& output, const Doubles& counts) {
  model::TreeArrays a;
  a.n_values = std::move(n_values);
  a.n_outputs = n_outputs;
  for (std::size_t v = 0; v < test.size(); ++v) a.test.push_back(static_cast<model::Test>(test.data()[v]));
  a.feature = copied(feature);
  a.threshold = copied(threshold);
  a.branch_begin = copied(branch_begin);
  a.child = copied(child);
  a.share = copied(share);
  a.category_begin = copied(category_begin);
  a.category = copied(category);
  a.weight = copied(weight);
  a.output = {n_outputs, copied(output)};
  a.counts = {n_outputs, copied(counts)};
  return a;
}

template <class T>
std::span<const T> borrowed(const Array1<T>& array) {
  return {array.data(), array.size()};
}

std::vector<model::TreePtr> make_binary_trees(std::vector<std::int32_t> n_values, std::size_t n_outputs,
                                              const Array1<bool>& is_leaf, const Longs& feature, const Doubles& threshold,
                                              const Longs& left, const Longs& right, const Array1<bool>& missing_goes_left,
                                              const Doubles& weight, const Doubles& output, const Doubles& counts,
                                              const Array1<bool>& is_subset, const Longs& category_begin, const Ints& category,
                                              bool leaves_only, const std::optional<Longs>& tree_begin, std::size_t first) {
  load::BinaryNodes nodes{std::move(n_values), n_outputs,
                          borrowed(is_leaf),   borrowed(feature),
                          borrowed(left),      borrowed(right),
                          borrowed(threshold), borrowed(missing_goes_left),
                          borrowed(is_subset), copied(category_begin),
                          copied(category),    borrowed(weight),
                          borrowed(output),    borrowed(counts),
                          leaves_only};
  nb::gil_scoped_release unlock;
  if (!tree_begin) return {load::build_binary_tree(nodes)};
  return load::build_binary_trees(nodes, borrowed(*tree_begin), first);
}

template <void (*convert)(std::span<double>), class T>
nb::ndarray<nb::numpy, double> converted(const Array1<T>& thresholds) {
  NewArray<double> result({thresholds.size()}, Fill::kNothing);
  std::copy_n(thresholds.data(), thresholds.size(), result.data());
  convert({result.data(), thresholds.size()});
  return result.release();
}

template <void (*convert)(std::span<double>)>
void define_conversion(nb::module_& m, const char* name, const char* what) {
  m.def(name, &converted<convert, double>, nb::arg("thresholds").noconvert(), what);
  m.def(name, &converted<convert, float>, nb::arg("thresholds").noconvert(), what);
}

template <class... Args>
model::TreePtr make_tree(Args... args) {
  model::TreeArrays a = arrays_of(args...);
  nb::gil_scoped_release unlock;
  return model::build_tree(std::move(a));
}

template <class... Args>
model::GraphPtr make_graph(Args... args) {
  model::TreeArrays a = arrays_of(args...);
  nb::gil_scoped_release unlock;
  return model::build_graph(std::move(a));
}

template <class T>
auto array_property(std::vector<T> model::TreeArrays::* member) {
  return [member](nb::handle_t<model::DecisionNodes> self) {
    const std::vector<T>& values = nb::cast<const model::DecisionNodes&>(self).arrays().*member;
    return view(values.data(), {values.size()}, self);
  };
}

// A view of numbers in full, else a copy with the zeros that the tree leaves out.
auto matrix_property(model::NumberRows<double> model::TreeArrays::* member) {
  return [member](nb::handle_t<model::DecisionNodes> self) {
    const model::DecisionNodes& nodes = nb::cast<const model::DecisionNodes&>(self);
    const model::NumberRows<double>& rows = nodes.arrays().*member;
    if (rows.in_full() != nullptr || rows.empty()) return view(rows.in_full(), {rows.size(), nodes.n_outputs()}, self);
    NewArray<double> copy({rows.size(), rows.width()});
    for (std::size_t v = 0; v < rows.size(); ++v) rows[v].copy_to(copy.data() + v * rows.width());
    return copy.release_read_only();
  };
}

template <class Class, class Make>
void define_constructor(Class& made, Make* make) {
  made.def(nb::new_(make), nb::arg("n_values"), nb::arg("n_outputs"), nb::arg("test"), nb::arg("feature"), nb::arg("threshold"),
           nb::arg("branch_begin"), nb::arg("child"), nb::arg("share"), nb::arg("category_begin"), nb::arg("category"),
           nb::arg("weight"), nb::arg("output"), nb::arg("counts"),
           "Check and build. Nodes may come in any order, the root first; ValueError names the node at fault.");
}

void check_columns(const model::DecisionNodes& nodes, const BoundColumns& rows) {
  if (rows.columns.n_values() != nodes.arrays().n_values)
    throw std::invalid_argument("the columns differ from the model's features");
}

auto passing(const model::DecisionNodes& nodes, const BoundColumns& rows, const std::optional<Ints>& labels, std::size_t n_labels,
             const std::optional<Doubles>& weights) {
  check_columns(nodes, rows);
  const std::size_t n_rows = rows.columns.n_rows();
  if ((labels && labels->size() != n_rows) || (weights && weights->size() != n_rows)) {
    throw std::invalid_argument("labels and weights must match the rows");
  }
  for (std::size_t i = 0; labels && i < n_rows; ++i) {
    if (labels->data()[i] < 0 || static_cast<std::size_t>(labels->data()[i]) >= n_labels)
      throw std::invalid_argument("a label is out of range");
  }
  NewArray<double> result({nodes.n_nodes(), n_labels});
  interruptible(nullptr, [&](runtime::StopPoll& poll) {
    std::vector<double> part;
    model::for_each_block(rows.columns, 1, poll, [&](std::size_t begin, std::size_t end, const double* block, bool) {
      for (std::size_t i = begin; i < end; ++i) {
        const double amount = weights ? weights->data()[i] : 1.0;
        const std::size_t label = labels ? labels->data()[i] : 0;
        model::add_passing(nodes, block + (i - begin) * nodes.n_features(), amount, part, result.data() + label, n_labels);
      }
    });
  });
  return result.release();
}

using FindLeaf = model::NodeId (*)(const model::DecisionNodes&, const double*);

nb::ndarray<nb::numpy, model::NodeId> leaves_of(const model::DecisionNodes& nodes, const BoundColumns& rows, int n_threads,
                                                FindLeaf find) {
  check_columns(nodes, rows);
  NewArray<model::NodeId> result({rows.columns.n_rows()});
  interruptible(nullptr, [&](runtime::StopPoll& poll) {
    model::for_each_block(rows.columns, n_threads, poll, [&](std::size_t begin, std::size_t end, const double* block, bool) {
      for (std::size_t i = begin; i < end; ++i) result.data()[i] = find(nodes, block + (i - begin) * nodes.n_features());
    });
  });
  return result.release();
}

template <class T>
auto route_property(std::vector<T> model::Routes::* member) {
  return [member](nb::handle_t<model::Routes> self) {
    const std::vector<T>& values = nb::cast<const model::Routes&>(self).*member;
    return view(values.data(), {values.size()}, self);
  };
}

}  // namespace

static void register_routes(nb::module_& m) {
  nb::class_<model::Routes>(m, "Routes", "The different ways that rows take through a tree or graph, each once.")
      .def_prop_ro("n_routes", &model::Routes::size, "Number of different routes.")
      .def_prop_ro("route_of", route_property(&model::Routes::route_of), "Per row: its route.")
      .def_prop_ro("begin", route_property(&model::Routes::begin), "Per route, and one more: first edge.")
      .def_prop_ro("node", route_property(&model::Routes::node), "Per edge: the test that it leaves, ascending in a route.")
      .def_prop_ro("branch", route_property(&model::Routes::branch), "Per edge: the branch of that test.")
      .def_prop_ro("missing", route_property(&model::Routes::missing), "Per edge: 1 if the tested value is missing.")
      .def_prop_ro("part", route_property(&model::Routes::part), "Per edge: how much of a row takes it.");
}

// What trees and graphs have in common.
static void register_nodes(nb::module_& m) {
  nb::class_<model::DecisionNodes>(m, "DecisionNodes",
                                   "Decision nodes as parallel arrays, valid by construction, children behind parents.")
      .def_prop_ro("n_nodes", &model::DecisionNodes::n_nodes, "Number of nodes, leaves included.")
      .def_prop_ro("n_leaves", &model::DecisionNodes::n_leaves, "Number of leaves.")
      .def_prop_ro("depth", &model::DecisionNodes::depth, "Tests on the longest path.")
      .def_prop_ro("n_features", &model::DecisionNodes::n_features, "Number of features that nodes may test.")
      .def_prop_ro("n_outputs", &model::DecisionNodes::n_outputs, "Number of values that a leaf gives.")
      .def_prop_ro("used_features", &model::DecisionNodes::used_features, "Features that some node tests, ascending.")
      .def_prop_ro(
          "n_values", [](const model::DecisionNodes& self) { return self.arrays().n_values; },
          "Declared values per feature, 0 where numeric.")
      .def_prop_ro(
          "test",
          [](nb::handle_t<model::DecisionNodes> self) {
            const auto& test = nb::cast<const model::DecisionNodes&>(self).arrays().test;
            return view(reinterpret_cast<const std::uint8_t*>(test.data()), {test.size()}, self);
          },
          "Per node: 0 leaf, 1 threshold, 2 subset, 3 multiway.")
      .def_prop_ro(
          "level",
          [](nb::handle_t<model::DecisionNodes> self) {
            const auto& levels = nb::cast<const model::DecisionNodes&>(self).levels();
            return view(levels.data(), {levels.size()}, self);
          },
          "Per node: tests between the root and it.")
      .def_prop_ro("feature", array_property(&model::TreeArrays::feature), "Per node: the tested feature, -1 at leaves.")
      .def_prop_ro("threshold", array_property(&model::TreeArrays::threshold), "Per node: branch 0 is x <= threshold.")
      .def_prop_ro("branch_begin", array_property(&model::TreeArrays::branch_begin), "Per node, and one more: first branch.")
      .def_prop_ro("child", array_property(&model::TreeArrays::child), "Per branch: the node it leads to.")
      .def_prop_ro("share", array_property(&model::TreeArrays::share), "Per branch: its share of rows whose value is missing.")
      .def_prop_ro("category_begin", array_property(&model::TreeArrays::category_begin),
                   "Per node, and one more: first category.")
      .def_prop_ro("category", array_property(&model::TreeArrays::category), "Categories of subset tests that take branch 0.")
      .def_prop_ro("weight", array_property(&model::TreeArrays::weight), "Per node: training weight.")
      .def_prop_ro("output", matrix_property(&model::TreeArrays::output), nb::rv_policy::automatic, "Per node: n_outputs values.")
      .def_prop_ro("counts", matrix_property(&model::TreeArrays::counts), nb::rv_policy::automatic,
                   "Per node: training class counts, or no rows if unknown.")
      .def(
          "find_leaves",
          [](const model::DecisionNodes& self, const BoundColumns& rows, int n_threads) {
            return leaves_of(self, rows, n_threads, &model::find_leaf);
          },
          nb::arg("rows"), nb::arg("n_threads"), "Leaf of every row; a missing value follows the largest share.")
      .def(
          "find_whole_leaves",
          [](const model::DecisionNodes& self, const BoundColumns& rows, int n_threads) {
            return leaves_of(self, rows, n_threads, &model::find_whole_leaf);
          },
          nb::arg("rows"), nb::arg("n_threads"), "Leaf of every row, -1 where a missing value spreads it over several.")
      .def(
          "find_routes",
          [](const model::DecisionNodes& self, const BoundColumns& rows) {
            check_columns(self, rows);
            return interruptible(nullptr, [&](runtime::StopPoll& poll) { return model::find_routes(self, rows.columns, poll); });
          },
          nb::arg("rows"), "The way of every row: the edges that it takes, several where a missing value spreads it.")
      .def(
          "passing",
          [](const model::DecisionNodes& self, const BoundColumns& rows, const std::optional<Ints>& labels, std::size_t n_labels,
             const std::optional<Doubles>& weights) { return passing(self, rows, labels, n_labels, weights); },
          nb::arg("rows"), nb::arg("labels") = nb::none(), nb::arg("n_labels") = 1, nb::arg("weights") = nb::none(),
          "Per node and label: the weight of the rows that pass it; parts of rows where missing values spread them.")
      .def(
          "shared",
          [](const model::DecisionNodes& self) {
            return interruptible(nullptr, [&](runtime::StopPoll& poll) { return model::shared_subtrees(self, poll); });
          },
          "The graph that stores equal subtrees once.");
}

void register_tree(nb::module_& m) {
  register_routes(m);
  register_nodes(m);
  m.attr("LEAF") = static_cast<int>(model::Test::kLeaf);
  m.attr("THRESHOLD") = static_cast<int>(model::Test::kThreshold);
  m.attr("SUBSET") = static_cast<int>(model::Test::kSubset);
  m.attr("MULTIWAY") = static_cast<int>(model::Test::kMultiway);
  nb::class_<model::Tree, model::DecisionNodes> tree(
      m, "Tree", "A decision tree as parallel node arrays, valid by construction, nodes depth first.");
  define_constructor(tree, &make_tree<std::vector<std::int32_t>, std::size_t, Array1<std::uint8_t>, Ints, Doubles, Longs, Ints,
                                      Doubles, Longs, Ints, Doubles, Doubles, Doubles>);

  tree.def(
      "with_output",
      [](const model::Tree& self,
         const nb::ndarray<nb::numpy, const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& output) {
        if (output.shape(0) != self.n_nodes()) throw std::invalid_argument("the output must have one row per node");
        model::TreeArrays arrays = self.arrays();
        arrays.n_outputs = output.shape(1);
        arrays.output = {output.shape(1), {output.data(), output.data() + output.size()}};
        arrays.counts = {};
        nb::gil_scoped_release unlock;
        return model::build_tree(std::move(arrays));
      },
      nb::arg("output"), "The tree with another output per node, and without counts.");

  m.def("binary_trees", &make_binary_trees, nb::arg("n_values"), nb::arg("n_outputs"), nb::arg("is_leaf"), nb::arg("feature"),
        nb::arg("threshold"), nb::arg("left"), nb::arg("right"), nb::arg("missing_goes_left"), nb::arg("weight"),
        nb::arg("output"), nb::arg("counts"), nb::arg("is_subset"), nb::arg("category_begin"), nb::arg("category"),
        nb::arg("leaves_only"), nb::arg("tree_begin").none() = nb::none(), nb::arg("first") = 0,
        "Check and build trees of nodes with two children. Tree k has the nodes from tree_begin[k] to tree_begin[k + 1]; without "
        "tree_begin, all are one tree. Errors count trees from `first` on. With leaves_only, inner outputs become means of the "
        "leaves'.");

  define_conversion<load::single_at_most>(m, "single_at_most", "d with float32(x) <= threshold exactly where x <= d.");
  define_conversion<load::single_below>(m, "single_below", "d with float32(x) < threshold exactly where x <= d.");

  nb::class_<model::Graph, model::DecisionNodes> graph(
      m, "Graph", "A decision graph: a node may have several parents and comes after all of them.");
  define_constructor(graph, &make_graph<std::vector<std::int32_t>, std::size_t, Array1<std::uint8_t>, Ints, Doubles, Longs, Ints,
                                        Doubles, Longs, Ints, Doubles, Doubles, Doubles>);
  graph.def_prop_ro("n_paths", &model::Graph::n_paths, "Paths to leaves: the leaves of the tree that the graph stands for.")
      .def_prop_ro("n_conditions", &model::Graph::n_conditions, "Tests on all those paths together.")
      .def(
          "outputs",
          [](const model::Graph& self, const BoundColumns& rows, int n_threads) {
            check_columns(self, rows);
            NewArray<double> result({rows.columns.n_rows(), self.n_outputs()});
            interruptible(nullptr, [&](runtime::StopPoll& poll) { self.outputs(rows.columns, n_threads, poll, result.data()); });
            return result.release();
          },
          nb::arg("rows"), nb::arg("n_threads"), "Output of every row, mixed where a value is missing.");
}

}  // namespace sightline::bindings
