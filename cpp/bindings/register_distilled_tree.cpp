#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <stdexcept>
#include <tuple>

#include "arrays.hpp"
#include "columns.hpp"
#include "interruptible.hpp"
#include "register.hpp"
#include "sightline/distill/distilled_graph/refine.hpp"
#include "sightline/distill/distilled_graph/shrink.hpp"
#include "sightline/distill/distilled_tree/alternate.hpp"
#include "sightline/distill/distilled_tree/grow.hpp"
#include "sightline/distill/distilled_tree/prune.hpp"
#include "sightline/distill/distilled_tree/refine.hpp"

namespace sightline::bindings {

namespace distilled_tree = distill::distilled_tree;
namespace {

using distilled_tree::Bins;
using distilled_tree::DistillationRows;
using distilled_tree::Limits;
using distilled_tree::Objective;
using distilled_tree::SmallTree;

template <class T>
std::span<const T> span_of(const Array1<T>& array, std::size_t expected, const char* what) {
  if (array.size() != expected) throw std::invalid_argument(std::string(what) + " do not match the rows");
  return {array.data(), array.size()};
}

// The same number of answers per row, without any one that is the same for all.
std::vector<double> checked_answers(const BoundColumns& rows, const std::optional<Array1<double>>& answers) {
  const std::size_t n = rows.columns.n_rows();
  if (!answers) return std::vector<double>(n, 0.0);
  if (n == 0 || answers->size() < n || answers->size() % n != 0) throw std::invalid_argument("the answers do not match the rows");
  return copied(*answers);
}

void add_rows(DistillationRows& self, const BoundColumns& rows, const Array1<std::int32_t>& labels, const Array1<double>& answers,
              const Array1<double>& weights, const Array1<std::int32_t>& observed, const std::optional<Array1<double>>& charges,
              const std::optional<Array1<double>>& targets) {
  const std::size_t n = rows.columns.n_rows();
  const auto n_classes = static_cast<std::int32_t>(self.n_targets());
  if (rows.columns.n_values() != self.bins().n_values()) throw std::invalid_argument("the columns differ from those of the bins");
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels.data()[i] < 0 || labels.data()[i] >= n_classes) throw std::invalid_argument("a label is out of range");
  }
  for (std::size_t i = 0; i < observed.size(); ++i) {
    if (observed.data()[i] < distilled_tree::kArtificial || observed.data()[i] >= n_classes) {
      throw std::invalid_argument("an observed label is out of range");
    }
  }
  if (targets && self.has_numbers()) throw std::invalid_argument("targets other than the answers are for classes");
  if (self.n_rows() > 0 && targets.has_value() != self.has_own_targets()) {
    throw std::invalid_argument("targets must be given for all blocks of rows, or for none");
  }
  const auto optional_span = [&](const std::optional<Array1<double>>& array, const char* what) {
    return array ? span_of(*array, n * self.n_targets(), what) : std::span<const double>();
  };
  self.add(rows.columns, span_of(labels, n, "labels"), span_of(answers, n * self.n_targets(), "answers"),
           span_of(weights, n, "weights"), span_of(observed, n, "observed labels"), optional_span(charges, "charges"),
           optional_span(targets, "targets"));
}

// Per feature of the bins, or nothing.
template <class T>
void check_length(const std::vector<T>& values, std::size_t expected, const char* what) {
  if (!values.empty() && values.size() != expected) throw std::invalid_argument(std::string(what) + " do not fit");
}

void check_shape(const Bins& bins, std::int32_t n_classes, const Objective& objective, const Limits& limits) {
  const auto k = static_cast<std::size_t>(n_classes);
  check_length(objective.class_weight, k, "class weights");
  check_length(objective.worth, k * k, "the worths of labels");
  check_length(limits.banned, bins.size(), "banned features");
  check_length(limits.preferred, bins.size(), "preferred features");
  check_length(limits.group, bins.size(), "groups of features");
  for (const std::int32_t group : limits.group) {
    if (group < 0 || static_cast<std::size_t>(group) >= bins.size()) throw std::invalid_argument("a group is out of range");
  }
}

using NodeTuple = std::tuple<std::int32_t, std::vector<int>, model::NodeId, model::NodeId, std::int32_t, std::vector<double>>;

std::vector<NodeTuple> nodes_of(const SmallTree& self) {
  std::vector<NodeTuple> nodes;
  for (model::NodeId v = 0; v < static_cast<model::NodeId>(self.n_nodes()); ++v) {
    const distilled_tree::SmallNode& node = self[v];
    std::vector<int> to_yes;
    for (int code = 0; code < 256; ++code) {
      if (!node.is_leaf() && node.to_yes.contains(static_cast<distilled_tree::Code>(code))) to_yes.push_back(code);
    }
    nodes.emplace_back(node.feature, to_yes, node.yes, node.no, node.label, node.value);
  }
  return nodes;
}

}  // namespace

