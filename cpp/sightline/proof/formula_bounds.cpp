#include "sightline/proof/formula_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sightline/model/curve.hpp"

namespace sightline::proof {
namespace {

using model::Op;

// Sums, products, quotients and comparisons round monotonically: a step that is made of them in the same
// order gives at the ends of an interval what no number within it exceeds. What is computed in another
// order, or by exp and log, may err. It is widened by this many units in the last place, far more than it
// can err, per number that enters it.
constexpr double kUnits = 16;

double unit_of(bool single) { return single ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon(); }

// Bounds that also hold what rounding makes of them; `scale` is the largest number on the way.
ScoreBounds widened(double low, double high, std::size_t n, bool single, double scale = 0) {
  const double unit = kUnits * static_cast<double>(n + 1) * unit_of(single);
  const double least = single ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
  return {low - unit * std::max(std::abs(low), scale) - least, high + unit * std::max(std::abs(high), scale) + least};
}

double exp_sum(const ScoreBounds* x, std::size_t n, std::size_t k, double own, bool of_high) {
  double sum = 1;
  for (std::size_t j = 0; j < n; ++j) {
    if (j != k) sum += std::exp((of_high ? x[j].high : x[j].low) - own);
  }
  return sum;
}

// A probability grows with its own score and falls with every other.
void softmax(const ScoreBounds* x, std::size_t n, bool single, ScoreBounds* out) {
  for (std::size_t k = 0; k < n; ++k) {
    out[k] = widened(1 / exp_sum(x, n, k, x[k].low, true), 1 / exp_sum(x, n, k, x[k].high, false), n, single);
  }
}

void average(const model::Step& step, std::span<const ScoreBounds* const> in, std::size_t width, ScoreBounds* out) {
  const auto rounded = [&](double value) { return step.single ? static_cast<float>(value) : value; };
  for (std::size_t k = 0; k < width; ++k) {
    double low = 0, high = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const double weight = step.numbers[i];
      const double least = weight * (weight < 0 ? in[i][k].high : in[i][k].low);
      const double most = weight * (weight < 0 ? in[i][k].low : in[i][k].high);
      low = i == 0 ? least : rounded(low + least);
      high = i == 0 ? most : rounded(high + most);
    }
    low = rounded(low / step.numbers.back());
    high = rounded(high / step.numbers.back());
    out[k] = step.numbers.back() < 0 ? ScoreBounds{high, low} : ScoreBounds{low, high};
  }
}

// A share grows with its own number and falls with every other. Numbers are not negative, but widened
// bounds of them may be.
void normalize(const model::Step& step, const ScoreBounds* x, std::size_t n, ScoreBounds* out) {
  const auto low = [&](std::size_t k) { return std::max(x[k].low, 0.0); };
  const auto share = [](double own, double others) { return own == 0 ? 0 : own / (own + others); };
  for (std::size_t k = 0; k < n; ++k) {
    double min_others = 0, max_others = 0;
    for (std::size_t j = 0; j < n; ++j) {
      if (j == k) continue;
      min_others += low(j);
      max_others += std::max(x[j].high, 0.0);
    }
    out[k] = widened(share(low(k), max_others), share(std::max(x[k].high, 0.0), min_others), n, step.single);
    // All of them may be 0.
    if (low(k) + min_others == 0) {
      out[k].include(0.0);
      out[k].include(step.numbers[0]);
    }
  }
}

// One of the largest numbers may be any that reaches the highest lower bound, up to the tolerance. Differences round
// monotonically.
void argmax(const ScoreBounds* x, std::size_t n, double tolerance, ScoreBounds* out) {
  for (std::size_t k = 0; k < n; ++k) {
    bool can = true, must = true;
    for (std::size_t j = 0; j < n; ++j) {
      if (j == k) continue;
      can &= !(x[j].low - x[k].high > tolerance);
      must &= x[k].low - x[j].high > tolerance;
    }
    out[k] = {must ? 1.0 : 0.0, can ? 1.0 : 0.0};
  }
}

void above(const model::Step& step, const ScoreBounds* x, ScoreBounds* out) {
  const ScoreBounds& value = x[step.columns[0]];
  const ScoreBounds is_above{value.low > step.numbers[0] ? 1.0 : 0.0, value.high > step.numbers[0] ? 1.0 : 0.0};
  out[step.columns[1]] = is_above;
  out[1 - step.columns[1]] = {1 - is_above.high, 1 - is_above.low};
}

// Descends up to 0, then ascends.
void square(const model::Step& step, const ScoreBounds* x, std::size_t n, ScoreBounds* out) {
  for (std::size_t k = 0; k < n; ++k) {
    const double first = model::curve(step, x[k].low), last = model::curve(step, x[k].high);
    out[k] = {x[k].low <= 0 && x[k].high >= 0 ? 0 : std::min(first, last), std::max(first, last)};
  }
}

// All others ascend. Outside its domain a curve gives NaN, which is no bound.
void curve(const model::Step& step, const ScoreBounds* x, std::size_t n, ScoreBounds* out) {
  for (std::size_t k = 0; k < n; ++k) {
    const double low = model::curve(step, x[k].low), high = model::curve(step, x[k].high);
    const double largest = std::max(std::abs(low), std::abs(high));
    // What is rounded close to 1 before the end, and the exponent of a power, which errs with its size.
    const double scale = step.op == Op::kBoxCox ? largest * (1 + std::abs(std::log(largest))) : 1;
    const bool loses = step.op == Op::kBoxCox || step.op == Op::kYeoJohnson || step.op == Op::kNormalCdf;
    out[k] = step.op == Op::kSnap ? ScoreBounds{low, high} : widened(low, high, 1, step.single, loses ? scale : 0);
  }
}

void one_vs_one(std::span<const ScoreBounds* const> in, std::size_t n_classes, ScoreBounds* out) {
  std::vector<ScoreBounds> confidence(n_classes, {0, 0});
  std::fill(out, out + n_classes, ScoreBounds{0, 0});
  std::size_t pair = 0;
  for (std::size_t i = 0; i < n_classes; ++i) {
    for (std::size_t j = i + 1; j < n_classes; ++j, ++pair) {
      out[i] += in[2 * pair][0];
      out[j] += in[2 * pair][1];
      const ScoreBounds& sure = *in[2 * pair + 1];
      confidence[i] += {-sure.high, -sure.low};
      confidence[j] += sure;
    }
  }
  for (std::size_t k = 0; k < n_classes; ++k) {
    // x / (3 (|x| + 1)) ascends, but not its rounding.
    out[k] += widened(model::confidence_share(confidence[k].low), model::confidence_share(confidence[k].high), 1, false);
  }
}

}  // namespace

