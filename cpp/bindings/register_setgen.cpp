#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "arrays.hpp"
#include "columns.hpp"
#include "interruptible.hpp"
#include "register.hpp"
#include "sightline/learn/setgen/breeding.hpp"
#include "sightline/learn/setgen/evaluation.hpp"
#include "sightline/learn/setgen/forecast.hpp"

namespace sightline::bindings {

namespace c45 = learn::c45;
namespace setgen = learn::setgen;
namespace {

using Matrix = nb::ndarray<nb::numpy, const bool, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<nb::numpy, const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

struct BoundCrossValidation {
  nb::object rows;  // keeps the borrowed columns alive
  std::unique_ptr<setgen::CrossValidation> folds;
};

std::unique_ptr<BoundCrossValidation> cross_validation(nb::handle_t<BoundColumns> rows, const Array1<std::int32_t>& labels,
                                                       std::int32_t n_classes, const Array1<std::int32_t>& fold,
                                                       std::size_t n_folds, bool binary_splits, double min_leaf,
                                                       bool mdl_correction, bool collapse, std::int32_t max_depth,
                                                       double accuracy_weight, double size_weight, std::size_t memory) {
  const table::Columns& columns = nb::cast<const BoundColumns&>(rows).columns;
  if (labels.size() != columns.n_rows() || fold.size() != columns.n_rows()) {
    throw std::invalid_argument("one label and one fold per row are needed");
  }
  std::vector<std::size_t> size(n_folds, 0);
  for (std::size_t i = 0; i < fold.size(); ++i) {
    if (fold.data()[i] < 0 || static_cast<std::size_t>(fold.data()[i]) >= n_folds)
      throw std::invalid_argument("a fold is out of range");
    if (labels.data()[i] < 0 || labels.data()[i] >= n_classes) throw std::invalid_argument("a label is out of range");
    ++size[fold.data()[i]];
  }
  if (n_folds < 2 || std::count(size.begin(), size.end(), 0) > 0)
    throw std::invalid_argument("two folds or more with rows are needed");
  auto result = std::make_unique<BoundCrossValidation>();
  result->rows = nb::borrow(rows);
  const c45::Options options{binary_splits, min_leaf, mdl_correction, collapse, max_depth};
  interruptible(nullptr, [&](runtime::StopPoll& poll) {
    result->folds = std::make_unique<setgen::CrossValidation>(columns, std::span(labels.data(), labels.size()), n_classes,
                                                              std::span(fold.data(), fold.size()), n_folds, options,
                                                              setgen::FitnessWeights{accuracy_weight, size_weight}, memory, poll);
  });
  return result;
}

void write(const setgen::Evaluation& evaluation, double* row) {
  row[0] = static_cast<double>(evaluation.n_folds);
  row[1] = evaluation.accuracy;
  row[2] = evaluation.nodes;
  row[3] = evaluation.leaves;
  row[4] = evaluation.fitness;
}

std::vector<std::uint32_t> members(const bool* row, std::size_t n) {
  std::vector<std::uint32_t> features;
  for (std::uint32_t f = 0; f < n; ++f) {
    if (row[f]) features.push_back(f);
  }
  return features;
}

nb::ndarray<nb::numpy, double> evaluate(const BoundCrossValidation& self, const Matrix& sets, bool prune, double confidence,
                                        double z, bool subtree_raising, std::optional<std::size_t> max_leaves,
                                        std::optional<double> abandon_below, const std::optional<Numbers>& rivals,
                                        const runtime::StopFlag* stop) {
  const std::size_t n_features = self.folds->n_features();
  if (sets.shape(1) != n_features) throw std::invalid_argument("one column per feature is needed");
  const c45::PruneOptions finish{prune, confidence, z, subtree_raising, max_leaves};
  std::optional<setgen::Abandonment> abandonment;
  if (abandon_below && rivals) {
    if (rivals->shape(1) != 3) throw std::invalid_argument("a rival has accuracy, nodes and features");
    abandonment.emplace();
    abandonment->fitness = *abandon_below;
    for (std::size_t i = 0; i < rivals->shape(0); ++i) {
      const double* rival = rivals->data() + 3 * i;
      abandonment->rivals.push_back({rival[0], rival[1], rival[2]});
    }
  }
  NewArray<double> result({sets.shape(0), 5});
  interruptible(stop, [&](runtime::StopPoll& poll) {
    std::vector<std::vector<std::uint32_t>> features;
    for (std::size_t i = 0; i < sets.shape(0); ++i) features.push_back(members(sets.data() + i * n_features, n_features));
    const auto evaluations = self.folds->evaluate(features, finish, abandonment ? &*abandonment : nullptr, poll);
    for (std::size_t i = 0; i < evaluations.size(); ++i) write(evaluations[i], result.data() + 5 * i);
  });
  return result.release();
}

nb::ndarray<nb::numpy, double> evaluate_levels(const BoundCrossValidation& self, bool prune, const Numbers& levels,
                                               bool subtree_raising, std::optional<std::size_t> max_leaves,
                                               const runtime::StopFlag* stop) {
  if (levels.shape(1) != 2) throw std::invalid_argument("a level has confidence and z");
  std::vector<c45::PruneOptions> finishes;
  for (std::size_t i = 0; i < levels.shape(0); ++i) {
    finishes.push_back({prune, levels.data()[2 * i], levels.data()[2 * i + 1], subtree_raising, max_leaves});
  }
  std::vector<std::uint32_t> all(self.folds->n_features());
  for (std::uint32_t f = 0; f < all.size(); ++f) all[f] = f;
  NewArray<double> result({levels.shape(0), 5});
  interruptible(stop, [&](runtime::StopPoll& poll) {
    const auto evaluations = self.folds->evaluate_levels(all, finishes, poll);
    for (std::size_t i = 0; i < evaluations.size(); ++i) write(evaluations[i], result.data() + 5 * i);
  });
  return result.release();
}

using Genomes = nb::ndarray<nb::numpy, const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::ndarray<nb::numpy, std::int32_t> fill(const setgen::Breeder& breeder, std::uint64_t first, std::size_t n) {
  NewArray<std::int32_t> result({n, breeder.genome_size()});
  breeder.fill(first, {result.data(), n * breeder.genome_size()});
  return result.release();
}

nb::ndarray<nb::numpy, std::int32_t> breed(const setgen::Breeder& breeder, std::uint64_t first, std::size_t n,
                                           const Genomes& genomes, const Array1<double>& likelihood) {
  if (genomes.shape(1) != breeder.genome_size()) throw std::invalid_argument("the genomes have another length");
  if (genomes.shape(0) == 0 || likelihood.size() != genomes.shape(0))
    throw std::invalid_argument("one likelihood per genome is needed");
  NewArray<std::int32_t> result({n, breeder.genome_size()});
  breeder.breed(first, {{genomes.data(), genomes.size()}, {likelihood.data(), likelihood.size()}},
                {result.data(), n * breeder.genome_size()});
  return result.release();
}

void register_breeder(nb::module_& m) {
  nb::class_<setgen::Breeder>(m, "SetGenBreeder", "Makes genomes: lists of features, repeated at will, and blanks (-1).")
      .def(
          "__init__",
          [](setgen::Breeder* self, std::int32_t n_features, std::size_t genome_size, std::uint64_t seed, double crossover_rate,
             double mutation_rate, double blank_rate, std::array<double, 3> operators) {
            if (n_features < 1 || genome_size < 1) throw std::invalid_argument("a feature and an entry are needed");
            new (self) setgen::Breeder(n_features, genome_size, seed, {crossover_rate, mutation_rate, blank_rate, operators});
          },
          nb::arg("n_features"), nb::arg("genome_size"), nb::arg("seed"), nb::arg("crossover_rate"), nb::arg("mutation_rate"),
          nb::arg("blank_rate"), nb::arg("operators"), "operators: how often crossover, mutation and deletion make a child.")
      .def("fill", &fill, nb::arg("first"), nb::arg("n"), "Random genomes number first, first + 1, ….")
      .def("breed", &breed, nb::arg("first"), nb::arg("n"), nb::arg("genomes"), nb::arg("likelihood"),
           "Children number first, first + 1, … of genomes drawn in proportion to their likelihood.");
}

void check_width(const setgen::Forecast& self, const Matrix& sets) {
  if (sets.shape(1) != self.n_features()) throw std::invalid_argument("one column per feature is needed");
}

void learn(setgen::Forecast& self, const Matrix& sets, const Array1<double>& fitness) {
  check_width(self, sets);
  if (fitness.size() != sets.shape(0)) throw std::invalid_argument("one fitness per set is needed");
  interruptible(nullptr, [&](runtime::StopPoll& poll) {
    for (std::size_t i = 0; i < sets.shape(0); ++i) {
      poll();
      self.learn(sets.data() + i * self.n_features(), fitness.data()[i]);
    }
  });
}

nb::ndarray<nb::numpy, double> forecast(setgen::Forecast& self, const Matrix& sets) {
  check_width(self, sets);
  NewArray<double> result({sets.shape(0)});
  interruptible(nullptr, [&](runtime::StopPoll& poll) {
    const std::vector<double> forecasts = self.forecast(std::span(sets.data(), sets.size()), poll);
    std::copy(forecasts.begin(), forecasts.end(), result.data());
  });
  return result.release();
}

void register_forecast(nb::module_& m) {
  nb::class_<setgen::Forecast>(m, "SetGenForecast",
                               "A Gaussian process over sets of features, alike by the share that both have.")
      .def(
          "__init__",
          [](setgen::Forecast* self, std::size_t n_features, double noise) {
            if (n_features < 1 || !(noise > 0)) throw std::invalid_argument("a feature and some noise are needed");
            new (self) setgen::Forecast(n_features, noise);
          },
          nb::arg("n_features"), nb::arg("noise"), "noise: variance that likeness does not explain, where likeness explains one.")
      .def("learn", &learn, nb::arg("sets"), nb::arg("fitness"), "Add sets, a row of the matrix each, and what they are worth.")
      .def("forecast", &forecast, nb::arg("sets"), "What each set may be worth; 0 while nothing is known.");
}

}  // namespace

void register_setgen(nb::module_& m) {
  register_breeder(m);
  register_forecast(m);
  nb::class_<BoundCrossValidation>(m, "SetGenCrossValidation",
                                   "Cross-validation of C4.5 trees over sets of features, always with the same folds.")
      .def(nb::new_(&cross_validation), nb::arg("rows"), nb::arg("labels"), nb::arg("n_classes"), nb::arg("fold"),
           nb::arg("n_folds"), nb::arg("binary_splits"), nb::arg("min_leaf"), nb::arg("mdl_correction"), nb::arg("collapse"),
           nb::arg("max_depth"), nb::arg("accuracy_weight"), nb::arg("size_weight"), nb::arg("memory"),
           "Sort every numeric column once. fold holds the fold of each row, memory is what may be remembered, in bytes.")
      .def("evaluate", &evaluate, nb::arg("sets"), nb::arg("prune"), nb::arg("confidence"), nb::arg("z"),
           nb::arg("subtree_raising"), nb::arg("max_leaves").none(), nb::arg("abandon_below").none() = nb::none(),
           nb::arg("rivals").none() = nb::none(), nb::arg("stop").none() = nb::none(),
           "Folds done, accuracy, nodes, leaves and fitness of each set, a row of the matrix. A set that can neither reach "
           "abandon_below nor escape a rival (accuracy, nodes, features) is given up; its numbers are then bounds.")
      .def("evaluate_levels", &evaluate_levels, nb::arg("prune"), nb::arg("levels"), nb::arg("subtree_raising"),
           nb::arg("max_leaves").none(), nb::arg("stop").none() = nb::none(),
           "The same numbers for all features at several levels of pruning (confidence, z), growing once.");
}

}  // namespace sightline::bindings
