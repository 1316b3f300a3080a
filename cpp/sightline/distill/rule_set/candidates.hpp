// The rules from which a few are selected: one per node of an ensemble's trees that enough rows reach.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sightline/distill/rule_set/path.hpp"
#include "sightline/model/ensemble.hpp"
#include "sightline/model/rules.hpp"
#include "sightline/runtime/stop.hpp"
#include "sightline/table/columns.hpp"

namespace sightline::distill::rule_set {

// A number or a code as rules compare it; NaN if it is missing or not declared.
inline double value_at(const table::Column& column, std::size_t row) {
  if (!column.is_nominal()) return column.number(row);
  const std::int32_t code = column.code(row);
  return code >= 0 && code < column.n_values() ? code : std::numeric_limits<double>::quiet_NaN();
}

using RowList = std::vector<std::uint32_t>;  // ascending

struct Candidates {
  model::RuleSetPtr rules;    // no class yet: label 0, weight 1
  std::vector<RowList> rows;  // per rule: the rows that satisfy it
  std::size_t n_rows = 0;
};

struct CandidateOptions {
  std::size_t n_classes = 1;
  ConditionForm form = ConditionForm::kInterval;
  double min_weight = 1;        // of the rows of a rule
  std::size_t max_entries = 0;  // of all row lists together; TooManyConditions is thrown beyond
};

// Inner nodes are general rules, leaves special ones, so that a few good ones can be found among them even if leaves
// are tiny, or add to scores instead of naming a class. Rules that the same rows satisfy are one: the shortest stays,
// found in the trees of all. Rules that all rows satisfy are left out. Null weights mean 1 each.
Candidates candidates_of(const model::Ensemble& ensemble, const table::Columns& rows, const double* weights,
                         const CandidateOptions& options, runtime::StopPoll& poll);

}  // namespace sightline::distill::rule_set
