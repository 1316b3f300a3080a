#include "sightline/distill/rule_set/vote_selection.hpp"

#include <algorithm>
#include <deque>
#include <memory>

#include "sightline/distill/rule_set/queue.hpp"
#include "sightline/model/rule_builder.hpp"

namespace sightline::distill::rule_set {
namespace {

constexpr int kSweepsPerRule = 5;  // while rules are still added
constexpr int kFinalSweeps = 200;
constexpr double kNoWeight = 0.1;    // a rule left with less was replaced by later rules
constexpr double kEqualGain = 1e-9;  // relative to the larger gain: a shorter rule may lose as much

RowList matching_rows(const model::RuleSet& rules, const std::vector<std::int32_t>& conditions, const table::Columns& rows) {
  RowList found;
  for (std::size_t row = 0; row < rows.n_rows(); ++row) {
    const bool all = std::all_of(conditions.begin(), conditions.end(),
                                 [&](std::int32_t c) { return rules.holds(c, value_at(rows[rules.arrays().feature[c]], row)); });
    if (all) found.push_back(static_cast<std::uint32_t>(row));
  }
  return found;
}

struct Selected {
  std::vector<std::int32_t> conditions;
  std::vector<std::int32_t> features;  // ascending
  std::vector<std::int32_t> sources;   // ascending
  std::int32_t label;
  RowList rows;
};

std::vector<std::int32_t> features_of(const model::RuleSet& rules, std::span<const std::int32_t> conditions) {
  std::vector<std::int32_t> features;
  for (const std::int32_t c : conditions) features.push_back(rules.arrays().feature[c]);
  std::sort(features.begin(), features.end());
  features.erase(std::unique(features.begin(), features.end()), features.end());
  return features;
}

bool share_rows(const RowList& a, const RowList& b, double least) {
  const double smaller = static_cast<double>(std::min(a.size(), b.size()));
  if (smaller < least * static_cast<double>(std::max(a.size(), b.size()))) return false;
  std::size_t both = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (*i == *j) ++both;
    const bool first = *i <= *j, second = *j <= *i;
    i += first;
    j += second;
  }
  return static_cast<double>(both) >= least * static_cast<double>(a.size() + b.size() - both);
}

void unite(std::vector<std::int32_t>& sources, std::span<const std::int32_t> more) {
  std::vector<std::int32_t> united;
  std::set_union(sources.begin(), sources.end(), more.begin(), more.end(), std::back_inserter(united));
  sources = std::move(united);
}

class Selection {
 public:
  Selection(const Candidates& candidates, const table::Columns& rows, const RowProbabilities& target,
            const std::vector<double>& base, const SelectionOptions& options)
      : candidates_(candidates), rules_(*candidates.rules), rows_(rows), options_(options), fit_(target, base, options.penalty) {}

  model::RuleSetPtr run(runtime::StopPoll& poll) {
    RuleQueue queue(rules_, [&](std::size_t r) { return fit_.best_vote(candidates_.rows[r]).gain; }, poll);
    while (selected_.size() < options_.max_rules) {
      const std::int64_t next = queue.next();
      if (next < 0) break;
      take(static_cast<std::size_t>(next));
    }
    fit_.refit(kFinalSweeps);
    drop_weak();
    find_sources(poll);
    return built();
  }

 private:
  void take(std::size_t rule) {
    const auto given = rules_.conditions(rule);
    const auto sources = rules_.sources(rule);
    Selected own{{given.begin(), given.end()}, {}, {sources.begin(), sources.end()}, 0, candidates_.rows[rule]};
    Vote vote = fit_.best_vote(own.rows);
    if (options_.shorten) shorten(own, vote);
    own.features = features_of(rules_, own.conditions);
    own.label = vote.label;
    for (const auto& chosen : selected_) {
      Selected& other = *chosen;
      if (own.label == other.label && own.features == other.features && share_rows(own.rows, other.rows, options_.similar)) {
        unite(other.sources, own.sources);
        return;
      }
    }
    selected_.push_back(std::make_unique<Selected>(std::move(own)));
    fit_.add(selected_.back()->rows, vote.label, vote.weight);
    fit_.refit(kSweepsPerRule);
    drop_weak();
    fit_.prepare();
  }

  void drop_weak() {
    const std::vector<bool> stays = fit_.drop_below(kNoWeight);
    std::size_t next = 0;
    std::erase_if(selected_, [&](const auto&) { return !stays[next++]; });
  }

  // Drops the condition without which the gain is largest, of several the last one, as long as it does not fall.
  void shorten(Selected& own, Vote& vote) const {
    while (own.conditions.size() > 1) {
      Vote best_vote;
      RowList best_rows;
      std::size_t best = 0;
      for (std::size_t i = 0; i < own.conditions.size(); ++i) {
        std::vector<std::int32_t> others = own.conditions;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
        RowList rows = matching_rows(rules_, others, rows_);
        const Vote without = fit_.best_vote(rows);
        if (without.gain < best_vote.gain) continue;
        best_vote = without;
        best_rows = std::move(rows);
        best = i;
      }
      if (best_vote.gain < vote.gain * (1 - kEqualGain)) return;
      own.conditions.erase(own.conditions.begin() + static_cast<std::ptrdiff_t>(best));
      own.rows = std::move(best_rows);
      vote = best_vote;
    }
  }

  void find_sources(runtime::StopPoll& poll) {
    for (std::size_t r = 0; r < rules_.n_rules(); ++r) {
      poll();
      const std::vector<std::int32_t> features = features_of(rules_, rules_.conditions(r));
      for (const auto& own : selected_) {
        if (own->features == features && share_rows(own->rows, candidates_.rows[r], options_.similar)) {
          unite(own->sources, rules_.sources(r));
        }
      }
    }
  }

  model::RuleSetPtr built() const {
    const model::RuleArrays& a = rules_.arrays();
    model::RuleBuilder builder(a.n_values, a.n_classes, a.n_trees);
    for (std::size_t s = 0; s < selected_.size(); ++s) {
      std::vector<std::int32_t> conditions;
      const Selected& own = *selected_[s];
      for (const std::int32_t c : own.conditions) conditions.push_back(builder.add_condition(condition_of(rules_, c)));
      builder.add_rule(conditions, own.label, fit_.weights()[s], own.sources);
    }
    return builder.finish();
  }

  const Candidates& candidates_;
  const model::RuleSet& rules_;
  const table::Columns& rows_;
  const SelectionOptions& options_;
  VoteFit fit_;
  std::vector<std::unique_ptr<Selected>> selected_;  // in their place, because the fit keeps pointers to their rows
};

}  // namespace

model::RuleSetPtr select_votes(const Candidates& candidates, const table::Columns& rows, const RowProbabilities& target,
                               const std::vector<double>& base, const SelectionOptions& options, runtime::StopPoll& poll) {
  return Selection(candidates, rows, target, base, options).run(poll);
}

std::vector<double> vote_weights(const model::RuleSet& rules, const table::Columns& rows, const RowProbabilities& target,
                                 const std::vector<double>& base, double penalty, runtime::StopPoll& poll) {
  VoteFit fit(target, base, penalty);
  std::deque<RowList> of_rules;
  for (std::size_t r = 0; r < rules.n_rules(); ++r) {
    poll();
    const auto conditions = rules.conditions(r);
    of_rules.push_back(matching_rows(rules, {conditions.begin(), conditions.end()}, rows));
    fit.add(of_rules.back(), rules.arrays().label[r], 1.0);
  }
  fit.refit(kFinalSweeps);
  return fit.weights();
}

}  // namespace sightline::distill::rule_set
