// Coverage of rules, and a few rules whose means are close to numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "sightline/model/rule_votes.hpp"

namespace sightline::distill::rule_set {

// Weight of the rows of each class that satisfy each rule: (rule, class). Labels are class codes;
// without weights each row counts as one. With `out_of_bag`, a rule counts only its out-of-bag rows.
void cover_counts(const model::RuleSet& rules, const table::Columns& rows, const std::int32_t* labels, const double* weights,
                  const model::OutOfBagRows& out_of_bag, runtime::StopPoll& poll, double* counts);

// What the numbers of the rows that satisfy a rule sum up to: weight, weight * number, weight * number^2,
// and weight * |number - value of the rule|.
struct NumberCover {
  double rows = 0;
  double sum = 0;
  double squares = 0;
  double distance = 0;
};

// The same for numbers, per rule.
std::vector<NumberCover> cover_numbers(const model::RuleSet& rules, const double* values, const table::Columns& rows,
                                       const double* numbers, const double* weights, const model::OutOfBagRows& out_of_bag,
                                       runtime::StopPoll& poll);

// Rules whose weighted means are close to the rows' numbers. Starting from 0 for every row, takes the rule that
// lowers the squared error of the means most, until none does or there are enough. Gains are kept as in RuleQueue.
std::vector<std::int64_t> greedy_means(const model::RuleSet& rules, const double* values, const table::Columns& rows,
                                       const double* numbers, const double* weights, std::size_t max_rules,
                                       runtime::StopPoll& poll);

}  // namespace sightline::distill::rule_set
