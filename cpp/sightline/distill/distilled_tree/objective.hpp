// What a small tree is charged for: wrong labels, distant numbers, or both.
#pragma once

#include <vector>

namespace sightline::distill::distilled_tree {

// The loss of a row in a leaf is its importance times
//   label * charge(row, label of the leaf) + target * (distance of the row's target from the leaf's value).
// The charge of a label is 1 if it is not the row's own and 0 if it is, unless charges are given per
// row. The target of a row is the ensemble's probabilities, or its number. Labels alone are the
// default; numbers have no labels.
struct Objective {
  double label = 1;
  double target = 0;
  bool absolute = false;  // of one number: the distance itself instead of its square
  // Numbers are measured from `center` in units of `scale`, so that losses are of the order of 1.
  double center = 0;
  double scale = 1;
  // Importance of a row per unit of its weight, by its label; empty: 1.
  std::vector<double> class_weight = {};
  // What a unit of the probability of class k is worth to label c, at [k * n_classes + c]; empty: 1
  // if c is k, else 0. Used only in growth.
  std::vector<double> worth = {};
};

// Losses are rounded to multiples of 2^-24. If the weights are multiples of a power of two, too,
// sums of them are exact, so that the order of the rows leaves no trace.
inline double on_grid(double loss) {
  constexpr double kShift = 0x1.8p28;
  return (loss + kShift) - kShift;
}

}  // namespace sightline::distill::distilled_tree
