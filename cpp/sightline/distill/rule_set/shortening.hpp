// Rules without the conditions that do not make them better.
#pragma once

#include <cstdint>

#include "sightline/model/rule_votes.hpp"

namespace sightline::distill::rule_set {

// The rules, and each of them once more after the conditions were dropped, one by one, whose
// absence makes it no less precise: the precision is (right + 1) / (covered + classes) over
// the rows that the rule may judge, and of several conditions the one goes first without
// which the rule is most precise, the later one if these are equal. The last stays. Rules that
// have become equal are merged: source trees are united, and each adds its weight once.
model::RuleSetPtr with_shortened(const model::RuleSet& rules, const table::Columns& rows, const std::int32_t* labels,
                                 const double* weights, const model::UnseenRows& unseen, runtime::StopPoll& poll);

}  // namespace sightline::distill::rule_set
