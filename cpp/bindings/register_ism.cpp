#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include "arrays.hpp"
#include "columns.hpp"
#include "decision.hpp"
#include "interruptible.hpp"
#include "register.hpp"
#include "sightline/distill/ism/contract.hpp"
#include "sightline/distill/ism/cut.hpp"
#include "sightline/distill/ism/gain.hpp"
#include "sightline/distill/ism/grow.hpp"
#include "sightline/learn/c45/options.hpp"

namespace sightline::bindings {

namespace ism = distill::ism;
namespace c45 = learn::c45;
namespace {

using ism::Growth;
using ism::Options;

Options::Variant variant_named(const std::string& name) {
  if (name == "t") return Options::Variant::kT;
  if (name == "td") return Options::Variant::kTd;
  if (name == "d") return Options::Variant::kD;
  if (name == "hybrid") return Options::Variant::kHybrid;
  throw std::invalid_argument("there is no variant '" + name + "'");
}

ism::CodedRows coded(const ism::PreparedEnsemble& prepared, const BoundColumns& rows, const Array1<std::int32_t>& labels,
                     const Array1<double>& probabilities, const Array1<double>& weights) {
  const std::size_t n = rows.columns.n_rows();
  if (rows.columns.n_values() != prepared.tests().n_values)
    throw std::invalid_argument("the columns differ from the ensemble's features");
  if (labels.size() != n || weights.size() != n || probabilities.size() != n * prepared.n_classes()) {
    throw std::invalid_argument("labels, weights and probabilities must match the rows");
  }
  return {prepared.tests(), rows.columns, {copied(labels), copied(probabilities), copied(weights)}, prepared.n_classes()};
}

// Pairs of test and branch, from the root.
using Path = std::vector<std::pair<std::int32_t, std::int32_t>>;

std::pair<ism::Context, ism::Forest> behind(const ism::PreparedEnsemble& prepared, const Path& path, bool literal) {
  ism::Context context = prepared.everything();
  ism::Forest forest = prepared.forest();
  ism::Contractor contract(prepared, literal);
  for (const auto& [test, branch] : path) {
    const std::int32_t outcome = prepared.tests().first_outcome.at(test) + branch;
    prepared.narrow(context, test, outcome);
    forest = ism::Forest(contract(forest, context, test, outcome));
  }
  return {std::move(context), std::move(forest)};
}

std::vector<std::uint32_t> rows_behind(const ism::CodedRows& rows, const Path& path) {
  std::vector<std::uint32_t> inside;
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    const auto stays = [&](const auto& step) { return rows.branch(step.first, row) == step.second; };
    if (std::all_of(path.begin(), path.end(), stays)) inside.push_back(row);
  }
  return inside;
}

}  // namespace

static void register_options(nb::module_& m) {
  nb::class_<Options>(m, "IsmOptions", "How ISM grows its tree; see ISMClassifier.")
      .def(
          "__init__",
          [](Options* self, const std::string& variant, bool mixture_gain, bool gain_ratio, bool split_without_gain,
             bool literal_matching, bool pooled_probability, bool stop_on_rows, double m_rows, double min_deviation,
             std::size_t max_leaves, bool join_siblings, std::size_t max_nodes, std::int32_t max_depth, double max_seconds,
             double min_leaf, std::vector<std::uint8_t> banned) {
            new (self) Options{.variant = variant_named(variant),
                               .mixture_gain = mixture_gain,
                               .gain_ratio = gain_ratio,
                               .split_without_gain = split_without_gain,
                               .literal_matching = literal_matching,
                               .pooled_probability = pooled_probability,
                               .stop_on_rows = stop_on_rows,
                               .m = m_rows,
                               .min_deviation = min_deviation,
                               .max_leaves = max_leaves,
                               .join_siblings = join_siblings,
                               .max_nodes = max_nodes,
                               .max_depth = max_depth,
                               .max_seconds = max_seconds,
                               .min_leaf = min_leaf,
                               .banned = std::move(banned)};
          },
          nb::kw_only(), nb::arg("variant"), nb::arg("mixture_gain"), nb::arg("gain_ratio"), nb::arg("split_without_gain") = true,
          nb::arg("literal_matching"), nb::arg("pooled_probability"), nb::arg("stop_on_rows"), nb::arg("m"),
          nb::arg("min_deviation") = 0.0, nb::arg("max_leaves"), nb::arg("join_siblings") = false, nb::arg("max_nodes"),
          nb::arg("max_depth"), nb::arg("max_seconds"), nb::arg("min_leaf") = 0.0,
          nb::arg("banned") = std::vector<std::uint8_t>{});
}

