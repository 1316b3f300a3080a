// Rules without the conditions that do not make them more precise.
#pragma once

#include <cstdint>
#include <vector>

#include "sightline/model/rule_votes.hpp"

namespace sightline::distill::rule_set {

// The rules, and a shortened copy of each. Conditions are dropped one by one while the rule gets
// no less precise: first the one without which it is most precise, of several the later one. The
// last condition stays. The precision is (correct + 1) / (covered + classes) over the rows that
// the rule may judge. Rules that become equal are merged: their source trees are united, and each
// tree adds its weight once.
model::RuleSetPtr with_shortened(const model::RuleSet& rules, const table::Columns& rows, const std::int32_t* labels,
                                 const double* weights, const model::OutOfBagRows& out_of_bag, runtime::StopPoll& poll);

// The same for rules that predict numbers. In the place of the precision, the mean squared distance of the rows'
// numbers from their mean must not grow, in units of their variance, with one more row at the distance 1.
model::RuleSetPtr with_shortened_numbers(const model::RuleSet& rules, const table::Columns& rows, std::vector<double> numbers,
                                         const double* weights, runtime::StopPoll& poll);

}  // namespace sightline::distill::rule_set
