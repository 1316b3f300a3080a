#include "sightline/model/formula.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "sightline/model/curve.hpp"
#include "sightline/model/ensemble.hpp"

namespace sightline::model {
namespace {

constexpr std::array<std::pair<Op, const char*>, 42> kNames{{
    {Op::kScores, "scores"},
    {Op::kDivide, "divide"},
    {Op::kAffine, "affine"},
    {Op::kSigmoid, "sigmoid"},
    {Op::kComplement, "complement"},
    {Op::kMirror, "mirror"},
    {Op::kDifference, "difference"},
    {Op::kSoftmax, "softmax"},
    {Op::kNumpySoftmax, "numpy_softmax"},
    {Op::kLog, "log"},
    {Op::kAverage, "average"},
    {Op::kSelect, "select"},
    {Op::kPlace, "place"},
    {Op::kConcat, "concat"},
    {Op::kNormalize, "normalize"},
    {Op::kInterpolate, "interpolate"},
    {Op::kMix, "mix"},
    {Op::kClipOne, "clip_one"},
    {Op::kArgmax, "argmax"},
    {Op::kAbove, "above"},
    {Op::kOneVsOne, "one_vs_one"},
    {Op::kExp, "exp"},
    {Op::kFastExp, "fast_exp"},
    {Op::kNaturalLog, "natural_log"},
    {Op::kLog1p, "log1p"},
    {Op::kSqrt, "sqrt"},
    {Op::kSquare, "square"},
    {Op::kSignedSquare, "signed_square"},
    {Op::kSnap, "snap"},
    {Op::kYeoJohnson, "inverse_yeo_johnson"},
    {Op::kBoxCox, "inverse_box_cox"},
    {Op::kNormalCdf, "normal_cdf"},
    {Op::kNumpyExp, "numpy_exp"},
    {Op::kNumpyExp2, "numpy_exp2"},
    {Op::kNumpyExpm1, "numpy_expm1"},
    {Op::kNumpyLog, "numpy_log"},
    {Op::kNumpyLog2, "numpy_log2"},
    {Op::kNumpyLog10, "numpy_log10"},
    {Op::kNumpyLog1p, "numpy_log1p"},
    {Op::kNumpyCbrt, "numpy_cbrt"},
    {Op::kNumpySinh, "numpy_sinh"},
    {Op::kNumpyArcsinh, "numpy_arcsinh"},
}};

// What exceeds 1 by no more than this is a rounding error, as scikit-learn sees it.
constexpr double kLargestExcess = 1e-5;
// XGBoost cuts the exponent here, and adds this to the denominator.
constexpr float kLargestExponent = 88.7f;
constexpr float kSingleEpsilon = 1e-16f;
// numpy adds up to this many numbers in eight interleaved sums.
constexpr std::size_t kPairwiseBlock = 128;

double rounded(double value, bool single) { return single ? static_cast<float>(value) : value; }

// The sum as numpy computes it along contiguous numbers.
double pairwise_sum(const double* x, std::size_t n) {
  if (n < 8) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += x[i];
    return sum;
  }
  if (n > kPairwiseBlock) {
    std::size_t half = n / 2;
    half -= half % 8;
    return pairwise_sum(x, half) + pairwise_sum(x + half, n - half);
  }
  double r[8];
  std::copy(x, x + 8, r);
  std::size_t i = 8;
  for (; i + 8 <= n; i += 8) {
    for (std::size_t j = 0; j < 8; ++j) r[j] += x[i + j];
  }
  double sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
  for (; i < n; ++i) sum += x[i];
  return sum;
}

void softmax(const double* x, std::size_t n, bool single, double* out) {
  const double largest = *std::max_element(x, x + n);
  if (!single) {
    for (std::size_t k = 0; k < n; ++k) out[k] = std::exp(x[k] - largest);
    const double sum = pairwise_sum(out, n);
    for (std::size_t k = 0; k < n; ++k) out[k] /= sum;
    return;
  }
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k) {
    out[k] = std::exp(static_cast<float>(x[k]) - static_cast<float>(largest));
    sum += out[k];
  }
  for (std::size_t k = 0; k < n; ++k) out[k] = static_cast<float>(out[k]) / static_cast<float>(sum);
}

void average(const Step& step, std::span<const double* const> in, std::size_t width, double* out) {
  for (std::size_t k = 0; k < width; ++k) {
    double sum = step.numbers[0] * in[0][k];
    for (std::size_t i = 1; i < in.size(); ++i) sum = rounded(sum + step.numbers[i] * in[i][k], step.single);
    out[k] = rounded(sum / step.numbers.back(), step.single);
  }
}