static void register_bins(nb::module_& m) {
  nb::class_<Bins>(m, "Bins", "The candidate tests of a distilled tree.")
      .def(nb::new_([](const BoundColumns& rows, const model::Ensemble& ensemble, const std::optional<Array1<double>>& answers,
                       const std::vector<std::size_t>& times) {
             if (rows.columns.n_values() != ensemble.n_values()) {
               throw std::invalid_argument("the columns differ from the ensemble's features");
             }
             const std::vector<double> known = checked_answers(rows, answers);
             nb::gil_scoped_release unlock;
             return std::make_shared<const Bins>(rows.columns, known, ensemble, times);
           }),
           nb::arg("rows"), nb::arg("ensemble"), nb::arg("answers").none() = nb::none(),
           nb::arg("times") = std::vector<std::size_t>(),
           "Cuts between observed values that the ensemble separates. If a column has very many values, those with similar "
           "answers are treated alike. Numbers of the features `times` are seconds.")
      .def(nb::new_(
               [](const BoundColumns& rows, const std::optional<Array1<double>>& answers, const std::vector<std::size_t>& times) {
                 const std::vector<double> known = checked_answers(rows, answers);
                 nb::gil_scoped_release unlock;
                 return std::make_shared<const Bins>(rows.columns, known, times);
               }),
           nb::arg("rows"), nb::arg("answers").none() = nb::none(), nb::arg("times") = std::vector<std::size_t>(),
           "Cuts between any observed values, at most 254: then at quantiles of the rows.")
      .def(
          "cuts", [](const Bins& self, std::size_t feature) { return self[feature].cuts; }, nb::arg("feature"),
          "Thresholds of a numeric feature, ascending.");
}

static void register_objective(nb::module_& m) {
  nb::class_<Objective>(m, "Objective", "What a small tree is charged for: wrong labels, distant numbers, or both.")
      .def(
          "__init__",
          [](Objective* self, double label, double target, bool absolute, double center, double scale,
             std::vector<double> class_weight, std::vector<double> worth) {
            if (!(label >= 0) || !(target >= 0) || !(label + target > 0) || !(scale > 0) || !std::isfinite(center / scale)) {
              throw std::invalid_argument("an objective needs costs and a positive scale");
            }
            new (self) Objective{label, target, absolute, center, scale, std::move(class_weight), std::move(worth)};
          },
          nb::arg("label") = 1.0, nb::arg("target") = 0.0, nb::arg("absolute") = false, nb::arg("center") = 0.0,
          nb::arg("scale") = 1.0, nb::arg("class_weight") = std::vector<double>(), nb::arg("worth") = std::vector<double>(),
          "Costs of a wrong label and of the squared (or absolute) distance from the target.");
}

static void register_limits(nb::module_& m) {
  nb::class_<Limits>(m, "Limits", "Which columns a small tree may test, how often, and how deep it may be.")
      .def(
          "__init__",
          [](Limits* self, double min_leaf, std::size_t max_depth, std::size_t max_columns, std::vector<std::uint8_t> banned,
             std::vector<std::uint8_t> preferred, std::vector<std::int32_t> group) {
            new (self) Limits{min_leaf, max_depth, max_columns, std::move(banned), std::move(preferred), std::move(group)};
          },
          nb::arg("min_leaf") = 0.0, nb::arg("max_depth") = 0, nb::arg("max_columns") = 0,
          nb::arg("banned") = std::vector<std::uint8_t>(), nb::arg("preferred") = std::vector<std::uint8_t>(),
          nb::arg("group") = std::vector<std::int32_t>(), "Zeros and empty lists set no limit.");
}

static void register_distillation_rows(nb::module_& m) {
  nb::class_<DistillationRows>(m, "DistillationRows", "Binned rows with the ensemble's answers.")
      .def(
          "__init__",
          [](DistillationRows* self, std::shared_ptr<const Bins> bins, std::int32_t n_classes, const Objective& objective,
             const Limits& limits) {
            if (n_classes < 0) throw std::invalid_argument("there cannot be fewer than 0 classes");
            if (n_classes == 0 && !(objective.target > 0)) throw std::invalid_argument("numbers need a cost of the distance");
            if (objective.absolute && n_classes > 0) throw std::invalid_argument("absolute distances are for numbers");
            check_shape(*bins, n_classes, objective, limits);
            new (self) DistillationRows(std::move(bins), n_classes, objective, limits);
          },
          nb::arg("bins"), nb::arg("n_classes"), nb::arg("objective") = Objective{}, nb::arg("limits") = Limits{},
          "An empty set of rows; without classes the ensemble answers with numbers.")
      .def("add", &add_rows, nb::arg("rows"), nb::arg("labels"), nb::arg("answers"), nb::arg("weights"), nb::arg("observed"),
           nb::arg("charges").none() = nb::none(), nb::arg("targets").none() = nb::none(),
           "Add rows, except those of weight 0. The observed label of an artificial row is -1. Leaves average the answers; "
           "distances are charged from the targets, by default the answers.")
      .def("set_min_leaf", &DistillationRows::set_min_leaf, nb::arg("min_leaf"),
           "Change the minimum weight of the training rows in a leaf.");
}

