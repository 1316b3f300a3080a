// A formula: how the scores of an ensemble become class probabilities and a label, step by step.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sightline::model {

// Every operation gives a row of numbers. All but those marked * are monotone in each of their inputs. Those of
// one number from kExp on are the curves of curve.hpp.
enum class Op : std::uint8_t {
  kScores,        // the scores that `columns` names
  kDivide,        // x / numbers[0]
  kAffine,        // numbers[0] * x + numbers[1]
  kSigmoid,       // 1 / (1 + exp(-x))
  kComplement,    // one number x: (1 - x, x)
  kMirror,        // one number x: (-x, x)
  kDifference,    // two numbers: x[1] - x[0]
  kSoftmax,       // * exp(x[k]) over their sum
  kNumpySoftmax,  // * the same, by numpy's exp
  kLog,           // log(x + numbers[0]), by numpy's log
  kAverage,       // the inputs times numbers[i], added up in their order, over the last number
  kSelect,        // the columns named
  kPlace,         // numbers[0] zeros, with the input at the columns named
  kConcat,        // the inputs side by side
  kNormalize,     // * over their sum; numbers[0] each if that is 0
  kInterpolate,   // between points: numbers holds the ascending x, then the y, none below the one before
  kMix,           // numbers is a matrix with a row per number of the input, none negative: the input times the matrix
  kClipOne,       // 1 for what exceeds 1 by up to 1e-5
  kArgmax,        // * 1 for the first of the largest, 0 for the others; equal are those within numbers[0], if there
  kAbove,         // (0, 1) or (1, 0): 1 for class columns[1] if x[columns[0]] > numbers[0], else for the other
  kOneVsOne,      // * inputs in pairs, label and confidence per pair of classes (0, 1), (0, 2), ...: numbers[0] decisions
  kExp,           // exp(x), by C's exp
  kFastExp,       // exp(x), by CatBoost's table
  kNaturalLog,    // log(x), by C's log
  kLog1p,         // log(1 + x), by C's log1p
  kSqrt,          // the square root
  kSquare,        // * x * x
  kSignedSquare,  // x * x with the sign of x
  kSnap,          // 0 for what is within numbers[0] of 0, 1 for what is within it of 1; from 0 to 1
  kYeoJohnson,    // the inverse of the Yeo-Johnson transform with the power numbers[0], by numpy
  kBoxCox,        // the inverse of the Box-Cox transform with the power numbers[0], by SciPy
  kNormalCdf,     // the share of a normal distribution below x, by SciPy
  kNumpyExp,      // by numpy, as all that follow
  kNumpyExp2,
  kNumpyExpm1,
  kNumpyLog,
  kNumpyLog2,
  kNumpyLog10,
  kNumpyLog1p,
  kNumpyCbrt,
  kNumpySinh,
  kNumpyArcsinh,
};

// The operation with this name in files; throws std::invalid_argument for an unknown name.
Op op_named(const std::string& name);

struct Step {
  Op op = Op::kScores;
  std::vector<std::int32_t> of;  // inputs: earlier steps
  std::vector<double> numbers;
  std::vector<std::int32_t> columns;
  bool single = false;  // computed in float, as XGBoost does
};

class Formula {
 public:
  // The label of scores for which the last bit of numpy's exp or log decides; of a regression the number.
  using Arbiter = std::function<double(std::span<const double>)>;

  // `probabilities` and `label` are steps as wide as there are classes. The label is the first of the
  // largest numbers of its step. Throws std::invalid_argument naming the step that is wrong.
  Formula(std::vector<Step> steps, std::size_t n_scores, std::size_t probabilities, std::size_t label, Arbiter arbiter = {});

  const std::vector<Step>& steps() const { return steps_; }
  std::size_t n_scores() const { return n_scores_; }
  std::size_t n_classes() const { return width(probabilities_); }
  std::size_t probabilities_step() const { return probabilities_; }
  std::size_t label_step() const { return label_; }
  std::size_t width(std::size_t step) const { return begin_[step + 1] - begin_[step]; }
  // Where the numbers of a step begin among those of all steps.
  std::size_t begin(std::size_t step) const { return begin_[step]; }
  std::size_t n_numbers() const { return begin_.back(); }

  // Empty unless the formula has operations of numpy. Without asking it, labels and probabilities are
  // right but for the last bits.
  const Arbiter& arbiter() const { return arbiter_; }

  // The numbers of all steps, one behind the other. Steps in `given` have their numbers there already.
  void evaluate(std::span<const double> scores, double* numbers, std::span<const std::size_t> given = {}) const;
  std::int32_t label(std::span<const double> scores) const;
  void probabilities(std::span<const double> scores, double* result) const;

 private:
  std::size_t checked_width(std::size_t step) const;

  std::vector<Step> steps_;
  std::size_t n_scores_;
  std::size_t probabilities_, label_;
  Arbiter arbiter_;
  std::vector<std::size_t> begin_;
};

using FormulaPtr = std::shared_ptr<const Formula>;

// The value at x between points; x beyond the ends counts as an end. In double precision computed as
// numpy's interp does, in single precision as SciPy's interp1d does.
double interpolated(std::span<const double> numbers, double x, bool single);
double logistic(double x, bool single);
// Column c of numbers times the matrix. No entry is negative, so rounding included it ascends with each number.
template <class Number>
double mixed(std::span<const double> matrix, std::size_t width, std::size_t c, Number number) {
  double sum = 0;
  for (std::size_t k = 0; k * width < matrix.size(); ++k) sum += number(k) * matrix[k * width + c];
  return sum;
}
// kAffine at x; in single precision the product and the sum are rounded one after the other.
double affine(const Step& step, double x);
// How far apart kArgmax takes numbers as equal.
double argmax_tolerance(const Step& step);
// What a sum of confidences adds to the votes: within (-1/3, 1/3), as scikit-learn transforms it.
double confidence_share(double sum);

}  // namespace sightline::model
