// A few rules that vote like an ensemble.
#pragma once

#include <cstddef>
#include <vector>

#include "sightline/distill/rule_set/vote_fit.hpp"

namespace sightline::distill::rule_set {

struct SelectionOptions {
  std::size_t max_rules = 0;
  bool shorten = true;   // drop conditions as long as the loss does not rise
  double penalty = 1;    // see VoteFit
  double similar = 0.9;  // rules on the same features that share this part of their rows count as one
};

// Takes the rule with the largest gain, one after the other, until none gains or there are enough, and returns the rules
// in that order with their classes and final weights. A rule that is nearly equal to one before, of the same class, is
// merged with it instead: the one before stays as it is. Rows of weight 0 do not count. Each rule is found in the trees of
// all candidates that are nearly equal to it.
model::RuleSetPtr select_votes(const Candidates& candidates, const table::Columns& rows, const RowProbabilities& target,
                               const std::vector<double>& base, const SelectionOptions& options, runtime::StopPoll& poll);

// The weights of rules of known classes, as select_votes gives them.
std::vector<double> vote_weights(const model::RuleSet& rules, const table::Columns& rows, const RowProbabilities& target,
                                 const std::vector<double>& base, double penalty, runtime::StopPoll& poll);

}  // namespace sightline::distill::rule_set
