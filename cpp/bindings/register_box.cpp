#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "register.hpp"
#include "sightline/proof/box.hpp"

namespace sightline::bindings {
namespace {

std::size_t checked_feature(const proof::Box& box, std::size_t feature) {
  if (feature >= box.n_features()) {
    throw std::out_of_range("feature " + std::to_string(feature) + " does not exist (there are " +
                            std::to_string(box.n_features()) + ")");
  }
  return feature;
}

void check_node(const proof::Box& box, const model::DecisionNodes& tree, model::NodeId node) {
  bool same = tree.n_features() == box.n_features();
  for (std::size_t f = 0; same && f < box.n_features(); ++f) {
    same = static_cast<std::size_t>(tree.arrays().n_values[f]) == box.n_values(f);
  }
  if (!same) throw std::invalid_argument("the tree's features differ from the box's");
  if (node < 0 || static_cast<std::size_t>(node) >= tree.n_nodes()) {
    throw std::out_of_range("node " + std::to_string(node) + " does not exist (the tree has " + std::to_string(tree.n_nodes()) +
                            ")");
  }
}

bool contains(const proof::Box& box, const std::vector<double>& row) {
  if (row.size() != box.n_features()) {
    throw std::invalid_argument("the row has length " + std::to_string(row.size()) + "; expected " +
                                std::to_string(box.n_features()));
  }
  for (std::size_t f = 0; f < row.size(); ++f) {
    const double n_values = static_cast<double>(box.n_values(f));
    // Not a code of any declared value.
    if (n_values > 0 && (row[f] < 0 || row[f] >= n_values || row[f] != std::floor(row[f])) && !std::isnan(row[f])) return false;
  }
  return box.contains(row);
}

}  // namespace

void register_box(nb::module_& m) {
  nb::class_<proof::Box>(m, "Box",
                         "What is still possible per feature: an interval (low, high] or a set of categories, and missing.")
      .def(
          "__init__", [](proof::Box* self, const std::vector<std::int32_t>& n_values) { new (self) proof::Box(n_values); },
          nb::arg("n_values"), "Every row over these features (0 declared values: numeric).")
      .def(
          "interval",
          [](const proof::Box& self, std::size_t feature) {
            const proof::Interval& interval = self.interval(checked_feature(self, feature));
            return std::make_pair(interval.low, interval.high);
          },
          nb::arg("feature"), "Bounds of a numeric feature: low excluded, high included.")
      .def(
          "categories",
          [](const proof::Box& self, std::size_t feature) { return self.categories(checked_feature(self, feature)); },
          nb::arg("feature"), "Values that a nominal feature may still have.")
      .def(
          "may_be_missing",
          [](const proof::Box& self, std::size_t feature) { return self.may_be_missing(checked_feature(self, feature)); },
          nb::arg("feature"), "Whether the value may be missing.")
      .def(
          "may_be_known",
          [](const proof::Box& self, std::size_t feature) { return self.may_be_known(checked_feature(self, feature)); },
          nb::arg("feature"), "Whether some value is possible.")
      .def_prop_ro("empty", &proof::Box::empty, "Whether no row is left.")
      .def("contains", &contains, nb::arg("row"), "Whether a row (codes for nominal values, NaN for missing) lies in the box.")
      .def(
          "decide",
          [](const proof::Box& self, const model::DecisionNodes& tree, model::NodeId node) {
            check_node(self, tree, node);
            return self.decide(tree, node);
          },
          nb::arg("tree"), nb::arg("node"), "The branch that every row takes, or -1.")
      .def(
          "narrow",
          [](proof::Box& self, const model::DecisionNodes& tree, model::NodeId node, std::size_t branch) {
            check_node(self, tree, node);
            if (branch >= tree.children(node).size()) {
              throw std::out_of_range("node " + std::to_string(node) + " has no branch " + std::to_string(branch));
            }
            self.narrow(tree, node, branch);
          },
          nb::arg("tree"), nb::arg("node"), nb::arg("branch"), "Keep the rows that take this branch.")
      .def(
          "forbid_missing", [](proof::Box& self, std::size_t feature) { self.forbid_missing(checked_feature(self, feature)); },
          nb::arg("feature"), "Keep the rows whose value is known.")
      .def(
          "require_whole", [](proof::Box& self, std::size_t feature) { self.require_whole(checked_feature(self, feature)); },
          nb::arg("feature"), "Keep the rows whose value is a whole number, or missing. Call it before narrowing.")
      .def("witness", &proof::Box::witness, "Some row of the box.");
}

}  // namespace sightline::bindings
