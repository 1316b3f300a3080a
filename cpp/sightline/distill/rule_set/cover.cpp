#include "sightline/distill/rule_set/cover.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>

namespace sightline::distill::rule_set {
namespace {

// Calls visit(rule, rows of the block, first row) for every rule and block of rows.
template <class Visit>
void for_each_match(const model::RuleSet& rules, const table::Columns& rows, const model::OutOfBagRows& out_of_bag,
                    runtime::StopPoll& poll, Visit&& visit) {
  const model::ConditionBits conditions(rules);
  model::ConditionBits::Block block;
  std::vector<model::RowBits> of_trees;
  for (std::size_t begin = 0; begin < rows.n_rows(); begin += model::RowBits::kRows) {
    poll();
    const std::size_t end = std::min(rows.n_rows(), begin + model::RowBits::kRows);
    conditions.evaluate(rows, begin, end, block);
    if (out_of_bag) out_of_bag.gather(begin, end, of_trees);
    const model::RowBits all = model::RowBits::first(end - begin);
    for (std::size_t r = 0; r < rules.n_rules(); ++r) {
      model::RowBits full = out_of_bag ? model::judged_rows(rules, r, of_trees) & all : all;
      for (const std::int32_t c : rules.conditions(r)) full &= block.holds[c];
      if (full.any()) visit(r, full, begin);
    }
  }
}

// Takes the rule with the largest gain until none gains or there are enough. `gain_of(rule)` is asked again only
// for the rule that comes first; `take(rule)` says that it is chosen.
template <class GainOf, class Take>
std::vector<std::int64_t> greedy(const model::RuleSet& rules, std::size_t max_rules, GainOf&& gain_of, Take&& take,
                                 runtime::StopPoll& poll) {
  // Sort by gain, number of trees, length, index.
  using Candidate = std::tuple<double, std::size_t, std::int64_t, std::int64_t>;
  std::priority_queue<Candidate> waiting;
  const auto candidate = [&](std::size_t r) {
    return Candidate{gain_of(r), rules.sources(r).size(), -static_cast<std::int64_t>(rules.conditions(r).size()),
                     -static_cast<std::int64_t>(r)};
  };
  for (std::size_t r = 0; r < rules.n_rules(); ++r) {
    poll();
    waiting.push(candidate(r));
  }
  std::vector<std::int64_t> chosen;
  while (!waiting.empty() && chosen.size() < max_rules) {
    poll();
    const Candidate best = waiting.top();
    waiting.pop();
    const auto r = static_cast<std::size_t>(-std::get<3>(best));
    const Candidate now = candidate(r);
    if (std::get<0>(now) <= 0) continue;
    if (!waiting.empty() && now < waiting.top()) {
      waiting.push(now);
      continue;
    }
    chosen.push_back(static_cast<std::int64_t>(r));
    take(r);
  }
  return chosen;
}

}  // namespace

void cover_counts(const model::RuleSet& rules, const table::Columns& rows, const std::int32_t* labels, const double* weights,
                  const model::OutOfBagRows& out_of_bag, runtime::StopPoll& poll, double* counts) {
  const std::size_t n_classes = rules.n_classes();
  std::fill(counts, counts + rules.n_rules() * n_classes, 0.0);
  for_each_match(rules, rows, out_of_bag, poll, [&](std::size_t r, const model::RowBits& full, std::size_t begin) {
    double* own = counts + r * n_classes;
    full.for_each([&](std::size_t i) { own[labels[begin + i]] += weights != nullptr ? weights[begin + i] : 1.0; });
  });
}

std::vector<std::int64_t> greedy_cover(const model::RuleSet& rules, const table::Columns& rows, const std::int32_t* labels,
                                       const double* weights, const CoverOptions& options, runtime::StopPoll& poll) {
  const model::RuleArrays& a = rules.arrays();
  const auto weight_of = [&](std::uint32_t row) { return weights != nullptr ? weights[row] : 1.0; };
  // A vote against a class is correct on the rows of all other classes.
  const auto is_right = [&](std::size_t r, std::uint32_t row) { return (labels[row] == a.label[r]) == (a.weight[r] >= 0); };
  std::vector<std::vector<std::uint32_t>> right(rules.n_rules());
  std::vector<double> wrong(rules.n_rules(), 0.0);
  for_each_match(rules, rows, {}, poll, [&](std::size_t r, const model::RowBits& full, std::size_t begin) {
    full.for_each([&](std::size_t i) {
      const auto row = static_cast<std::uint32_t>(begin + i);
      if (is_right(r, row)) {
        right[r].push_back(row);
      } else {
        wrong[r] += weight_of(row);
      }
    });
  });

  std::vector<std::int32_t> missing(rows.n_rows(), options.times);
  const auto gain_of = [&](std::size_t r) {
    double gain = -options.wrong_costs * wrong[r];
    for (const std::uint32_t row : right[r]) {
      if (missing[row] > 0) gain += weight_of(row);
    }
    return gain;
  };
  const auto take = [&](std::size_t r) {
    for (const std::uint32_t row : right[r]) --missing[row];
  };
  return greedy(rules, options.max_rules, gain_of, take, poll);
}

std::vector<NumberCover> cover_numbers(const model::RuleSet& rules, const double* values, const table::Columns& rows,
                                       const double* numbers, const double* weights, const model::OutOfBagRows& out_of_bag,
                                       runtime::StopPoll& poll) {
  std::vector<NumberCover> covers(rules.n_rules());
  for_each_match(rules, rows, out_of_bag, poll, [&](std::size_t r, const model::RowBits& full, std::size_t begin) {
    full.for_each([&](std::size_t i) {
      const double weight = weights != nullptr ? weights[begin + i] : 1.0;
      const double number = numbers[begin + i];
      covers[r].rows += weight;
      covers[r].sum += weight * number;
      covers[r].squares += weight * number * number;
      covers[r].distance += weight * std::abs(number - values[r]);
    });
  });
  return covers;
}

std::vector<std::int64_t> greedy_means(const model::RuleSet& rules, const double* values, const table::Columns& rows,
                                       const double* numbers, const double* weights, double start, std::size_t max_rules,
                                       runtime::StopPoll& poll) {
  const std::vector<double>& rule_weight = rules.arrays().weight;
  std::vector<std::vector<std::uint32_t>> covered(rules.n_rules());
  for_each_match(rules, rows, {}, poll, [&](std::size_t r, const model::RowBits& full, std::size_t begin) {
    full.for_each([&](std::size_t i) { covered[r].push_back(static_cast<std::uint32_t>(begin + i)); });
  });
  // Per row: the sums of the chosen rules that hold.
  std::vector<double> total(rows.n_rows(), 0.0);
  std::vector<double> weight(rows.n_rows(), 0.0);
  const auto squared = [](double x) { return x * x; };
  const auto gain_of = [&](std::size_t r) {
    double gain = 0;
    for (const std::uint32_t row : covered[r]) {
      const double before = weight[row] > 0 ? total[row] / weight[row] : start;
      const double after = (total[row] + rule_weight[r] * values[r]) / (weight[row] + rule_weight[r]);
      gain += (weights != nullptr ? weights[row] : 1.0) * (squared(numbers[row] - before) - squared(numbers[row] - after));
    }
    return gain;
  };
  const auto take = [&](std::size_t r) {
    for (const std::uint32_t row : covered[r]) {
      total[row] += rule_weight[r] * values[r];
      weight[row] += rule_weight[r];
    }
  };
  return greedy(rules, max_rules, gain_of, take, poll);
}

}  // namespace sightline::distill::rule_set
