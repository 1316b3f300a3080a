#include "sightline/distill/distilled_tree/bins.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "sightline/learn/value_order.hpp"
#include "sightline/runtime/decimal.hpp"
#include "sightline/table/radix_sort.hpp"

namespace sightline::distill::distilled_tree {
namespace {

// Adjacent observed values, where a cut between them should lie, and how much it counts if there
// are too many: the number of the ensemble's thresholds there, or of the rows below.
struct Gap {
  double low;
  double high;
  double near;
  std::size_t count;
};

constexpr int kReadableDigits = 6;
constexpr double kAboutZero = 1.1e-35;  // LightGBM compares with the float next to 1e-35, or the double beyond it

std::vector<double> sorted_values(const table::Column& column, std::size_t n_rows) {
  std::vector<double> values;
  for (std::size_t row = 0; row < n_rows; ++row) {
    if (!std::isnan(column.number(row))) values.push_back(column.number(row) + 0.0);
  }
  table::sort_ascending(values);
  return values;
}

std::vector<double> distinct_values(const table::Column& column, std::size_t n_rows) {
  std::vector<double> values = sorted_values(column, n_rows);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::vector<Gap> every_gap(const std::vector<double>& ascending) {
  std::vector<Gap> gaps;
  std::size_t n_equal = 0;
  for (std::size_t i = 0; i + 1 < ascending.size(); ++i) {
    ++n_equal;
    const double low = ascending[i];
    const double high = ascending[i + 1];
    if (low == high) continue;
    // Halved first: the sum of two large numbers would overflow.
    gaps.push_back({low, high, low / 2 + high / 2, n_equal});
    n_equal = 0;
  }
  return gaps;
}

std::vector<std::vector<double>> thresholds_by_feature(const model::Ensemble& ensemble) {
  std::vector<std::vector<double>> thresholds(ensemble.n_features());
  for (const model::TreePtr& tree : ensemble.parts().trees) {
    for (model::NodeId v = 0; v < static_cast<model::NodeId>(tree->n_nodes()); ++v) {
      if (tree->test(v) == model::Test::kThreshold) thresholds[tree->feature(v)].push_back(tree->threshold(v));
    }
  }
  for (auto& list : thresholds) table::sort_ascending(list);
  return thresholds;
}

// Both lists ascend, so one walk finds every gap that holds a threshold.
std::vector<Gap> separating_gaps(const std::vector<double>& values, const std::vector<double>& thresholds) {
  std::vector<Gap> gaps;
  std::size_t t = 0;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    while (t < thresholds.size() && thresholds[t] < values[i]) ++t;
    const std::size_t first = t;
    while (t < thresholds.size() && thresholds[t] < values[i + 1]) ++t;
    if (t > first) gaps.push_back({values[i], values[i + 1], thresholds[first + (t - first) / 2], t - first});
  }
  return gaps;
}

// At most kMaxBins - 1 gaps, at equal distances in what they count.
std::vector<Gap> thinned(const std::vector<Gap>& gaps) {
  constexpr std::size_t kMaxCuts = kMaxBins - 1;
  if (gaps.size() <= kMaxCuts) return gaps;
  const double total = std::accumulate(gaps.begin(), gaps.end(), 0.0,
                                       [](double sum, const Gap& gap) { return sum + static_cast<double>(gap.count); });
  std::vector<Gap> kept;
  double passed = 0;
  for (const Gap& gap : gaps) {
    passed += static_cast<double>(gap.count);
    // Once kMaxCuts gaps are kept, more is due than there is.
    const double due = (static_cast<double>(kept.size()) + 0.5) * total / kMaxCuts;
    if (passed > due) kept.push_back(gap);
  }
  return kept;
}

// Per declared value: its rows, and the sum of the ensemble's answers for them.
struct ValueAnswers {
  ValueAnswers(const table::Column& column, std::size_t n_rows, std::span<const double> answers)
      : n_outputs(n_rows == 0 ? 1 : answers.size() / n_rows),
        n_rows_of(column.n_values(), 0.0),
        sums(n_rows_of.size() * n_outputs, 0.0) {
    for (std::size_t row = 0; row < n_rows; ++row) {
      const std::int32_t code = column.code(row);
      if (code < 0 || code >= column.n_values()) continue;
      ++n_rows_of[code];
      for (std::size_t k = 0; k < n_outputs; ++k) sums[code * n_outputs + k] += answers[row * n_outputs + k];
    }
  }