// scikit-learn adds up calibrated probabilities along rows, which numpy does pairwise, and those of one
// class against the rest along columns, one by one. Only the former has a value for sums of 0.
void normalize(const Step& step, const double* x, std::size_t n, double* out) {
  const double otherwise = step.numbers[0];
  double sum = 0;
  if (otherwise > 0) {
    sum = pairwise_sum(x, n);
  } else {
    for (std::size_t k = 0; k < n; ++k) sum = rounded(sum + x[k], step.single);
  }
  for (std::size_t k = 0; k < n; ++k) out[k] = sum != 0 ? rounded(x[k] / sum, step.single) : otherwise;
}

void one_vs_one(std::span<const double* const> in, std::size_t n_classes, double* out) {
  std::vector<double> confidence(n_classes, 0.0);
  std::fill(out, out + n_classes, 0.0);
  std::size_t pair = 0;
  for (std::size_t i = 0; i < n_classes; ++i) {
    for (std::size_t j = i + 1; j < n_classes; ++j, ++pair) {
      const double* label = in[2 * pair];
      out[i] += label[0];
      out[j] += label[1];
      confidence[i] -= *in[2 * pair + 1];
      confidence[j] += *in[2 * pair + 1];
    }
  }
  for (std::size_t k = 0; k < n_classes; ++k) out[k] += confidence_share(confidence[k]);
}

[[noreturn]] void fail(std::size_t step, const std::string& what) {
  throw std::invalid_argument("step " + std::to_string(step) + " of the formula: " + what);
}

// Arity of each operation: numbers of inputs, numbers and columns; -1 means any.
struct Shape {
  int n_inputs, n_numbers, n_columns;
};

Shape shape_of(Op op) {
  switch (op) {
    case Op::kScores:
      return {0, 0, -1};
    case Op::kDivide:
    case Op::kLog:
    case Op::kNormalize:
    case Op::kSnap:
    case Op::kYeoJohnson:
    case Op::kBoxCox:
      return {1, 1, 0};
    case Op::kAffine:
      return {1, 2, 0};
    case Op::kSelect:
      return {1, 0, -1};
    case Op::kPlace:
      return {1, 1, -1};
    case Op::kAbove:
      return {1, 1, 2};
    case Op::kAverage:
    case Op::kOneVsOne:
      return {-1, -1, 0};
    case Op::kConcat:
      return {-1, 0, 0};
    case Op::kInterpolate:
    case Op::kMix:
    case Op::kArgmax:
      return {1, -1, 0};
    default:
      return {1, 0, 0};
  }
}

bool is_count(double number) { return number >= 1 && number < 65536 && number == std::floor(number); }

void check_points(std::span<const double> numbers, std::size_t step) {
  const std::size_t n = numbers.size() / 2;
  if (numbers.empty() || numbers.size() % 2 != 0) fail(step, "needs pairs of numbers");
  for (std::size_t i = 1; i < n; ++i) {
    if (!(numbers[i - 1] < numbers[i])) fail(step, "its points must ascend");
    if (!(numbers[n + i - 1] <= numbers[n + i])) fail(step, "its values must not descend");
  }
}

}  // namespace

Op op_named(const std::string& name) {
  for (const auto& [op, known] : kNames) {
    if (name == known) return op;
  }
  throw std::invalid_argument("a formula has no operation '" + name + "'");
}

double logistic(double x, bool single) {
  if (!single) return 1 / (1 + std::exp(-x));
  const float exponent = std::min(-static_cast<float>(x), kLargestExponent);
  return 1.0f / (std::exp(exponent) + 1.0f + kSingleEpsilon);
}

double argmax_tolerance(const Step& step) { return step.numbers.empty() ? 0 : step.numbers[0]; }

double affine(const Step& step, double x) {
  return rounded(rounded(step.numbers[0] * x, step.single) + step.numbers[1], step.single);
}

double interpolated(std::span<const double> numbers, double x, bool single) {
  const std::size_t n = numbers.size() / 2;
  const double* xs = numbers.data();
  const double* ys = xs + n;
  if (single && n > 1) {
    const auto at = static_cast<float>(std::clamp(x, xs[0], xs[n - 1]));
    const auto j = static_cast<std::size_t>(std::lower_bound(xs, xs + n, at) - xs);
    const std::size_t high = std::clamp<std::size_t>(j, 1, n - 1), low = high - 1;
    const auto rise = static_cast<float>(ys[high]) - static_cast<float>(ys[low]);
    const auto run = static_cast<float>(xs[high]) - static_cast<float>(xs[low]);
    return rise / run * (at - static_cast<float>(xs[low])) + static_cast<float>(ys[low]);
  }
  if (x <= xs[0]) return ys[0];
  if (x >= xs[n - 1]) return ys[n - 1];
  const std::size_t j = static_cast<std::size_t>(std::upper_bound(xs, xs + n, x) - xs) - 1;
  if (x == xs[j]) return ys[j];
  const double slope = (ys[j + 1] - ys[j]) / (xs[j + 1] - xs[j]);
  return slope * (x - xs[j]) + ys[j];
}