FormulaBounds::FormulaBounds(model::FormulaPtr formula) : formula_(std::move(formula)), numbers_(formula_->n_numbers()) {}

void FormulaBounds::bound(std::size_t s, std::span<const ScoreBounds> scores) {
  const model::Step& step = formula_->steps()[s];
  in_.clear();
  for (const std::int32_t input : step.of) in_.push_back(numbers_.data() + formula_->begin(input));
  const ScoreBounds* x = in_.empty() ? scores.data() : in_[0];
  const std::size_t n = in_.empty() ? scores.size() : formula_->width(step.of[0]);
  ScoreBounds* out = numbers_.data() + formula_->begin(s);
  const auto ascending = [&](auto function, bool errs, double scale = 0) {
    for (std::size_t k = 0; k < n; ++k) {
      const double low = function(x[k].low), high = function(x[k].high);
      out[k] = errs ? widened(low, high, 1, step.single, scale) : ScoreBounds{low, high};
    }
  };
  switch (step.op) {
    case Op::kScores:
    case Op::kSelect:
      for (const std::int32_t column : step.columns) *out++ = x[column];
      return;
    case Op::kDivide:
      ascending([&](double value) { return step.single ? static_cast<float>(value / step.numbers[0]) : value / step.numbers[0]; },
                false);
      if (step.numbers[0] < 0) std::for_each(out, out + n, [](ScoreBounds& b) { std::swap(b.low, b.high); });
      return;
    case Op::kAffine:
      ascending([&](double value) { return model::affine(step, value); }, false);
      if (step.numbers[0] < 0) std::for_each(out, out + n, [](ScoreBounds& b) { std::swap(b.low, b.high); });
      return;
    case Op::kSigmoid:
      return ascending([&](double value) { return model::logistic(value, step.single); }, true);
    case Op::kComplement:
      out[0] = step.single ? widened(1 - x[0].high, 1 - x[0].low, 1, true, 1) : ScoreBounds{1 - x[0].high, 1 - x[0].low};
      out[1] = x[0];
      return;
    case Op::kMirror:
      out[0] = {-x[0].high, -x[0].low};
      out[1] = x[0];
      return;
    case Op::kDifference:
      out[0] = {x[1].low - x[0].high, x[1].high - x[0].low};
      return;
    case Op::kSoftmax:
    case Op::kNumpySoftmax:
      return softmax(x, n, step.single, out);
    case Op::kLog:
      // Below any probability the logarithm does not exist; widened bounds may lie there.
      return ascending([&](double value) { return std::log(std::max(value, 0.0) + step.numbers[0]); }, true, 1);
    case Op::kAverage:
      return average(step, in_, n, out);
    case Op::kPlace:
      std::fill(out, out + formula_->width(s), ScoreBounds{0, 0});
      for (std::size_t k = 0; k < n; ++k) out[step.columns[k]] = x[k];
      return;
    case Op::kConcat:
      for (std::size_t i = 0; i < in_.size(); ++i) out = std::copy(in_[i], in_[i] + formula_->width(step.of[i]), out);
      return;
    case Op::kNormalize:
      return normalize(step, x, n, out);
    case Op::kInterpolate: {
      double scale = 0;
      for (const double number : step.numbers) scale = std::max(scale, std::abs(number));
      return ascending([&](double value) { return model::interpolated(step.numbers, value, step.single); }, true, scale);
    }
    case Op::kMix: {
      const std::size_t width = formula_->width(s);
      for (std::size_t c = 0; c < width; ++c) {
        out[c] = {model::mixed(step.numbers, width, c, [&](std::size_t k) { return x[k].low; }),
                  model::mixed(step.numbers, width, c, [&](std::size_t k) { return x[k].high; })};
      }
      return;
    }
    case Op::kClipOne:
      // Never farther off than the excess that it removes.
      ascending([](double value) { return value > 1 ? 1 : value; }, false);
      for (std::size_t k = 0; k < n; ++k) out[k].high = std::max(out[k].high, x[k].high);
      return;
    case Op::kArgmax:
      return argmax(x, n, model::argmax_tolerance(step), out);
    case Op::kAbove:
      return above(step, x, out);
    case Op::kOneVsOne:
      return one_vs_one(in_, formula_->width(s), out);
    case Op::kSquare:
      return square(step, x, n, out);
    default:
      return curve(step, x, n, out);
  }
}

