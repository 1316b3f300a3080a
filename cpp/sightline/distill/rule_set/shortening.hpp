// Rules of numbers without the conditions that do not bring their numbers closer.
#pragma once

#include <vector>

#include "sightline/model/rules.hpp"
#include "sightline/runtime/stop.hpp"
#include "sightline/table/columns.hpp"

namespace sightline::distill::rule_set {

// The rules, and a shortened copy of each. Conditions are dropped one by one while the numbers of the rows that satisfy
// the rule get no farther apart: first the one without which they are closest, of several the later one. The last
// condition stays. Measured is the mean squared distance from their mean, in units of the variance of all rows, with one
// more row at the distance 1. Rules that become equal are merged: their source trees are united, and each tree adds its
// weight once.
model::RuleSetPtr with_shortened_numbers(const model::RuleSet& rules, const table::Columns& rows, std::vector<double> numbers,
                                         const double* weights, runtime::StopPoll& poll);

}  // namespace sightline::distill::rule_set
