// What a plan costs that is to have few leaves.
#pragma once

#include <cstdint>
#include <vector>

#include "sightline/proof/smallest/diagram.hpp"

namespace sightline::proof::smallest {

// A state is a function that is left: a node of the label's diagram. See PlanSearch.
class LeafStates {
 public:
  using State = Diagram::Id;

  explicit LeafStates(Diagram& diagram) : diagram_(diagram) {}

  std::size_t index(State s) const { return static_cast<std::size_t>(s); }
  Diagram::Id function(State s) const { return s; }
  bool is_dead(State s) const { return s == Diagram::kDead; }
  bool is_closed(State s) const { return is_dead(s) || diagram_.is_terminal(s); }
  double closed_cost(State) const { return 1; }
  double closed_least(State) const { return 1; }
  double asking(State) const { return 0; }
  double least(State s) const { return diagram_.least_leaves(s); }
  double guess(State s) const { return is_dead(s) ? 1 : diagram_.guess(s); }
  double unit() const { return 1; }
  template <class Use>
  void for_each_test(State s, Use use) const {
    diagram_.for_each_test(s, use);
  }
  void append_outcomes(State s, std::int32_t test, std::vector<State>& states) {
    const AtomTest& asked = diagram_.atoms().tests()[test];
    if (asked.n_outcomes > 2) {
      for (std::int32_t i = 0; i < asked.n_outcomes; ++i) states.push_back(diagram_.outcome(s, test, i));
      return;
    }
    const Diagram::Cut both = diagram_.cut(s, test);
    states.push_back(both.first);
    states.push_back(both.second);
  }
  // Every tree tests a threshold on which its function depends, unless the answer is already known.
  double certain_gain(std::int32_t test) const {
    const Level& level = diagram_.atoms().level(diagram_.atoms().tests()[test].level);
    return level.ordered && !level.missing_apart ? 1 : 0;
  }

 private:
  Diagram& diagram_;
};

}  // namespace sightline::proof::smallest
