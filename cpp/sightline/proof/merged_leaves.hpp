// The leaves of a merged tree or graph: labels, or numbers within a tolerance.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "sightline/proof/score_bounds.hpp"

namespace sightline::proof {

// Numbers the different leaves. A leaf that is proved is never the same as one that is not.
class MergedLeaves {
 public:
  using Kind = std::int32_t;

  // Leaves of labels.
  explicit MergedLeaves(std::size_t n_classes) : n_outputs_(n_classes) {}
  // Leaves of numbers: a leaf answers with one number for all that are within `tolerance` of it. On a
  // grid, these are the numbers of one cell, so that a graph shares more leaves.
  MergedLeaves(double tolerance, bool on_grid) : n_outputs_(1), tolerance_(tolerance), on_grid_(on_grid && tolerance > 0) {}

  std::size_t n_outputs() const { return n_outputs_; }
  Kind of_label(std::int32_t label, bool proved) { return kind_of({static_cast<double>(label), 0}, proved); }
  // A leaf for every number within the bounds. It is proved if `fits` says so.
  Kind of_numbers(const ScoreBounds& numbers, bool proved);
  // Whether one number is close enough to all within the bounds.
  bool fits(const ScoreBounds& numbers) const;
  // The one leaf that can replace several proved ones, if there is one.
  std::optional<Kind> joined(std::span<const Kind> kinds);

  bool is_proved(Kind kind) const { return leaves_[kind].proved; }
  void write(Kind kind, double* output) const;

 private:
  struct Leaf {
    ScoreBounds numbers;  // of a label: it and 0
    bool proved;
  };

  bool of_numbers() const { return tolerance_.has_value(); }
  bool is_narrow(const ScoreBounds& numbers) const;
  std::optional<ScoreBounds> cell_of(const ScoreBounds& numbers) const;
  Kind kind_of(const ScoreBounds& numbers, bool proved);

  std::size_t n_outputs_;
  std::optional<double> tolerance_;
  bool on_grid_ = false;
  std::vector<Leaf> leaves_;
  std::map<std::tuple<double, double, bool>, Kind> kinds_;
};

}  // namespace sightline::proof
