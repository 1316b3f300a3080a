// The errors of each pc and wr, from votes that were counted once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sightline/model/rule_decision.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::distill::rule_set {

// Counted votes of rows: full (row, class) and partial (level, row, class), see RuleVotes.
struct CountedVotes {
  const double* full;
  const double* partial;
  std::size_t n_rows;
  std::size_t n_classes;

  const double* at_level(std::size_t level) const { return partial + level * n_rows * n_classes; }
};

// Weight of the misclassified rows: (level, factor). `fallback` holds (row, class) votes, or is
// null. The pc and wr of `voting` are ignored. Rows of label -1 are skipped.
void grid_errors(const CountedVotes& votes, const std::vector<std::size_t>& levels, const std::vector<double>& factors,
                 const double* fallback, const model::Voting& voting, const std::int32_t* labels, const double* weights,
                 int n_threads, runtime::StopPoll& poll, double* errors);

}  // namespace sightline::distill::rule_set
