// Functions of one number by which regressions predict: exponentials, logarithms, roots and squares.
#pragma once

#include "sightline/model/formula.hpp"

namespace sightline::model {

// The operation of the step, one of those from kExp on, at x. Results of numpy and SciPy may differ from it in
// the last bits.
double curve(const Step& step, double x);

// exp(x) as CatBoost computes it for predictions of rates: a table of powers of two and a cubic, bit by bit.
double fast_exp(double x);

}  // namespace sightline::model