  std::size_t n_outputs;
  std::vector<double> n_rows_of;
  std::vector<double> sums;  // values x outputs
};

// More values than bins: values with similar predictions of the ensemble share a bin, and bins hold about equally many rows. A
// value without rows is in the middle bin.
std::vector<Code> bins_of_many_values(const ValueAnswers& seen) {
  std::vector<std::int32_t> value;
  std::vector<double> weight, sums;
  for (std::size_t v = 0; v < seen.n_rows_of.size(); ++v) {
    if (seen.n_rows_of[v] == 0) continue;
    value.push_back(static_cast<std::int32_t>(v));
    weight.push_back(seen.n_rows_of[v]);
    const auto first = seen.sums.begin() + static_cast<std::ptrdiff_t>(v * seen.n_outputs);
    sums.insert(sums.end(), first, first + static_cast<std::ptrdiff_t>(seen.n_outputs));
  }
  learn::ValueOrder order;
  const auto sorted = order.sort(value, sums, weight, seen.n_outputs);
  const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
  std::vector<Code> bins(seen.n_rows_of.size(), static_cast<Code>(kMaxBins / 2));
  double before = 0;
  for (const std::uint32_t i : sorted) {
    // The middle of a value's rows decides, so that one with many rows has a bin to itself.
    const double middle = (before + weight[i] / 2) / total;
    bins[value[i]] = static_cast<Code>(std::min(kMaxBins - 1, static_cast<std::size_t>(middle * kMaxBins)));
    before += weight[i];
  }
  return bins;
}

std::vector<Code> bins_of_values(const table::Column& column, std::size_t n_rows, std::span<const double> answers) {
  const auto n_values = static_cast<std::size_t>(column.n_values());
  if (n_values > kMaxBins) return bins_of_many_values(ValueAnswers(column, n_rows, answers));
  std::vector<Code> bins(n_values);
  std::iota(bins.begin(), bins.end(), Code{0});
  return bins;
}

}  // namespace

double readable_between(double low, double high, double near) {
  if (near != 0 && std::abs(near) < kAboutZero) return near;
  const double reach = (high - low) / 4;
  bool is_high = false;
  for (int digits = 0; digits < 17; ++digits) {
    // So many digits are hard to read. If `high` is a short number, x < high is better.
    if (is_high && digits >= kReadableDigits) return std::nextafter(high, low);
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, near, std::chars_format::scientific, digits).ptr;
    double candidate = near;
    runtime::read_decimal(text, end, candidate);
    if (std::abs(candidate - near) > reach) continue;
    if (candidate >= low && candidate < high) return candidate + 0.0;
    is_high = is_high || candidate == high;
  }
  return near;
}

double readable_time_between(double low, double high, double near) {
  const double reach = (high - low) / 4;
  for (const double unit : {86'400.0, 3'600.0, 60.0, 1.0}) {
    const double candidate = std::round(near / unit) * unit;
    if (std::abs(candidate - near) <= reach && candidate >= low && candidate < high) return candidate + 0.0;
  }
  return readable_between(low, high, near);
}

Code FeatureBins::of_number(double x) const {
  if (std::isnan(x)) return kMissingBin;
  return static_cast<Code>(std::lower_bound(cuts.begin(), cuts.end(), x) - cuts.begin());
}

Code FeatureBins::of_code(std::int32_t code) const {
  if (code < 0 || static_cast<std::size_t>(code) >= bin_of_value.size()) return kMissingBin;
  return bin_of_value[code];
}

Bins::Bins(const table::Columns& rows, std::span<const double> answers, const model::Ensemble& ensemble,
           std::span<const std::size_t> times)
    : Bins(rows.size(), rows.n_values()) {
  const auto thresholds = thresholds_by_feature(ensemble);
  fill(rows, answers, times,
       [&](std::size_t f) { return separating_gaps(distinct_values(rows[f], rows.n_rows()), thresholds[f]); });
}

Bins::Bins(const table::Columns& rows, std::span<const double> answers, std::span<const std::size_t> times)
    : Bins(rows.size(), rows.n_values()) {
  fill(rows, answers, times, [&](std::size_t f) { return every_gap(sorted_values(rows[f], rows.n_rows())); });
}

template <typename GapsOfFeature>
void Bins::fill(const table::Columns& rows, std::span<const double> answers, std::span<const std::size_t> times,
                const GapsOfFeature& gaps_of) {
  for (std::size_t f = 0; f < rows.size(); ++f) {
    FeatureBins& bins = features_[f];
    bins.nominal = rows[f].is_nominal();
    if (bins.nominal) {
      bins.bin_of_value = bins_of_values(rows[f], rows.n_rows(), answers);
      bins.n_bins = std::min(bins.bin_of_value.size(), kMaxBins);
      continue;
    }
    const auto readable = std::ranges::find(times, f) == times.end() ? readable_between : readable_time_between;
    for (const Gap& gap : thinned(gaps_of(f))) bins.cuts.push_back(readable(gap.low, gap.high, gap.near));
    bins.n_bins = bins.cuts.size() + 1;
  }
}

}  // namespace sightline::distill::distilled_tree