double confidence_share(double sum) { return sum / (3 * (std::abs(sum) + 1)); }

Formula::Formula(std::vector<Step> steps, std::size_t n_scores, std::size_t probabilities, std::size_t label, Arbiter arbiter)
    : steps_(std::move(steps)),
      n_scores_(n_scores),
      probabilities_(probabilities),
      label_(label),
      arbiter_(std::move(arbiter)),
      begin_{0} {
  for (std::size_t s = 0; s < steps_.size(); ++s) begin_.push_back(begin_.back() + checked_width(s));
  if (probabilities_ >= steps_.size() || label_ >= steps_.size())
    throw std::invalid_argument("the formula has no such step for its result");
  if (width(probabilities_) != width(label_))
    throw std::invalid_argument("the formula's label and probabilities differ in their number of classes");
}

std::size_t Formula::checked_width(std::size_t s) const {
  const Step& step = steps_[s];
  const Shape shape = shape_of(step.op);
  if (shape.n_inputs >= 0 ? step.of.size() != static_cast<std::size_t>(shape.n_inputs) : step.of.empty())
    fail(s, "has a wrong number of inputs");
  if (shape.n_numbers >= 0 && step.numbers.size() != static_cast<std::size_t>(shape.n_numbers))
    fail(s, "has a wrong number of numbers");
  if (shape.n_columns >= 0 ? step.columns.size() != static_cast<std::size_t>(shape.n_columns) : step.columns.empty())
    fail(s, "has a wrong number of columns");
  for (const std::int32_t input : step.of) {
    if (input < 0 || static_cast<std::size_t>(input) >= s) fail(s, "an input is not an earlier step");
  }
  for (const double number : step.numbers) {
    if (!std::isfinite(number)) fail(s, "a number is not finite");
  }
  const std::size_t n = step.of.empty() ? n_scores_ : width(step.of[0]);
  const auto check_columns = [&](std::size_t end) {
    for (const std::int32_t column : step.columns) {
      if (column < 0 || static_cast<std::size_t>(column) >= end) fail(s, "a column does not exist");
    }
  };
  switch (step.op) {
    case Op::kScores:
    case Op::kSelect:
      check_columns(n);
      return step.columns.size();
    case Op::kDivide:
      if (step.numbers[0] == 0) fail(s, "divides by 0");
      return n;
    case Op::kLog:
      if (!(step.numbers[0] > 0)) fail(s, "needs a positive number");
      return n;
    case Op::kComplement:
    case Op::kMirror:
      if (n != 1) fail(s, "needs one number");
      return 2;
    case Op::kDifference:
      if (n != 2) fail(s, "needs two numbers");
      return 1;
    case Op::kAverage:
      if (step.numbers.size() != step.of.size() + 1) fail(s, "needs one number per input and a divisor");
      if (step.numbers.back() == 0) fail(s, "divides by 0");
      for (const std::int32_t input : step.of) {
        if (width(input) != n) fail(s, "its inputs differ in length");
      }
      return n;
    case Op::kPlace: {
      if (!is_count(step.numbers[0]) || step.columns.size() != n) fail(s, "has a wrong number of columns");
      const auto size = static_cast<std::size_t>(step.numbers[0]);
      check_columns(size);
      return size;
    }
    case Op::kConcat: {
      std::size_t total = 0;
      for (const std::int32_t input : step.of) total += width(input);
      return total;
    }
    case Op::kInterpolate:
      check_points(step.numbers, s);
      return n;
    case Op::kMix:
      if (step.numbers.empty() || step.numbers.size() % n != 0) fail(s, "needs as many rows as its input has numbers");
      if (*std::min_element(step.numbers.begin(), step.numbers.end()) < 0) fail(s, "a number is negative");
      return step.numbers.size() / n;
    case Op::kAbove:
      if (static_cast<std::size_t>(step.columns[0]) >= n || step.columns[1] < 0 || step.columns[1] > 1)
        fail(s, "a column does not exist");
      return 2;
    case Op::kArgmax:
      if (step.numbers.size() > 1 || argmax_tolerance(step) < 0) fail(s, "needs one tolerance or none");
      return n;
    case Op::kOneVsOne: {
      if (step.numbers.size() != 1 || !is_count(step.numbers[0])) fail(s, "needs the number of classes");
      const auto n_classes = static_cast<std::size_t>(step.numbers[0]);
      if (step.of.size() != n_classes * (n_classes - 1)) fail(s, "has a wrong number of inputs");
      for (std::size_t i = 0; i < step.of.size(); ++i) {
        if (width(step.of[i]) != (i % 2 == 0 ? 2 : 1)) fail(s, "its inputs must be labels and confidences in turn");
      }
      return n_classes;
    }
    default:
      return n;
  }
}