static void register_growth(nb::module_& m) {
  nb::class_<Growth>(m, "IsmGrowth", "The tree that ISM grew.")
      .def(
          "__init__",
          [](Growth* self, model::TreePtr tree, const Array1<std::int32_t>& step, const Array1<std::uint8_t>& rest,
             bool complete) {
            if (step.size() != tree->n_nodes() || rest.size() != tree->n_nodes()) {
              throw std::invalid_argument("one step and one rest per node are required");
            }
            std::vector<ism::Rest> rests;
            for (std::size_t v = 0; v < rest.size(); ++v) rests.push_back(static_cast<ism::Rest>(rest.data()[v]));
            std::vector<model::NodeId> source(rests.size());
            std::iota(source.begin(), source.end(), 0);
            new (self) Growth{std::move(tree), copied(step), std::move(rests), std::move(source), {}, complete};
          },
          nb::arg("tree"), nb::arg("step"), nb::arg("rest"), nb::arg("complete"), "Rebuild a growth from its parts.")
      .def_ro("tree", &Growth::tree, "The tree.")
      .def_ro("complete", &Growth::complete, "Whether growth hit no limit of nodes or time.")
      .def_prop_ro(
          "step",
          [](nb::handle_t<Growth> self) {
            const auto& step = nb::cast<const Growth&>(self).step;
            return view(step.data(), {step.size()}, self);
          },
          "Per node: in which step it was split, the most useful first; -1 at leaves.")
      .def_prop_ro(
          "rest",
          [](nb::handle_t<Growth> self) {
            const auto& rest = nb::cast<const Growth&>(self).rest;
            return view(reinterpret_cast<const std::uint8_t*>(rest.data()), {rest.size()}, self);
          },
          "Per node: 0 split, 1 proved, 2 rows agree, 3 no test left, 4 limit, 5 one label below.")
      .def_prop_ro(
          "source",
          [](nb::handle_t<Growth> self) {
            const auto& source = nb::cast<const Growth&>(self).source;
            return view(source.data(), {source.size()}, self);
          },
          "Per node: which one it is of the tree that this one was cut from.")
      .def(
          "truncated",
          [](const Growth& self, std::size_t max_leaves, bool join_siblings) {
            return std::make_unique<Growth>(ism::truncated(self, max_leaves, join_siblings));
          },
          nb::arg("max_leaves"), nb::arg("join_siblings"), "The tree of the most useful splits, with at most so many leaves.")
      .def(
          "joined", [](const Growth& self) { return std::make_unique<Growth>(ism::joined(self)); },
          "With one leaf for every subtree whose leaves have the same label.")
      .def(
          "pruned",
          [](const Growth& self, const c45::Options& options) {
            return std::make_unique<Growth>(
                ism::pruned(self, c45::ErrorEstimate(options.prune.confidence, options.prune.tabulated_limits)));
          },
          nb::arg("options"), "Without splits that do not lower the expected errors, estimated as in C4.5 with its options.")
      .def(
          "pruned_numbers",
          [](const Growth& self) {
            if (self.distance.size() != self.tree->n_nodes())
              throw std::invalid_argument("only a tree of numbers that is not cut yet can be pruned");
            return std::make_unique<Growth>(ism::pruned(self));
          },
          "Without splits that do not lower the expected distance of numbers, estimated as in M5.");
}