static void register_small_tree(nb::module_& m) {
  nb::class_<SmallTree>(m, "SmallTree", "A mutable tree over binned rows.")
      .def(nb::init<>(), "A single leaf.")
      .def(nb::init<const SmallTree&>(), nb::arg("other"), "A copy.")
      .def_prop_ro("n_leaves", &SmallTree::n_leaves, "Number of leaves.")
      .def_prop_ro("n_tests", &SmallTree::n_tests, "Number of tests.")
      .def("nodes", &nodes_of, "Per node: feature (-1 at leaves), codes that take branch 0, both branches, label, value.")
      .def("loss", &SmallTree::loss, nb::arg("rows"), "Sum of the losses of all rows.")
      .def(
          "grow",
          [](SmallTree& self, const DistillationRows& rows, std::size_t n_leaves, bool mixed, double min_weight, int n_threads) {
            const distilled_tree::GrowthOptions options{
                mixed ? distilled_tree::Criterion::kMixed : distilled_tree::Criterion::kSquares, min_weight, n_threads};
            interruptible(nullptr, [&](runtime::StopPoll& poll) { distilled_tree::grow(self, rows, n_leaves, options, poll); });
          },
          nb::arg("rows"), nb::arg("n_leaves"), nb::arg("mixed") = false, nb::arg("min_weight") = 1.0, nb::arg("n_threads") = 1,
          "Split best-first.")
      .def(
          "alternate_once",
          [](SmallTree& self, const DistillationRows& rows, int n_threads) {
            const distilled_tree::Pass pass = interruptible(
                nullptr, [&](runtime::StopPoll& poll) { return distilled_tree::alternate_once(self, rows, n_threads, poll); });
            return std::make_tuple(pass.loss, pass.changed);
          },
          nb::arg("rows"), nb::arg("n_threads") = 1, "Optimize every test in turn; return the loss and whether anything changed.")
      .def(
          "prune_to",
          [](SmallTree& self, const DistillationRows& rows, std::size_t n_leaves) {
            if (n_leaves == 0) throw std::invalid_argument("a tree has at least one leaf");
            interruptible(nullptr, [&](runtime::StopPoll& poll) { distilled_tree::prune_to(self, rows, n_leaves, poll); });
          },
          nb::arg("rows"), nb::arg("n_leaves"), "Collapse and raise nodes at the smallest loss.")
      .def(
          "tree",
          [](const SmallTree& self, const DistillationRows& rows) {
            nb::gil_scoped_release unlock;
            return distilled_tree::finished(self, rows);
          },
          nb::arg("rows"), "The tree as a model.")
      .def(
          "shrink_to",
          [](SmallTree& self, const DistillationRows& rows, std::size_t n_tests) {
            interruptible(nullptr,
                          [&](runtime::StopPoll& poll) { distill::distilled_graph::shrink_to(self, rows, n_tests, poll); });
          },
          nb::arg("rows"), nb::arg("n_tests"), "Replace tests by other nodes at the smallest loss.")
      .def(
          "graph",
          [](const SmallTree& self, const DistillationRows& rows) {
            nb::gil_scoped_release unlock;
            return distill::distilled_graph::finished(self, rows);
          },
          nb::arg("rows"), "The graph as a model, if nodes have several parents.")
      .def("probabilities", &distilled_tree::probabilities, nb::arg("rows"),
           "Per node, one after the other: the ensemble's mean probabilities.");
}

static void register_distillation(nb::module_& m) {
  m.def(
      "distill_tree",
      [](const DistillationRows& rows, std::size_t n_leaves, bool refine, int search_rounds, int n_threads) {
        if (rows.n_rows() == 0 || n_leaves == 0) throw std::invalid_argument("there must be a row and a leaf");
        return interruptible(nullptr, [&](runtime::StopPoll& poll) {
          return distilled_tree::distill(rows, {n_leaves, refine, search_rounds, n_threads}, poll);
        });
      },
      nb::arg("rows"), nb::arg("n_leaves"), nb::arg("refine") = true, nb::arg("search_rounds") = 0, nb::arg("n_threads") = 1,
      "The best tree found with at most so many leaves.");
}

void register_distilled_tree(nb::module_& m) {
  register_bins(m);
  register_objective(m);
  register_limits(m);
  register_distillation_rows(m);
  register_small_tree(m);
  register_distillation(m);
}

}  // namespace sightline::bindings