void Formula::evaluate(std::span<const double> scores, double* numbers, std::span<const std::size_t> given) const {
  std::vector<const double*> in;
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    if (std::find(given.begin(), given.end(), s) != given.end()) continue;
    const Step& step = steps_[s];
    in.clear();
    for (const std::int32_t input : step.of) in.push_back(numbers + begin_[input]);
    const double* x = in.empty() ? scores.data() : in[0];
    const std::size_t n = in.empty() ? n_scores_ : width(step.of[0]);
    double* out = numbers + begin_[s];
    const auto map = [&](auto function) { std::transform(x, x + n, out, function); };
    switch (step.op) {
      case Op::kScores:
      case Op::kSelect:
        for (const std::int32_t column : step.columns) *out++ = x[column];
        break;
      case Op::kDivide:
        map([&](double value) { return rounded(value / step.numbers[0], step.single); });
        break;
      case Op::kAffine:
        map([&](double value) { return affine(step, value); });
        break;
      case Op::kSigmoid:
        map([&](double value) { return logistic(value, step.single); });
        break;
      case Op::kComplement:
        out[0] = rounded(1 - x[0], step.single);
        out[1] = x[0];
        break;
      case Op::kMirror:
        out[0] = -x[0];
        out[1] = x[0];
        break;
      case Op::kDifference:
        out[0] = x[1] - x[0];
        break;
      case Op::kSoftmax:
      case Op::kNumpySoftmax:
        softmax(x, n, step.single, out);
        break;
      case Op::kLog:
        map([&](double value) { return std::log(value + step.numbers[0]); });
        break;
      case Op::kAverage:
        average(step, in, n, out);
        break;
      case Op::kPlace:
        std::fill(out, out + width(s), 0.0);
        for (std::size_t k = 0; k < n; ++k) out[step.columns[k]] = x[k];
        break;
      case Op::kConcat:
        for (std::size_t i = 0; i < in.size(); ++i) out = std::copy(in[i], in[i] + width(step.of[i]), out);
        break;
      case Op::kNormalize:
        normalize(step, x, n, out);
        break;
      case Op::kInterpolate:
        map([&](double value) { return interpolated(step.numbers, value, step.single); });
        break;
      case Op::kMix:
        for (std::size_t c = 0; c < width(s); ++c) out[c] = mixed(step.numbers, width(s), c, [&](std::size_t k) { return x[k]; });
        break;
      case Op::kClipOne:
        map([](double value) { return value > 1 && value <= 1 + kLargestExcess ? 1.0 : value; });
        break;
      case Op::kArgmax:
        std::fill(out, out + n, 0.0);
        out[argmax(std::span(x, n), argmax_tolerance(step))] = 1;
        break;
      case Op::kAbove: {
        const bool above = x[step.columns[0]] > step.numbers[0];
        out[step.columns[1]] = above ? 1 : 0;
        out[1 - step.columns[1]] = above ? 0 : 1;
        break;
      }
      case Op::kOneVsOne:
        one_vs_one(in, width(s), out);
        break;
      default:
        map([&](double value) { return curve(step, value); });
    }
  }
}

std::int32_t Formula::label(std::span<const double> scores) const {
  thread_local std::vector<double> numbers;
  numbers.resize(n_numbers());
  evaluate(scores, numbers.data());
  const double* first = numbers.data() + begin_[label_];
  return static_cast<std::int32_t>(std::max_element(first, first + width(label_)) - first);
}

void Formula::probabilities(std::span<const double> scores, double* result) const {
  thread_local std::vector<double> numbers;
  numbers.resize(n_numbers());
  evaluate(scores, numbers.data());
  const double* first = numbers.data() + begin_[probabilities_];
  std::copy(first, first + width(probabilities_), result);
}

}  // namespace sightline::model
