// Evaluates the conditions of a rule set on rows, each distinct condition once.
#pragma once

#include <cstdint>
#include <vector>

#include "sightline/model/row_bits.hpp"
#include "sightline/model/rules.hpp"
#include "sightline/runtime/stop.hpp"
#include "sightline/table/columns.hpp"

namespace sightline::model {

// Laid out once per rule set. A row is placed among the sorted bounds of a feature by one
// binary search; all conditions on the feature are then read off two words each.
class ConditionBits {
 public:
  explicit ConditionBits(const RuleSet& rules);

  // Memory that the blocks of one thread share.
  struct Block {
    std::vector<RowBits> slots;
    std::vector<RowBits> holds;  // per condition
  };

  // Fills block.holds for rows [begin, end), at most RowBits::kRows of them.
  void evaluate(const table::Columns& rows, std::size_t begin, std::size_t end, Block& block) const;

 private:
  // Slots of a numeric feature: rows with x <= bound, per bound ascending; rows with a
  // known value. Of a nominal one: rows with each value. Then, of both: rows without value.
  struct Feature {
    std::int32_t feature;
    std::size_t first_slot;
    std::vector<double> bounds;
    std::int32_t n_values;
    std::size_t missing_slot;
  };
  // A numeric condition holds in `upper` without `lower`, or in `missing`.
  struct Range {
    std::size_t upper, lower, missing;
  };

  void place_numbers(const Feature& feature, const table::Column& column, std::size_t begin, std::size_t n, RowBits* slots) const;
  void place_codes(const Feature& feature, const table::Column& column, std::size_t begin, std::size_t n, RowBits* slots) const;

  const RuleSet& rules_;
  std::vector<Feature> features_;
  std::vector<Range> ranges_;             // per condition, numeric ones only
  std::vector<std::size_t> first_value_;  // per condition, nominal ones only: slot of code 0
  std::size_t n_slots_ = 1;               // slot 0 holds no row
};

// Whether each condition holds for each row: (row, condition), bytes.
void condition_matrix(const RuleSet& rules, const table::Columns& rows, runtime::StopPoll& poll, std::uint8_t* holds);

}  // namespace sightline::model
