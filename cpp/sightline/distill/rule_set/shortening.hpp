// Rules without the conditions that do not make them more precise.
#pragma once

#include <cstdint>

#include "sightline/model/rule_votes.hpp"

namespace sightline::distill::rule_set {

// The rules, and a shortened copy of each. Conditions are dropped one by one while the rule gets
// no less precise: first the one without which it is most precise, of several the later one. The
// last condition stays. The precision is (correct + 1) / (covered + classes) over the rows that
// the rule may judge. Rules that become equal are merged: their source trees are united, and each
// tree adds its weight once.
model::RuleSetPtr with_shortened(const model::RuleSet& rules, const table::Columns& rows, const std::int32_t* labels,
                                 const double* weights, const model::OutOfBagRows& out_of_bag, runtime::StopPoll& poll);

}  // namespace sightline::distill::rule_set
