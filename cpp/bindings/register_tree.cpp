#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "register.hpp"
#include "sightline/model/tree.hpp"

namespace sightline::bindings {
namespace {

using Doubles = Array1<double>;
using Ints = Array1<std::int32_t>;
using Longs = Array1<std::int64_t>;

TreePtr make_tree(std::vector<std::int32_t> n_values, std::size_t n_outputs, const Array1<std::uint8_t>& test,
                  const Ints& feature, const Doubles& threshold, const Longs& branch_begin, const Ints& child,
                  const Doubles& share, const Longs& category_begin, const Ints& category, const Doubles& weight,
                  const Doubles& output, const Doubles& counts) {
  TreeArrays a;
  a.n_values = std::move(n_values);
  a.n_outputs = n_outputs;
  for (std::size_t v = 0; v < test.size(); ++v) a.test.push_back(static_cast<Test>(test.data()[v]));
  a.feature = copied(feature);
  a.threshold = copied(threshold);
  a.branch_begin = copied(branch_begin);
  a.child = copied(child);
  a.share = copied(share);
  a.category_begin = copied(category_begin);
  a.category = copied(category);
  a.weight = copied(weight);
  a.output = copied(output);
  a.counts = copied(counts);
  nb::gil_scoped_release unlock;
  return build_tree(std::move(a));
}

template <class T>
auto array_property(std::vector<T> TreeArrays::* member) {
  return [member](nb::handle_t<Tree> self) {
    const std::vector<T>& values = nb::cast<const Tree&>(self).arrays().*member;
    return view(values.data(), {values.size()}, self);
  };
}

auto matrix_property(std::vector<double> TreeArrays::* member) {
  return [member](nb::handle_t<Tree> self) {
    const Tree& tree = nb::cast<const Tree&>(self);
    const std::vector<double>& values = tree.arrays().*member;
    return view(values.data(), {values.empty() ? 0 : tree.n_nodes(), tree.n_outputs()}, self);
  };
}

}  // namespace

void register_tree(nb::module_& m) {
  nb::class_<Tree>(m, "Tree", "A decision tree as parallel node arrays, valid by construction, nodes depth first.")
      .def(nb::new_(&make_tree), nb::arg("n_values"), nb::arg("n_outputs"), nb::arg("test"), nb::arg("feature"),
           nb::arg("threshold"), nb::arg("branch_begin"), nb::arg("child"), nb::arg("share"), nb::arg("category_begin"),
           nb::arg("category"), nb::arg("weight"), nb::arg("output"), nb::arg("counts"),
           "Check and build. Nodes may come in any order, the root first; ValueError names the node at fault.")
      .def_prop_ro("n_nodes", &Tree::n_nodes, "Number of nodes, leaves included.")
      .def_prop_ro("n_leaves", &Tree::n_leaves, "Number of leaves.")
      .def_prop_ro("depth", &Tree::depth, "Tests on the longest path.")
      .def_prop_ro("n_features", &Tree::n_features, "Number of features that the tree may test.")
      .def_prop_ro("n_outputs", &Tree::n_outputs, "Number of values that a leaf gives.")
      .def_prop_ro("used_features", &Tree::used_features, "Features that some node tests, ascending.")
      .def_prop_ro("n_values", [](const Tree& self) { return self.arrays().n_values; },
                   "Declared values per feature, 0 where numeric.")
      .def_prop_ro(
          "test",
          [](nb::handle_t<Tree> self) {
            const auto& test = nb::cast<const Tree&>(self).arrays().test;
            return view(reinterpret_cast<const std::uint8_t*>(test.data()), {test.size()}, self);
          },
          "Per node: 0 leaf, 1 threshold, 2 subset, 3 multiway.")
      .def_prop_ro(
          "level",
          [](nb::handle_t<Tree> self) {
            const auto& levels = nb::cast<const Tree&>(self).levels();
            return view(levels.data(), {levels.size()}, self);
          },
          "Per node: tests between the root and it.")
      .def_prop_ro("feature", array_property(&TreeArrays::feature), "Per node: the tested feature, -1 at leaves.")
      .def_prop_ro("threshold", array_property(&TreeArrays::threshold), "Per node: branch 0 is x <= threshold.")
      .def_prop_ro("branch_begin", array_property(&TreeArrays::branch_begin), "Per node, and one more: first branch.")
      .def_prop_ro("child", array_property(&TreeArrays::child), "Per branch: the node it leads to.")
      .def_prop_ro("share", array_property(&TreeArrays::share), "Per branch: its share of rows whose value is missing.")
      .def_prop_ro("category_begin", array_property(&TreeArrays::category_begin), "Per node, and one more: first category.")
      .def_prop_ro("category", array_property(&TreeArrays::category), "Categories of subset tests that take branch 0.")
      .def_prop_ro("weight", array_property(&TreeArrays::weight), "Per node: training weight.")
      .def_prop_ro("output", matrix_property(&TreeArrays::output), "Per node: n_outputs values.")
      .def_prop_ro("counts", matrix_property(&TreeArrays::counts), "Per node: training class counts, or no rows if unknown.");
}

}  // namespace sightline::bindings
