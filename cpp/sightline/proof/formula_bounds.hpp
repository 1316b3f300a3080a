// A formula under a box: bounds of what it makes of scores that are only known within bounds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightline/model/formula.hpp"
#include "sightline/proof/score_bounds.hpp"

namespace sightline::proof {

class FormulaBounds {
 public:
  explicit FormulaBounds(model::FormulaPtr formula);

  // The label of all scores within the bounds, or -1 if there may be several.
  std::int32_t certain_label(std::span<const ScoreBounds> scores);
  // Whether no scores within the bounds get this label, as far as the bounds of one other label show.
  bool excludes(std::span<const ScoreBounds> scores, std::int32_t label);
  // Bounds of the first number of the formula's answer, for all scores within the bounds.
  ScoreBounds number(std::span<const ScoreBounds> scores);
  // The label of exactly these scores.
  std::int32_t label(std::span<const double> scores);

 private:
  void bound(std::size_t step, std::span<const ScoreBounds> scores);
  // Bounds of the numbers that decide the label, or null if infinities have met: then there are none.
  const ScoreBounds* bound_labels(std::span<const ScoreBounds> scores);

  model::FormulaPtr formula_;
  std::vector<ScoreBounds> numbers_;  // of all steps, one behind the other
  std::vector<const ScoreBounds*> in_;
  std::vector<ScoreBounds> point_;
};

}  // namespace sightline::proof
