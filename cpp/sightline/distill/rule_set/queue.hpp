// Greedy selection with gains that are computed again only when they matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <queue>
#include <tuple>

#include "sightline/model/rules.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::distill::rule_set {

// Hands out the rule with the largest gain. `gain_of(rule)` is recomputed only for the first rule, because
// gains usually fall. Ties go to the rule in more trees, then to the shorter one, then to the first.
template <class GainOf>
class RuleQueue {
 public:
  RuleQueue(const model::RuleSet& rules, GainOf gain_of, runtime::StopPoll& poll)
      : rules_(rules), gain_of_(gain_of), poll_(poll) {
    for (std::size_t r = 0; r < rules.n_rules(); ++r) {
      poll_();
      const Entry entry = entry_of(r);
      if (std::get<0>(entry) > 0) waiting_.push(entry);
    }
  }

  // The index of the rule, which is not handed out again; -1 if none gains.
  std::int64_t next() {
    while (!waiting_.empty()) {
      poll_();
      const auto rule = static_cast<std::size_t>(-std::get<3>(waiting_.top()));
      waiting_.pop();
      const Entry now = entry_of(rule);
      if (std::get<0>(now) <= 0) continue;
      if (waiting_.empty() || now >= waiting_.top()) return static_cast<std::int64_t>(rule);
      waiting_.push(now);
    }
    return -1;
  }

 private:
  using Entry = std::tuple<double, std::size_t, std::int64_t, std::int64_t>;  // gain, trees, -length, -index

  Entry entry_of(std::size_t r) {
    return {gain_of_(r), rules_.sources(r).size(), -static_cast<std::int64_t>(rules_.conditions(r).size()),
            -static_cast<std::int64_t>(r)};
  }

  const model::RuleSet& rules_;
  GainOf gain_of_;
  runtime::StopPoll& poll_;
  std::priority_queue<Entry> waiting_;
};

}  // namespace sightline::distill::rule_set
