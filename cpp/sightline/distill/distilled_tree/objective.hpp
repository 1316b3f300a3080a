// What a small tree is charged for: wrong labels, distant numbers, or both.
#pragma once

namespace sightline::distill::distilled_tree {

// The loss of a row in a leaf is its weight times
//   label * [the leaf has another label] + target * (distance of the row's target from the leaf's value).
// The target of a row is the ensemble's probabilities, or its number. Labels alone are the
// default; numbers have no labels.
struct Objective {
  double label = 1;
  double target = 0;
  bool absolute = false;  // of one number: the distance itself instead of its square
  // Numbers are measured from `center` in units of `scale`, so that losses are of the order of 1.
  double center = 0;
  double scale = 1;
  double min_leaf = 0;  // minimum weight of the training rows in a leaf
};

// Losses are rounded to multiples of 2^-24. If the weights are multiples of a power of two, too,
// sums of them are exact, so that the order of the rows leaves no trace.
inline double on_grid(double loss) {
  constexpr double kShift = 0x1.8p28;
  return (loss + kShift) - kShift;
}

}  // namespace sightline::distill::distilled_tree
