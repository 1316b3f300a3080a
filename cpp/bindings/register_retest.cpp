#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "arrays.hpp"
#include "interruptible.hpp"
#include "register.hpp"
#include "sightline/load/distinct_tests.hpp"
#include "sightline/load/retest.hpp"

namespace sightline::bindings {
namespace {

// Trees together with their distinct tests.
struct TestedTrees {
  std::vector<model::TreePtr> trees;
  load::DistinctTests tests;
};

template <class T>
auto test_property(std::vector<T> load::DistinctTests::* member) {
  return [member](nb::handle_t<TestedTrees> self) {
    const std::vector<T>& values = nb::cast<const TestedTrees&>(self).tests.*member;
    return view(values.data(), {values.size()}, self);
  };
}

std::shared_ptr<const TestedTrees> make_tested_trees(std::vector<model::TreePtr> trees) {
  nb::gil_scoped_release unlock;
  load::DistinctTests tests = load::distinct_tests(trees);
  return std::make_shared<const TestedTrees>(TestedTrees{std::move(trees), std::move(tests)});
}

std::vector<model::TreePtr> make_retested(const TestedTrees& self, std::vector<std::int32_t> n_values,
                                          const Array1<std::int32_t>& feature, const Array1<std::int8_t>& first_branch,
                                          const Array1<std::int64_t>& bound_begin, const Array1<double>& bound,
                                          const Array1<std::int64_t>& category_begin, const Array1<std::int32_t>& category,
                                          const Array1<std::int8_t>& missing, std::size_t max_nodes) {
  const load::ColumnTests tests{std::move(n_values), copied(feature),        copied(first_branch), copied(bound_begin),
                                copied(bound),       copied(category_begin), copied(category),     copied(missing)};
  return interruptible(
      nullptr, [&](runtime::StopPoll& poll) { return load::retested(self.trees, self.tests.of_node, tests, max_nodes, poll); });
}

}  // namespace

void register_retest(nb::module_& m) {
  nb::class_<TestedTrees>(m, "TestedTrees", "Trees and their distinct tests, to be rebuilt over other columns.")
      .def(nb::new_(&make_tested_trees), nb::arg("trees"), "Collect the tests.")
      .def_prop_ro(
          "kind",
          [](nb::handle_t<TestedTrees> self) {
            const auto& kind = nb::cast<const TestedTrees&>(self).tests.kind;
            return view(reinterpret_cast<const std::uint8_t*>(kind.data()), {kind.size()}, self);
          },
          "Per test: 1 threshold, 2 subset, 3 multiway.")
      .def_prop_ro("feature", test_property(&load::DistinctTests::feature), "Per test: the tested feature.")
      .def_prop_ro("threshold", test_property(&load::DistinctTests::threshold), "Per test: branch 0 is x <= threshold.")
      .def_prop_ro("missing", test_property(&load::DistinctTests::missing),
                   "Per test: the branch of missing values, -1 if several share them.")
      .def_prop_ro("category_begin", test_property(&load::DistinctTests::category_begin),
                   "Per test, and one more: first category.")
      .def_prop_ro("category", test_property(&load::DistinctTests::category), "Categories of subset tests that take branch 0.")
      .def("retested", &make_retested, nb::arg("n_values"), nb::arg("feature"), nb::arg("first_branch"), nb::arg("bound_begin"),
           nb::arg("bound"), nb::arg("category_begin"), nb::arg("category"), nb::arg("missing"), nb::arg("max_nodes"),
           "The trees with another test of another column in place of each distinct test.");
}

}  // namespace sightline::bindings
