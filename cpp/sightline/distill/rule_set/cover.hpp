// Which rows the rules hold for: how good each rule is, and which few of them are enough.
#pragma once

#include <cstdint>
#include <vector>

#include "sightline/model/rule_votes.hpp"

namespace sightline::distill::rule_set {

// Weight of the rows of each class that satisfy each rule: (rule, class). Rows are labelled
// by codes; without weights each counts as one. With `unseen`, only the rows count that the
// rule may judge.
void cover_counts(const model::RuleSet& rules, const table::Columns& rows, const std::int32_t* labels, const double* weights,
                  const model::UnseenRows& unseen, runtime::StopPoll& poll, double* counts);

struct CoverOptions {
  std::int32_t times = 3;  // how often each row wants to be covered rightly
  double wrong_costs = 1;  // a wrongly covered row, against a rightly covered one
  std::size_t max_rules = 0;
};

// Greedy multi-cover: the rule with the largest gain is taken until none gains or there are
// enough. The gain is the weight of the rows that the rule covers rightly and that are not
// covered rightly often enough yet, minus that of the rows that it covers wrongly. Equal
// gains go to the rule in more trees, then to the shorter one, then to the first. Gains only
// fall, so that most need no second look.
std::vector<std::int64_t> greedy_cover(const model::RuleSet& rules, const table::Columns& rows, const std::int32_t* labels,
                                       const double* weights, const CoverOptions& options, runtime::StopPoll& poll);

}  // namespace sightline::distill::rule_set
