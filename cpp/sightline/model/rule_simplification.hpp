// Simplifies a rule set without changing any prediction.
#pragma once

#include "sightline/model/rule_decision.hpp"
#include "sightline/model/rules.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::model {

// Where only full matches vote and there is no fallback: conditions that others of their
// rule imply are merged, rules that no row can satisfy are dropped, rules that have become
// equal are merged, and a rule is dropped if the rules of its class that hold wherever it
// holds outvote, without it, all possible votes against it there. So the class stays the
// same where the rule holds, and nothing changes elsewhere.
// Where partial matches vote, too, every condition counts: only rules that no row can
// satisfy far enough to vote are dropped.
RuleSetPtr simplified(const RuleSet& rules, const Voting& voting, runtime::StopPoll& poll);

}  // namespace sightline::model