static void register_prepared_ensemble(nb::module_& m) {
  nb::class_<ism::PreparedEnsemble>(m, "IsmEnsemble", "An ensemble whose tests are numbered for ISM.")
      .def(
          "__init__",
          [](ism::PreparedEnsemble* self, model::EnsemblePtr ensemble, const std::string& link, std::vector<double> divide_by,
             double label_above, std::size_t max_thresholds, model::FormulaPtr formula, const std::string& ties) {
            model::Decision decision = decision_named(link, std::move(divide_by), label_above);
            decision.rule.formula = std::move(formula);
            decision.rule.ties = ties_named(ties);
            nb::gil_scoped_release unlock;
            new (self) ism::PreparedEnsemble(std::move(ensemble), std::move(decision), max_thresholds);
          },
          nb::arg("ensemble"), nb::arg("link"), nb::arg("divide_by"), nb::arg("label_above"), nb::arg("max_thresholds"),
          nb::arg("formula") = nb::none(), nb::arg("ties") = "scores",
          "Number the tests: all (max_thresholds 0), or so many per numeric feature.")
      .def_prop_ro(
          "n_tests", [](const ism::PreparedEnsemble& self) { return self.tests().n_tests(); }, "Number of tests.")
      .def_prop_ro(
          "test_feature", [](const ism::PreparedEnsemble& self) { return self.tests().feature; }, "Feature per test.")
      .def_prop_ro(
          "test_kind",
          [](const ism::PreparedEnsemble& self) {
            std::vector<int> kinds;
            for (const model::Test kind : self.tests().kind) kinds.push_back(static_cast<int>(kind));
            return kinds;
          },
          "Kind per test: 1 threshold, 2 subset, 3 multiway.")
      .def(
          "test_categories",
          [](const ism::PreparedEnsemble& self, std::size_t test) {
            const ism::Tests& tests = self.tests();
            if (test >= tests.n_tests() || tests.kind[test] != model::Test::kSubset)
              throw std::invalid_argument("only a subset test has categories");
            std::vector<std::int32_t> values;
            const std::int32_t f = tests.feature[test];
            for (std::int32_t value = 0; value < tests.n_values[f]; ++value) {
              if (proof::contains(tests.categories(tests.first_outcome[test], f), value)) values.push_back(value);
            }
            return values;
          },
          nb::arg("test"), "Categories of a subset test that take branch 0.")
      .def_prop_ro(
          "test_threshold", [](const ism::PreparedEnsemble& self) { return self.tests().threshold; },
          "Threshold per test; infinite at the sentinel behind each numeric feature.")
      .def(
          "grow",
          [](const ism::PreparedEnsemble& self, const BoundColumns& rows, const Array1<std::int32_t>& labels,
             const Array1<double>& probabilities, const Array1<double>& weights, const Options& options) {
            const ism::CodedRows data = coded(self, rows, labels, probabilities, weights);
            auto growth = std::make_unique<Growth>();
            interruptible(nullptr, [&](runtime::StopPoll& poll) { *growth = ism::grow(self, data, options, poll); });
            return growth;
          },
          nb::arg("rows"), nb::arg("labels"), nb::arg("probabilities"), nb::arg("weights"), nb::arg("options"),
          "Grow one tree from the ensemble's predictions for the rows.")
      .def(
          "gains",
          [](const ism::PreparedEnsemble& self, const BoundColumns& rows, const Array1<std::int32_t>& labels,
             const Array1<double>& probabilities, const Array1<double>& weights, const Options& options, const Path& path) {
            const ism::CodedRows data = coded(self, rows, labels, probabilities, weights);
            const auto [context, forest] = behind(self, path, options.literal_matching);
            ism::Propagation propagation(self, options.literal_matching);
            ism::Chooser chooser(self, data, options, propagation);
            chooser.choose(forest.view(), context, rows_behind(data, path));
            return chooser.gains();
          },
          nb::arg("rows"), nb::arg("labels"), nb::arg("probabilities"), nb::arg("weights"), nb::arg("options"), nb::arg("path"),
          "Gain of every test after a path of (test, branch) pairs; NaN if it is not considered.")
      .def(
          "expected",
          [](const ism::PreparedEnsemble& self, const Path& path, bool literal_matching) {
            const auto [context, forest] = behind(self, path, literal_matching);
            std::vector<double> result(self.n_classes());
            ism::Propagation propagation(self, literal_matching);
            self.decision().probabilities(propagation.expected_total(forest.view()), result.data());
            return result;
          },
          nb::arg("path"), nb::arg("literal_matching") = false,
          "Class distribution that the ensemble expects behind a path of (test, branch) pairs.");
}

void register_ism(nb::module_& m) {
  register_options(m);
  register_growth(m);
  register_prepared_ensemble(m);
}

}  // namespace sightline::bindings
