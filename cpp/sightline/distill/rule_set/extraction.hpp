// The trees of an ensemble as one rule set: a rule per leaf, equal ones merged.
#pragma once

#include <cstddef>
#include <stdexcept>

#include "sightline/model/ensemble.hpp"
#include "sightline/model/rules.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::distill::rule_set {

enum class ConditionForm {
  kInterval,  // one condition per feature: what all tests of the path leave of it
  kRaw,       // one condition per different test of the path
};

// Thrown where the rules would have more conditions than asked for.
class TooManyConditions : public std::overflow_error {
 public:
  TooManyConditions() : std::overflow_error("too many conditions") {}
};

// Whether trees speak for classes, or add numbers to the scores of classes (to that of the
// second one alone where there is only one score).
enum class LeafMeaning { kClass, kScores };

// A leaf votes for the class that its tree would name, with the tree's weight, or, where it
// adds to scores, for or against each class by what it adds. Two rules are
// equal if they have the same conditions, class and sign; the weights of equal ones are added.
// Conditions accept a missing value where the tree sends all of them down that branch.
model::RuleSetPtr rules_of_ensemble(const model::Ensemble& ensemble, std::size_t n_classes, LeafMeaning meaning,
                                    ConditionForm form, std::size_t max_conditions, runtime::StopPoll& poll);

}  // namespace sightline::distill::rule_set
