#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "arrays.hpp"
#include "interruptible.hpp"
#include "register.hpp"
#include "rule_rows.hpp"
#include "sightline/model/rule_decision.hpp"
#include "sightline/model/rule_simplification.hpp"

namespace sightline::bindings {
namespace {

using Doubles = Array1<double>;
using Ints = Array1<std::int32_t>;
using Longs = Array1<std::int64_t>;

model::RuleSetPtr make_rule_set(std::vector<std::int32_t> n_values, std::size_t n_classes, std::size_t n_trees,
                                const Ints& feature, const Doubles& low, const Doubles& high,
                                const Array1<std::uint8_t>& accepts_missing, const Longs& category_begin, const Ints& category,
                                const Longs& condition_begin, const Ints& condition, const Ints& label, const Doubles& weight,
                                const Longs& source_begin, const Ints& source) {
  model::RuleArrays a;
  a.n_values = std::move(n_values);
  a.n_classes = n_classes;
  a.n_trees = n_trees;
  a.feature = copied(feature);
  a.low = copied(low);
  a.high = copied(high);
  a.accepts_missing = copied(accepts_missing);
  a.category_begin = copied(category_begin);
  a.category = copied(category);
  a.condition_begin = copied(condition_begin);
  a.condition = copied(condition);
  a.label = copied(label);
  a.weight = copied(weight);
  a.source_begin = copied(source_begin);
  a.source = copied(source);
  nb::gil_scoped_release unlock;
  return std::make_shared<const model::RuleSet>(std::move(a));
}

template <class T>
auto array_property(std::vector<T> model::RuleArrays::* member) {
  return [member](nb::handle_t<model::RuleSet> self) {
    const std::vector<T>& values = nb::cast<const model::RuleSet&>(self).arrays().*member;
    return view(values.data(), {values.size()}, self);
  };
}

model::Voting make_voting(const model::RuleSet& rules, double pc, double factor, double fallback, const std::vector<double>& base,
                          const std::vector<double>& prior) {
  check_per_class(rules, base.size());
  check_per_class(rules, prior.size());
  return {pc, factor, fallback, base, prior};
}

auto count_votes(const model::RuleSet& rules, const BoundColumns& rows, std::vector<double> levels,
                 const std::optional<OutOfBagArray>& out_of_bag, int n_threads) {
  check_rows(rules, rows);
  if (!std::is_sorted(levels.begin(), levels.end())) throw std::invalid_argument("the levels must be ascending");
  const model::OutOfBagRows judged = out_of_bag_rows(rules, rows, out_of_bag);
  NewArray<double> full({rows.columns.n_rows(), rules.n_classes()});
  NewArray<double> partial({levels.size(), rows.columns.n_rows(), rules.n_classes()});
  interruptible(nullptr, [&](runtime::StopPoll& poll) {
    model::RuleVotes(rules, std::move(levels)).count(rows.columns, judged, n_threads, poll, full.data(), partial.data());
  });
  return std::make_pair(full.release(), partial.release());
}

void bind_arrays(nb::class_<model::RuleSet>& bound) {
  bound.def_prop_ro("feature", array_property(&model::RuleArrays::feature), "Per condition: the feature it is about.")
      .def_prop_ro("low", array_property(&model::RuleArrays::low), "Per condition: numbers must be above this.")
      .def_prop_ro("high", array_property(&model::RuleArrays::high), "Per condition: numbers must be at most this.")
      .def_prop_ro("accepts_missing", array_property(&model::RuleArrays::accepts_missing),
                   "Per condition: 1 if a missing value satisfies it.")
      .def_prop_ro("category_begin", array_property(&model::RuleArrays::category_begin),
                   "Per condition, and one more: first category.")
      .def_prop_ro("category", array_property(&model::RuleArrays::category),
                   "Categories that satisfy conditions on nominal features.")
      .def_prop_ro("condition_begin", array_property(&model::RuleArrays::condition_begin),
                   "Per rule, and one more: first condition.")
      .def_prop_ro("condition", array_property(&model::RuleArrays::condition), "The conditions of the rules.")
      .def_prop_ro("label", array_property(&model::RuleArrays::label), "Per rule: the class it votes for.")
      .def_prop_ro("weight", array_property(&model::RuleArrays::weight),
                   "Per rule: the weight of a full match; negative votes against.")
      .def_prop_ro("source_begin", array_property(&model::RuleArrays::source_begin), "Per rule, and one more: first source tree.")
      .def_prop_ro("source", array_property(&model::RuleArrays::source), "The trees that the rules were found in.");
}

}  // namespace

void register_rule_set(nb::module_& m) {
  nb::class_<model::RuleSet> bound(m, "RuleSet",
                                   "Rules as arrays: shared conditions, and per rule its conditions, class and weight.");
  bound
      .def(nb::new_(&make_rule_set), nb::arg("n_values"), nb::arg("n_classes"), nb::arg("n_trees"), nb::arg("feature"),
           nb::arg("low"), nb::arg("high"), nb::arg("accepts_missing"), nb::arg("category_begin"), nb::arg("category"),
           nb::arg("condition_begin"), nb::arg("condition"), nb::arg("label"), nb::arg("weight"), nb::arg("source_begin"),
           nb::arg("source"), "Check and build; ValueError names the condition or the rule at fault.")
      .def_prop_ro("n_rules", &model::RuleSet::n_rules, "Number of rules.")
      .def_prop_ro("n_conditions", &model::RuleSet::n_conditions, "Number of different conditions.")
      .def_prop_ro("n_classes", &model::RuleSet::n_classes, "Number of classes.")
      .def_prop_ro(
          "n_trees", [](const model::RuleSet& self) { return self.arrays().n_trees; }, "Trees that the rules come from.")
      .def(
          "selected", [](const model::RuleSet& self, const Longs& rules) { return self.selected({rules.data(), rules.size()}); },
          nb::arg("rules"), "Some of the rules, in this order.")
      .def(
          "reweighted", [](const model::RuleSet& self, const Doubles& weight) { return self.reweighted(copied(weight)); },
          nb::arg("weight"), "The same rules with other weights.")
      .def("count_votes", &count_votes, nb::arg("rows"), nb::arg("levels"), nb::arg("out_of_bag").none(), nb::arg("n_threads"),
           "Full votes (rows, classes) and partial ones (levels, rows, classes). With `out_of_bag` (trees, rows), a rule "
           "judges only the rows that one of its source trees has not seen.")
      .def(
          "holds",
          [](const model::RuleSet& self, const BoundColumns& rows) {
            check_rows(self, rows);
            NewArray<std::uint8_t> result({rows.columns.n_rows(), self.n_conditions()});
            interruptible(nullptr,
                          [&](runtime::StopPoll& poll) { model::condition_matrix(self, rows.columns, poll, result.data()); });
            return result.release();
          },
          nb::arg("rows"), "Whether each condition holds for each row: (rows, conditions).")
      .def(
          "vote",
          [](const model::RuleSet& self, const BoundColumns& rows, double pc, double factor, double fallback,
             const std::vector<double>& base, const std::vector<double>& prior, int n_threads) {
            check_rows(self, rows);
            const model::Voting voting = make_voting(self, pc, factor, fallback, base, prior);
            NewArray<double> result({rows.columns.n_rows(), self.n_classes()});
            interruptible(nullptr, [&](runtime::StopPoll& poll) {
              model::VotingRules(self, voting).vote(rows.columns, n_threads, poll, result.data());
            });
            return result.release();
          },
          nb::arg("rows"), nb::arg("pc"), nb::arg("factor"), nb::arg("fallback"), nb::arg("base"), nb::arg("prior"),
          nb::arg("n_threads"), "Votes of every row for every class.")
      .def_static(
          "winners",
          [](const nb::ndarray<nb::numpy, const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& votes,
             const std::vector<double>& prior) {
            if (votes.shape(1) != prior.size() || prior.empty()) throw std::invalid_argument("one prior per class is required");
            NewArray<std::int64_t> result({votes.shape(0)});
            for (std::size_t row = 0; row < votes.shape(0); ++row) {
              result.data()[row] =
                  static_cast<std::int64_t>(model::vote_winner({votes.data() + row * prior.size(), prior.size()}, prior));
            }
            return result.release();
          },
          nb::arg("votes"), nb::arg("prior"), "The class with most votes per row; ties go to the larger prior, then the first.")
      .def(
          "simplified",
          [](const model::RuleSet& self, double pc, double factor, double fallback, const std::vector<double>& base,
             const std::vector<double>& prior) {
            const model::Voting voting = make_voting(self, pc, factor, fallback, base, prior);
            return interruptible(nullptr, [&](runtime::StopPoll& poll) { return model::simplified(self, voting, poll); });
          },
          nb::arg("pc"), nb::arg("factor"), nb::arg("fallback"), nb::arg("base"), nb::arg("prior"),
          "Fewer rules and conditions that give every row the same class.");
  bind_arrays(bound);
  m.attr("VOTE_TIE") = model::kVoteTie;
  m.attr("NO_VOTE") = model::kNoVote;
  m.attr("SHARE_ROUNDING") = model::kShareRounding;
  m.def("conditions_needed", &model::conditions_needed, nb::arg("pc"), nb::arg("length"),
        "Satisfied conditions that a rule of this length needs for a share of at least pc.");
}

}  // namespace sightline::bindings
