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
  c45::PruneOptions pruning;
  std::unique_ptr<setgen::CrossValidation> folds;
};

std::unique_ptr<BoundCrossValidation> cross_validation(nb::handle_t<BoundColumns> rows, const Array1<std::int32_t>& labels,
                                                       std::int32_t n_classes, const Array1<std::int32_t>& fold,
                                                       std::size_t n_folds, const c45::Options& options, double accuracy_weight,
                                                       double size_weight, bool ratio_of_means, std::size_t cache_bytes) {
  const table::Columns& columns = nb::cast<const BoundColumns&>(rows).columns;
  if (labels.size() != columns.n_rows() || fold.size() != columns.n_rows()) {
    throw std::invalid_argument("one label and one fold per row are required");
  }
  std::vector<std::size_t> size(n_folds, 0);
  for (std::size_t i = 0; i < fold.size(); ++i) {
    if (fold.data()[i] < 0 || static_cast<std::size_t>(fold.data()[i]) >= n_folds)
      throw std::invalid_argument("a fold is out of range");
    if (labels.data()[i] < 0 || labels.data()[i] >= n_classes) throw std::invalid_argument("a label is out of range");
    ++size[fold.data()[i]];
  }
  if (n_folds < 2 || std::count(size.begin(), size.end(), 0) > 0)
    throw std::invalid_argument("at least two folds are required, none empty");
  auto result = std::make_unique<BoundCrossValidation>();
  result->rows = nb::borrow(rows);
  result->pruning = options.prune;
  interruptible(nullptr, [&](runtime::StopPoll& poll) {
    result->folds = std::make_unique<setgen::CrossValidation>(
        columns, std::span(labels.data(), labels.size()), n_classes, std::span(fold.data(), fold.size()), n_folds, options.grow,
        setgen::FitnessWeights{accuracy_weight, size_weight, ratio_of_means}, cache_bytes, poll);
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

c45::PruneOptions pruning_at(const BoundCrossValidation& self, double confidence) {
  c45::PruneOptions pruning = self.pruning;
  pruning.confidence = confidence;
  return pruning;
}

nb::ndarray<nb::numpy, double> evaluate(const BoundCrossValidation& self, const Matrix& sets, double confidence,
                                        std::optional<double> abandon_below, const std::optional<Numbers>& rivals,
                                        const runtime::StopFlag* stop) {
  const std::size_t n_features = self.folds->n_features();
  if (sets.shape(1) != n_features) throw std::invalid_argument("one column per feature is required");
  const c45::PruneOptions pruning = pruning_at(self, confidence);
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
    const auto evaluations = self.folds->evaluate(features, pruning, abandonment ? &*abandonment : nullptr, poll);
    for (std::size_t i = 0; i < evaluations.size(); ++i) write(evaluations[i], result.data() + 5 * i);
  });
  return result.release();
}

nb::ndarray<nb::numpy, double> evaluate_confidences(const BoundCrossValidation& self, const std::vector<double>& confidences) {
  std::vector<c45::PruneOptions> prunings;
  for (const double confidence : confidences) prunings.push_back(pruning_at(self, confidence));
  std::vector<std::uint32_t> all(self.folds->n_features());
  for (std::uint32_t f = 0; f < all.size(); ++f) all[f] = f;
  NewArray<double> result({confidences.size(), 5});
  interruptible(nullptr, [&](runtime::StopPoll& poll) {
    const auto evaluations = self.folds->evaluate_prunings(all, prunings, poll);
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
  if (genomes.shape(1) != breeder.genome_size()) throw std::invalid_argument("the genomes have a different length");
  if (genomes.shape(0) == 0 || likelihood.size() != genomes.shape(0))
    throw std::invalid_argument("one likelihood per genome is required");
  NewArray<std::int32_t> result({n, breeder.genome_size()});
  breeder.breed(first, {{genomes.data(), genomes.size()}, {likelihood.data(), likelihood.size()}},
                {result.data(), n * breeder.genome_size()});
  return result.release();
}

void register_breeder(nb::module_& m) {
  nb::class_<setgen::Breeder>(m, "SetGenBreeder", "Makes genomes: lists of features, which may repeat, and blanks (-1).")
      .def(
          "__init__",
          [](setgen::Breeder* self, std::int32_t n_features, std::size_t genome_size, std::uint64_t seed, double crossover_rate,
             double mutation_rate, double blank_rate, std::array<double, 3> operators, bool one_point, bool bits) {
            if (n_features < 1 || genome_size < 1) throw std::invalid_argument("at least one feature and one entry are required");
            if (bits && genome_size != static_cast<std::size_t>(n_features))
              throw std::invalid_argument("a genome of bits has one entry per feature");
            new (self) setgen::Breeder(n_features, genome_size, seed,
                                       {crossover_rate, mutation_rate, blank_rate, operators, one_point, bits});
          },
          nb::arg("n_features"), nb::arg("genome_size"), nb::arg("seed"), nb::arg("crossover_rate"), nb::arg("mutation_rate"),
          nb::arg("blank_rate"), nb::arg("operators"), nb::arg("one_point") = false, nb::arg("bits") = false,
          "operators: relative frequency of crossover, mutation and deletion.")
      .def("fill", &fill, nb::arg("first"), nb::arg("n"), "Random genomes with the numbers first, first + 1, ….")
      .def("breed", &breed, nb::arg("first"), nb::arg("n"), nb::arg("genomes"), nb::arg("likelihood"),
           "Children with the numbers first, first + 1, … of genomes drawn in proportion to their likelihood.");
}

void check_width(const setgen::Forecast& self, const Matrix& sets) {
  if (sets.shape(1) != self.n_features()) throw std::invalid_argument("one column per feature is required");
}

void learn(setgen::Forecast& self, const Matrix& sets, const Array1<double>& fitness) {
  check_width(self, sets);
  if (fitness.size() != sets.shape(0)) throw std::invalid_argument("one fitness per set is required");
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
  nb::class_<setgen::Forecast>(
      m, "SetGenForecast",
      "A Gaussian process over feature sets. Two sets are as similar as the share of features they have in common.")
      .def(
          "__init__",
          [](setgen::Forecast* self, std::size_t n_features, double noise) {
            if (n_features < 1 || !(noise > 0))
              throw std::invalid_argument("at least one feature and positive noise are required");
            new (self) setgen::Forecast(n_features, noise);
          },
          nb::arg("n_features"), nb::arg("noise"),
          "noise: variance that similarity does not explain, relative to the variance it explains.")
      .def("learn", &learn, nb::arg("sets"), nb::arg("fitness"), "Add sets, one per row of the matrix, and their fitness.")
      .def("forecast", &forecast, nb::arg("sets"), "The expected fitness of each set; 0 before anything is learned.");
}

}  // namespace

void register_setgen(nb::module_& m) {
  register_breeder(m);
  register_forecast(m);
  nb::class_<BoundCrossValidation>(m, "SetGenCrossValidation",
                                   "Cross-validation of C4.5 trees on feature sets, always with the same folds.")
      .def(nb::new_(&cross_validation), nb::arg("rows"), nb::arg("labels"), nb::arg("n_classes"), nb::arg("fold"),
           nb::arg("n_folds"), nb::arg("options"), nb::arg("accuracy_weight"), nb::arg("size_weight"), nb::arg("ratio_of_means"),
           nb::arg("cache_bytes"),
           "Sort every numeric column once. fold is the fold of each row, cache_bytes the memory for cached trees.")
      .def("evaluate", &evaluate, nb::arg("sets"), nb::arg("confidence"), nb::arg("abandon_below").none() = nb::none(),
           nb::arg("rivals").none() = nb::none(), nb::arg("stop").none() = nb::none(),
           "Folds done, accuracy, nodes, leaves and fitness of each set, one per row. A set is abandoned if it can neither reach "
           "abandon_below nor escape a rival (accuracy, nodes, features); its numbers are then bounds.")
      .def("evaluate_confidences", &evaluate_confidences, nb::arg("confidences"),
           "The same numbers for the set of all features, pruned with several confidences. The trees are grown once.");
}

}  // namespace sightline::bindings
