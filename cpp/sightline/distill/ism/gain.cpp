#include "sightline/distill/ism/gain.hpp"

#include <limits>
#include <numeric>

#include "sightline/distill/ism/grow.hpp"

namespace sightline::distill::ism {
namespace {

using Variant = Options::Variant;

// Gains that differ by less count as equal; then the earlier test wins.
constexpr double kTie = 1e-13;
// A gain up to this is not worth a split unless one is forced.
constexpr double kNoGain = 1e-9;

}  // namespace

Chooser::Chooser(const PreparedEnsemble& prepared, const CodedRows& rows, const Options& options, Propagation& propagation)
    : prepared_(prepared),
      tests_(prepared.tests()),
      options_(options),
      propagation_(propagation),
      everyone_(rows.size()),
      counts_(prepared.tests(), rows, options.variant == Variant::kD || options.variant == Variant::kHybrid),
      impurity_(prepared.decision().gives_numbers(), rows.number_scale()),
      n_classes_(prepared.n_classes()),
      expected_(n_classes_),
      gains_(tests_.n_tests()) {
  std::iota(everyone_.begin(), everyone_.end(), 0);
}

Choice Chooser::choose(ForestView forest, const Context& context, const std::vector<std::uint32_t>& rows) {
  std::fill(gains_.begin(), gains_.end(), std::numeric_limits<double>::quiet_NaN());
  if (options_.variant != Variant::kD) propagation_.run(forest, context);
  prepared_.decision().probabilities(propagation_.total(), expected_.data());
  context_impurity_ = impurity_(expected_.data(), n_classes_);
  const bool counts_all_rows = options_.variant == Variant::kT && !options_.pooled_probability;
  const bool counts_rows = options_.variant != Variant::kT || counts_all_rows || options_.min_leaf > 0;
  Choice best;
  double best_worth = -std::numeric_limits<double>::infinity();
  for (std::size_t f = 0; f < tests_.n_features(); ++f) {
    std::int32_t begin = tests_.first[f];
    std::int32_t end = tests_.first[f + 1];
    if (!tests_.is_nominal(f)) {
      end = begin + tests_.end_open(context, f);
      begin += tests_.first_open(context, f);
    }
    if (begin >= end || (!options_.banned.empty() && options_.banned[f])) continue;
    if (counts_rows) counts_.count(f, context, counts_all_rows ? everyone_ : rows);
    for (std::int32_t test = begin; test < end; ++test) {
      if (!prepared_.is_open(context, test) || !usable(test) || !is_supported(test) || !estimate_outcomes(test)) continue;
      const double value = gain(probability_.size());
      gains_[test] = value;
      const double how_good = worth(value, probability_.size());
      if (how_good > best_worth + kTie) {
        best_worth = how_good;
        best = {test, value, probability_};
      }
    }
  }
  const bool forced = options_.split_without_gain && (options_.stop_on_rows || options_.variant == Variant::kT);
  return forced || best.gain > kNoGain ? best : Choice{};
}

// Whether some node of the ensemble has the test. If rows decide, they must also have several of its
// outcomes.
bool Chooser::usable(std::int32_t test) const {
  double pooled = 0;
  std::int32_t n_sides = 0;
  const bool rows_decide = options_.variant == Variant::kTd || options_.variant == Variant::kD ||
                           (options_.variant == Variant::kHybrid && options_.stop_on_rows);
  for (std::int32_t o = tests_.first_outcome[test]; o < tests_.first_outcome[test + 1]; ++o) {
    if (options_.variant != Variant::kD) pooled += propagation_.pooled_weight(o);
    if (rows_decide) n_sides += counts_.weight(o) > 0;
  }
  return (options_.variant == Variant::kD || pooled > 0) && (!rows_decide || n_sides > 1);
}

bool Chooser::is_supported(std::int32_t test) const {
  if (!(options_.min_leaf > 0)) return true;
  std::int32_t n_large = 0;
  for (std::int32_t o = tests_.first_outcome[test]; o < tests_.first_outcome[test + 1]; ++o) {
    n_large += counts_.weight(o) >= options_.min_leaf;
  }
  return n_large > 1;
}

// Fills the probability and class distribution of each outcome; false if one outcome is certain.
bool Chooser::estimate_outcomes(std::int32_t test) {
  const std::int32_t first = tests_.first_outcome[test];
  const auto n = static_cast<std::size_t>(tests_.first_outcome[test + 1] - first);
  probability_.assign(n, 0.0);
  distribution_.assign(n * n_classes_, 0.0);
  double pooled_total = 0;
  double row_total = 0;
  const bool uses_rows = options_.variant != Variant::kT || !options_.pooled_probability;
  for (std::size_t b = 0; b < n; ++b) {
    const auto outcome = first + static_cast<std::int32_t>(b);
    if (options_.variant != Variant::kD) pooled_total += propagation_.pooled_weight(outcome);
    if (uses_rows) row_total += counts_.weight(outcome);
  }
  for (std::size_t b = 0; b < n; ++b) {
    const auto outcome = first + static_cast<std::int32_t>(b);
    const double pooled = pooled_total > 0 ? propagation_.pooled_weight(outcome) / pooled_total : 0;
    const double counted = uses_rows ? counts_.weight(outcome) : 0;
    switch (options_.variant) {
      case Variant::kT:
        probability_[b] = !uses_rows ? pooled : row_total > 0 ? counted / row_total : 1 / static_cast<double>(n);
        break;
      case Variant::kTd:
      case Variant::kD:
        probability_[b] = counted / row_total;
        break;
      case Variant::kHybrid:
        probability_[b] = (counted + options_.m * pooled) / (row_total + options_.m);
        break;
    }
    if (probability_[b] >= 1) return false;
    if (probability_[b] > 0) estimate_distribution(outcome, b, pooled);
  }
  return true;
}

void Chooser::estimate_distribution(std::int32_t outcome, std::size_t branch, double pooled) {
  double* distribution = distribution_.data() + branch * n_classes_;
  if (options_.variant != Variant::kD) prepared_.decision().probabilities(propagation_.scores(outcome), distribution);
  if (options_.variant == Variant::kT || options_.variant == Variant::kTd) return;
  const double added = options_.variant == Variant::kHybrid ? options_.m * pooled : 0;
  const double total = counts_.weight(outcome) + added;
  const double* counted = counts_.probability(outcome);
  for (std::size_t c = 0; c < n_classes_; ++c) distribution[c] = (counted[c] + added * distribution[c]) / total;
}

double Chooser::gain(std::size_t n_outcomes) const {
  double after = 0;
  std::vector<double> mixture(n_classes_, 0.0);
  for (std::size_t b = 0; b < n_outcomes; ++b) {
    const double* distribution = distribution_.data() + b * n_classes_;
    after += probability_[b] * impurity_(distribution, n_classes_);
    for (std::size_t c = 0; c < n_classes_; ++c) mixture[c] += probability_[b] * distribution[c];
  }
  // Rows have their mixture as their own distribution; for the other variants it is an option.
  const bool mixes = options_.mixture_gain || options_.variant == Variant::kD || options_.variant == Variant::kHybrid;
  return (mixes ? impurity_(mixture.data(), n_classes_) : context_impurity_) - after;
}

double Chooser::worth(double gain, std::size_t n_outcomes) const {
  if (!options_.gain_ratio) return gain;
  const double split_info = entropy(probability_.data(), n_outcomes);
  return gain / std::max(split_info, 1e-12);
}

}  // namespace sightline::distill::ism
