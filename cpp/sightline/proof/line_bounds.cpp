#include "sightline/proof/line_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sightline::proof {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargest = std::numeric_limits<double>::max();

double lowest_value(const Interval& values) { return std::nextafter(values.low, kInfinity); }
double highest_value(const Interval& values) { return std::min(values.high, kLargest); }

// The part of the interval in which a term alone may change the answer: beyond it the line is at its bound.
Interval where_it_matters(const Interval& values, double slope, double center, double range) {
  const double reach = 2 * range / std::abs(slope);
  const Interval near{std::max(values.low, center - reach), std::min(values.high, center + reach)};
  return near;
}

}  // namespace

ScoreBounds LineBounds::anywhere(model::NodeId leaf) const {
  const double output = lines_->tree().output(leaf)[0];
  if (!lines_->has_terms(leaf)) return {output, output};
  return {lines_->arrays().low[leaf], lines_->arrays().high[leaf]};
}

void LineBounds::move_to_end(model::NodeId leaf, const Box& box, bool highest, std::vector<double>& row) const {
  if (!lines_->has_terms(leaf)) return;
  std::vector<double> near = row;
  move_terms(leaf, box, highest, kInfinity, row);
  // Beyond its bounds a line is flat. People rather see a row that is not at the end of the world.
  move_terms(leaf, box, highest, lines_->arrays().high[leaf] - lines_->arrays().low[leaf], near);
  if (lines_->value(leaf, near.data()) == lines_->value(leaf, row.data())) row = std::move(near);
}

// Moves each value to the end where its term is highest, or lowest, but no farther than where the term
// alone is twice as large as `range`.
void LineBounds::move_terms(model::NodeId leaf, const Box& box, bool highest, double range, std::vector<double>& row) const {
  const model::LineArrays& a = lines_->arrays();
  for (auto term = a.term_begin[leaf]; term < a.term_begin[leaf + 1]; ++term) {
    if (a.slope[term] == 0) continue;
    const std::int32_t f = a.feature[term];
    double best = -kInfinity;
    const auto consider = [&](double x) {
      const double adds = std::isnan(x) ? 0 : a.slope[term] * (x - a.center[term]);
      const double score = highest ? adds : -adds;
      if (!(score > best)) return;
      best = score;
      row[f] = x;
    };
    if (box.may_be_missing(f)) consider(std::numeric_limits<double>::quiet_NaN());
    if (!box.may_be_known(f)) continue;
    const double lowest = lowest_value(box.interval(f)), largest = highest_value(box.interval(f));
    const double reach = 2 * range / std::abs(a.slope[term]);
    const bool whole = box.interval(f).whole;
    const double above = a.center[term] + reach, below = a.center[term] - reach;
    consider(std::clamp(whole ? std::ceil(above) : above, lowest, largest));
    consider(std::clamp(whole ? std::floor(below) : below, lowest, largest));
  }
}

ScoreBounds LineBounds::of_leaf(model::NodeId leaf, const Box& box) const {
  if (!lines_->has_terms(leaf)) return anywhere(leaf);
  std::vector<double> lowest = box.witness(), highest = lowest;
  move_to_end(leaf, box, false, lowest);
  move_to_end(leaf, box, true, highest);
  // If terms overflow with opposite signs, the ends give no bound.
  if (std::isnan(lines_->sum(leaf, lowest.data())) || std::isnan(lines_->sum(leaf, highest.data()))) return anywhere(leaf);
  return {lines_->value(leaf, lowest.data()), lines_->value(leaf, highest.data())};
}

ScoreBounds LineBounds::mixed(std::span<const model::NodeId> leaves, const Box& box) {
  const std::vector<double> row = box.witness();
  const double number = this->number(row.data());
  ScoreBounds result{0, 0};
  double magnitude = 0;
  bool varies = false;
  for (const model::NodeId leaf : leaves) {
    const ScoreBounds bounds = of_leaf(leaf, box);
    const double share = scratch_.passing[leaf];
    result += {share * bounds.low, share * bounds.high};
    magnitude = std::max({magnitude, std::abs(bounds.low), std::abs(bounds.high)});
    varies |= bounds.low < bounds.high;
  }
  if (!varies) return {number, number};
  const double n = static_cast<double>(leaves.size() + 4);
  const double rounding = 16 * n * std::numeric_limits<double>::epsilon() * magnitude;
  return {result.low - rounding, result.high + rounding};
}

std::optional<Question> LineBounds::cut(std::span<const model::NodeId> leaves, const Box& box) const {
  const model::LineArrays& a = lines_->arrays();
  Question best;
  double most = 0;
  for (const model::NodeId leaf : leaves) {
    for (auto term = a.term_begin[leaf]; term < a.term_begin[leaf + 1]; ++term) {
      const std::int32_t f = a.feature[term];
      if (!box.may_be_known(f) || a.slope[term] == 0) continue;
      const double range = a.high[leaf] - a.low[leaf];
      const Interval values = where_it_matters(box.interval(f), a.slope[term], a.center[term], range);
      if (values.empty()) continue;
      const double low = std::max(values.low, -kLargest), high = highest_value(values);
      const double middle = low / 2 + high / 2;
      const double varies = std::min(std::abs(a.slope[term]) * (high - low), range);
      if (varies > most && middle > box.interval(f).low && middle < box.interval(f).high) {
        most = varies;
        best.cut_feature = f;
        best.cut_at = middle;
      }
    }
  }
  return most > 0 ? std::optional(best) : std::nullopt;
}

}  // namespace sightline::proof
