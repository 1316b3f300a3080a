// The rules of an ensemble: one per leaf, with equal rules merged.
#pragma once

#include <cstddef>
#include <vector>

#include "sightline/distill/rule_set/path.hpp"
#include "sightline/model/ensemble.hpp"
#include "sightline/model/rules.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::distill::rule_set {

// Whether leaves vote for a class, add numbers to the scores of classes (a single score is that
// of the second class), or predict a number.
enum class LeafMeaning { kClass, kScores, kNumber };

// A leaf votes for its class with the tree's weight. A leaf that adds to scores votes for or
// against each class with the number it adds. Rules are equal if they have the same conditions,
// class and sign; their weights are added. A condition accepts a missing value if the tree sends
// all missing values down that branch.
model::RuleSetPtr rules_of_ensemble(const model::Ensemble& ensemble, std::size_t n_classes, LeafMeaning meaning,
                                    ConditionForm form, std::size_t max_conditions, runtime::StopPoll& poll);

struct NumberRules {
  model::RuleSetPtr rules;     // of one class, weighted by their trees
  std::vector<double> values;  // per rule: the number that it predicts
};

// A leaf predicts its number with the tree's weight. Equal rules predict the weighted mean of their
// numbers, which leaves every weighted mean of rules as it is.
NumberRules number_rules_of_ensemble(const model::Ensemble& ensemble, ConditionForm form, std::size_t max_conditions,
                                     runtime::StopPoll& poll);

}  // namespace sightline::distill::rule_set
