// What a plan costs that is to ask few tests per row.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "sightline/proof/smallest/leaf_states.hpp"
#include "sightline/proof/smallest/plan_search.hpp"
#include "sightline/table/columns.hpp"

namespace sightline::proof::smallest {

// A state is a function that is left, and the rows that come there. Every row pays for every test on its path,
// and a leaf costs a little, so that a few rows do not justify large trees. Where no row comes, the plan with few
// leaves is as good as any. See PlanSearch.
class RowStates {
 public:
  using State = std::int32_t;
  static constexpr State kDead = -1;
  static constexpr double kCostOfLeaf = 0.02;

  // Rows with a missing value where none is allowed are left out.
  RowStates(Diagram& diagram, PlanSearch<LeafStates>& leaves, const table::Columns& rows);

  // The state of a function for the rows that take these steps.
  State state(Diagram::Id function, std::span<const Step> steps);
  Diagram::Id function(State s) const { return states_[s].function; }
  double weight(State s) const { return sets_[states_[s].rows].weight; }
  double total() const { return sets_[0].weight; }

  std::size_t index(State s) const { return static_cast<std::size_t>(s); }
  bool is_dead(State s) const { return s == kDead; }
  bool is_closed(State s) const { return is_dead(s) || diagram_.is_terminal(function(s)) || weight(s) == 0; }
  double closed_cost(State s) { return kCostOfLeaf * (is_dead(s) ? 1 : leaves_.cost(function(s))); }
  double closed_least(State s) { return kCostOfLeaf * (is_dead(s) ? 1 : leaves_.least(function(s))); }
  double asking(State s) const { return weight(s); }
  double least(State s) const { return weight(s) + kCostOfLeaf * diagram_.least_leaves(function(s)); }
  double guess(State s) const;
  double unit() const { return total() / 256 + kCostOfLeaf; }
  template <class Use>
  void for_each_test(State s, Use use) const {
    diagram_.for_each_test(function(s), use);
  }
  void append_outcomes(State s, std::int32_t test, std::vector<State>& states);
  double certain_gain(std::int32_t test) const { return kCostOfLeaf * LeafStates(diagram_).certain_gain(test); }
  std::size_t memory() const { return bytes_; }

 private:
  struct Entry {
    Diagram::Id function;
    std::int32_t rows;
  };
  // Rows of the same atoms are one, with a weight.
  struct RowSet {
    std::vector<std::int32_t> members;
    double weight;
  };

  State state_of(Diagram::Id function, std::int32_t rows);
  std::int32_t set_of(std::vector<std::int32_t> members);
  std::int32_t part(std::int32_t rows, std::int32_t test, std::int32_t outcome);

  Diagram& diagram_;
  PlanSearch<LeafStates>& leaves_;
  std::size_t n_levels_;
  std::vector<std::int32_t> atoms_;  // per row and level
  std::vector<double> weight_;       // per row
  std::vector<RowSet> sets_;
  std::map<std::vector<std::int32_t>, std::int32_t> set_numbers_;
  std::unordered_map<std::uint64_t, std::vector<std::int32_t>> parts_;  // by set and test: the sets of its outcomes
  std::vector<Entry> states_;
  std::unordered_map<std::uint64_t, State> numbers_;  // by function and set
  std::vector<Diagram::Id> next_;
  std::size_t bytes_ = 0;
};

}  // namespace sightline::proof::smallest
