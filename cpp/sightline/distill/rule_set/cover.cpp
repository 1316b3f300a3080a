#include "sightline/distill/rule_set/cover.hpp"

#include <algorithm>
#include <cmath>

#include "sightline/distill/rule_set/queue.hpp"

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
                                       const double* numbers, const double* weights, std::size_t max_rules,
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
      const double before = weight[row] > 0 ? total[row] / weight[row] : 0.0;
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
  RuleQueue queue(rules, gain_of, poll);
  std::vector<std::int64_t> chosen;
  while (chosen.size() < max_rules) {
    const std::int64_t next = queue.next();
    if (next < 0) break;
    chosen.push_back(next);
    take(static_cast<std::size_t>(next));
  }
  return chosen;
}

}  // namespace sightline::distill::rule_set
