#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "register.hpp"
#include "sightline/model/box.hpp"

namespace sightline::bindings {

void register_box(nb::module_& m) {
  nb::class_<Box>(m, "Box", "What is still possible per feature: an interval (low, high] or a set of categories, and missing.")
      .def("__init__", [](Box* self, const std::vector<std::int32_t>& n_values) { new (self) Box(n_values); },
           nb::arg("n_values"), "Every row over these features (0 declared values: numeric).")
      .def("interval",
           [](const Box& self, std::size_t feature) {
             return std::make_pair(self.interval(feature).low, self.interval(feature).high);
           },
           nb::arg("feature"), "Bounds of a numeric feature: low excluded, high included.")
      .def("categories", &Box::categories, nb::arg("feature"), "Values that a nominal feature may still have.")
      .def("may_be_missing", &Box::may_be_missing, nb::arg("feature"), "Whether the value may be missing.")
      .def("may_be_known", &Box::may_be_known, nb::arg("feature"), "Whether some value is possible.")
      .def_prop_ro("empty", &Box::empty, "Whether no row is left.")
      .def("contains", [](const Box& self, const std::vector<double>& row) { return self.contains(row); }, nb::arg("row"),
           "Whether a row (codes for nominal values, NaN for missing) lies in the box.")
      .def("decide", &Box::decide, nb::arg("tree"), nb::arg("node"), "The branch that every row takes, or -1.")
      .def("narrow", &Box::narrow, nb::arg("tree"), nb::arg("node"), nb::arg("branch"), "Keep the rows that take this branch.")
      .def("forbid_missing", &Box::forbid_missing, nb::arg("feature"), "Keep the rows whose value is known.")
      .def("witness", &Box::witness, "Some row of the box.");
}

}  // namespace sightline::bindings
