#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "arrays.hpp"
#include "interruptible.hpp"
#include "register.hpp"
#include "rule_rows.hpp"
#include "sightline/distill/rule_set/cover.hpp"
#include "sightline/distill/rule_set/extraction.hpp"
#include "sightline/distill/rule_set/shortening.hpp"
#include "sightline/distill/rule_set/vote_grid.hpp"

namespace sightline::bindings {

namespace rule_set = distill::rule_set;
namespace {

using Labels = Array1<std::int32_t>;
using Weights = std::optional<Array1<double>>;

// Labels below `least` or above the classes would be read out of bounds.
void check_labels(const Labels& labels, const Weights& weights, std::size_t n_rows, std::size_t n_classes, std::int32_t least) {
  if (labels.size() != n_rows) throw std::invalid_argument("one label per row is required");
  if (weights && weights->size() != n_rows) throw std::invalid_argument("one weight per row is required");
  for (std::size_t row = 0; row < n_rows; ++row) {
    if (labels.data()[row] < least || labels.data()[row] >= static_cast<std::int32_t>(n_classes)) {
      throw std::invalid_argument("a label is out of range");
    }
  }
}

const double* data_of(const Weights& weights) { return weights ? weights->data() : nullptr; }

auto cover(const model::RuleSet& rules, const BoundColumns& rows, const Labels& labels, const Weights& weights,
           const std::optional<OutOfBagArray>& out_of_bag) {
  check_rows(rules, rows);
  check_labels(labels, weights, rows.columns.n_rows(), rules.n_classes(), 0);
  const model::OutOfBagRows judged = out_of_bag_rows(rules, rows, out_of_bag);
  NewArray<double> counts({rules.n_rules(), rules.n_classes()});
  interruptible(nullptr, [&](runtime::StopPoll& poll) {
    rule_set::cover_counts(rules, rows.columns, labels.data(), data_of(weights), judged, poll, counts.data());
  });
  return counts.release();
}

// Numbers, weights and the rules' values must fit.
void check_numbers(const model::RuleSet& rules, const BoundColumns& rows, const Array1<double>* values,
                   const Array1<double>& numbers, const Weights& weights) {
  check_rows(rules, rows);
  const std::size_t n_rows = rows.columns.n_rows();
  if (numbers.size() != n_rows) throw std::invalid_argument("one number per row is required");
  if (weights && weights->size() != n_rows) throw std::invalid_argument("one weight per row is required");
  if (values != nullptr && values->size() != rules.n_rules()) throw std::invalid_argument("one value per rule is required");
}

auto cover_of_numbers(const model::RuleSet& rules, const Array1<double>& values, const BoundColumns& rows,
                      const Array1<double>& numbers, const Weights& weights, const std::optional<OutOfBagArray>& out_of_bag) {
  check_numbers(rules, rows, &values, numbers, weights);
  const model::OutOfBagRows judged = out_of_bag_rows(rules, rows, out_of_bag);
  const auto covers = interruptible(nullptr, [&](runtime::StopPoll& poll) {
    return rule_set::cover_numbers(rules, values.data(), rows.columns, numbers.data(), data_of(weights), judged, poll);
  });
  NewArray<double> result({covers.size(), 4});
  double* to = result.data();
  for (const rule_set::NumberCover& own : covers) {
    for (const double sum : {own.rows, own.sum, own.squares, own.distance}) *to++ = sum;
  }
  return result.release();
}

auto choose_means(const model::RuleSet& rules, const Array1<double>& values, const BoundColumns& rows,
                  const Array1<double>& numbers, const Weights& weights, std::size_t max_rules) {
  check_numbers(rules, rows, &values, numbers, weights);
  return interruptible(nullptr, [&](runtime::StopPoll& poll) {
    return rule_set::greedy_means(rules, values.data(), rows.columns, numbers.data(), data_of(weights), max_rules, poll);
  });
}

model::RuleSetPtr shorten_numbers(const model::RuleSet& rules, const BoundColumns& rows, const Array1<double>& numbers,
                                  const Weights& weights) {
  check_numbers(rules, rows, nullptr, numbers, weights);
  return interruptible(nullptr, [&](runtime::StopPoll& poll) {
    return rule_set::with_shortened_numbers(rules, rows.columns, copied(numbers), data_of(weights), poll);
  });
}

auto number_rules(const model::Ensemble& ensemble, bool raw, std::size_t max_conditions) {
  if (ensemble.n_scores() != 1) throw std::invalid_argument("an ensemble of numbers has one score");
  const rule_set::ConditionForm form = raw ? rule_set::ConditionForm::kRaw : rule_set::ConditionForm::kInterval;
  rule_set::NumberRules rules = interruptible(
      nullptr, [&](runtime::StopPoll& poll) { return rule_set::number_rules_of_ensemble(ensemble, form, max_conditions, poll); });
  return std::make_pair(std::move(rules.rules), std::move(rules.values));
}

using Votes2 = nb::ndarray<nb::numpy, const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Votes3 = nb::ndarray<nb::numpy, const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

auto errors(const Votes2& full, const Votes3& partial, const std::vector<std::size_t>& levels, const std::vector<double>& factors,
            std::optional<std::size_t> fallback, const std::vector<double>& base, const std::vector<double>& prior,
            const Labels& labels, const Weights& weights, int n_threads) {
  const std::size_t n_rows = full.shape(0), n_classes = full.shape(1);
  if (partial.shape(1) != n_rows || partial.shape(2) != n_classes || base.size() != n_classes || prior.size() != n_classes) {
    throw std::invalid_argument("the votes, base and prior do not match each other");
  }
  for (const std::size_t level : levels) {
    if (level >= partial.shape(0)) throw std::invalid_argument("a level does not exist");
  }
  if (fallback && *fallback >= partial.shape(0)) throw std::invalid_argument("the fallback's level does not exist");
  check_labels(labels, weights, n_rows, n_classes, -1);
  const rule_set::CountedVotes counted{full.data(), partial.data(), n_rows, n_classes};
  const model::Voting voting{1, 0, 1, base, prior};
  NewArray<double> result({levels.size(), factors.size()});
  interruptible(nullptr, [&](runtime::StopPoll& poll) {
    rule_set::grid_errors(counted, levels, factors, fallback ? counted.at_level(*fallback) : nullptr, voting, labels.data(),
                          data_of(weights), n_threads, poll, result.data());
  });
  return result.release();
}

}  // namespace

void register_rule_set_distillation(nb::module_& m) {
  m.def(
      "rules_of_ensemble",
      [](const model::Ensemble& ensemble, std::size_t n_classes, bool adds_scores, bool raw, std::size_t max_conditions) {
        const rule_set::LeafMeaning meaning = adds_scores ? rule_set::LeafMeaning::kScores : rule_set::LeafMeaning::kClass;
        const rule_set::ConditionForm form = raw ? rule_set::ConditionForm::kRaw : rule_set::ConditionForm::kInterval;
        if (n_classes < (adds_scores ? std::max<std::size_t>(2, ensemble.n_scores()) : ensemble.n_scores())) {
          throw std::invalid_argument("the ensemble has more scores than there are classes");
        }
        return interruptible(nullptr, [&](runtime::StopPoll& poll) {
          return rule_set::rules_of_ensemble(ensemble, n_classes, meaning, form, max_conditions, poll);
        });
      },
      nb::arg("ensemble"), nb::arg("n_classes"), nb::arg("adds_scores"), nb::arg("raw"), nb::arg("max_conditions"),
      "One rule per leaf; equal rules are merged and their weights added. OverflowError if there are too many conditions.");
  m.def("cover_counts", &cover, nb::arg("rules"), nb::arg("rows"), nb::arg("labels"), nb::arg("weights").none(),
        nb::arg("out_of_bag").none(), "Weight of the rows of each class that satisfy each rule: (rules, classes).");
  m.def("number_rules_of_ensemble", &number_rules, nb::arg("ensemble"), nb::arg("raw"), nb::arg("max_conditions"),
        "One rule per leaf of a regression, weighted by its trees, and the number of each. Equal rules are merged.");
  m.def("cover_numbers", &cover_of_numbers, nb::arg("rules"), nb::arg("values"), nb::arg("rows"), nb::arg("numbers"),
        nb::arg("weights").none(), nb::arg("out_of_bag").none(),
        "Per rule, of the rows that satisfy it: weight, sum of numbers, of squares, and of distances from the rule's value.");
  m.def("greedy_means", &choose_means, nb::arg("rules"), nb::arg("values"), nb::arg("rows"), nb::arg("numbers"),
        nb::arg("weights").none(), nb::arg("max_rules"),
        "Indices of the rules whose weighted means are closest to the numbers, best first.");
  m.def("with_shortened_numbers", &shorten_numbers, nb::arg("rules"), nb::arg("rows"), nb::arg("numbers"),
        nb::arg("weights").none(),
        "The rules, and each without the conditions that do not make its numbers closer; equal rules are merged.");
  m.def("grid_errors", &errors, nb::arg("full"), nb::arg("partial"), nb::arg("levels"), nb::arg("factors"),
        nb::arg("fallback").none(), nb::arg("base"), nb::arg("prior"), nb::arg("labels"), nb::arg("weights").none(),
        nb::arg("n_threads"), "Weight of the misclassified rows per level and factor; rows of label -1 are skipped.");
}

}  // namespace sightline::bindings