const ScoreBounds* FormulaBounds::bound_labels(std::span<const ScoreBounds> scores) {
  for (std::size_t s = 0; s < formula_->steps().size(); ++s) bound(s, scores);
  for (const ScoreBounds& number : numbers_) {
    if (std::isnan(number.low) || std::isnan(number.high)) return nullptr;
  }
  return numbers_.data() + formula_->begin(formula_->label_step());
}

std::int32_t FormulaBounds::certain_label(std::span<const ScoreBounds> scores) {
  const ScoreBounds* label = bound_labels(scores);
  if (label == nullptr) return -1;
  const std::size_t n = formula_->n_classes();
  const ScoreBounds* best = std::max_element(label, label + n, [](const auto& a, const auto& b) { return a.low < b.low; });
  for (const ScoreBounds* other = label; other != label + n; ++other) {
    if (other != best && !(best->low > other->high)) return -1;
  }
  return static_cast<std::int32_t>(best - label);
}

bool FormulaBounds::excludes(std::span<const ScoreBounds> scores, std::int32_t label) {
  const ScoreBounds* all = bound_labels(scores);
  if (all == nullptr) return false;
  return std::any_of(all, all + formula_->n_classes(), [&](const ScoreBounds& other) { return other.low > all[label].high; });
}

ScoreBounds FormulaBounds::number(std::span<const ScoreBounds> scores) {
  for (std::size_t s = 0; s <= formula_->probabilities_step(); ++s) bound(s, scores);
  const ScoreBounds& result = numbers_[formula_->begin(formula_->probabilities_step())];
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (std::isnan(result.low) || std::isnan(result.high)) return {-kInfinity, kInfinity};
  return result;
}

std::int32_t FormulaBounds::label(std::span<const double> scores) {
  if (!formula_->arbiter()) return formula_->label(scores);
  point_.clear();
  for (const double score : scores) point_.push_back({score, score});
  const std::int32_t certain = certain_label(point_);
  return certain >= 0 ? certain : static_cast<std::int32_t>(formula_->arbiter()(scores));
}

}  // namespace sightline::proof
