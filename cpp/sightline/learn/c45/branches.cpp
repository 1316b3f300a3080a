#include "sightline/learn/c45/branches.hpp"

#include <algorithm>
#include <numeric>

namespace sightline::learn::c45 {
namespace {

// Values that C4.5 can test one by one, because they have the rows of a leaf.
constexpr std::size_t kMaxSingleValues = 255;
// Branches of one node, with or without rows.
constexpr std::int32_t kMaxBranches = 4096;

std::size_t n_single_values(const TrainingSet& training, std::uint32_t feature, double min_leaf) {
  const std::int32_t n_values = (*training.columns)[feature].n_values();
  std::vector<double> weight(n_values, 0.0);
  for (std::uint32_t row = 0; row < training.size(); ++row) {
    const std::int32_t code = training.code(feature, row);
    if (code >= 0 && code < n_values) weight[code] += training.weight.empty() ? 1.0 : training.weight[row];
  }
  return std::count_if(weight.begin(), weight.end(), [&](double w) { return at_least(w, min_leaf); });
}

}  // namespace

std::vector<ValueSplit> value_splits(const TrainingSet& training, std::span<const std::uint32_t> features,
                                     const GrowOptions& options) {
  std::vector<ValueSplit> splits(training.columns->size(), options.binary_splits ? ValueSplit::kOne : ValueSplit::kEach);
  for (const std::uint32_t f : features) {
    const std::int32_t n_values = (*training.columns)[f].n_values();
    const bool has_too_many_branches = !options.binary_splits && n_values > kMaxBranches;
    if (has_too_many_branches || (n_values > static_cast<std::int32_t>(kMaxSingleValues) &&
                                  n_single_values(training, f, options.min_leaf) > kMaxSingleValues)) {
      splits[f] = ValueSplit::kGroup;
    }
  }
  return splits;
}

double settled(double threshold, std::span<const double> distinct) {
  const auto above =
      std::partition_point(distinct.begin(), distinct.end(), [&](double value) { return at_most(value, threshold); });
  return above == distinct.begin() ? threshold : *(above - 1);
}

std::vector<bool> features_in_average(const table::Columns& columns, std::span<const std::uint32_t> features,
                                      std::span<const ValueSplit> value_splits, double weight_of_all) {
  std::vector<bool> counts;
  for (const std::uint32_t f : features) {
    counts.push_back(!columns[f].is_nominal() || value_splits[f] == ValueSplit::kGroup ||
                     smaller(columns[f].n_values(), 0.3 * weight_of_all));
  }
  if (std::none_of(counts.begin(), counts.end(), [](bool counted) { return counted; })) counts.flip();
  return counts;
}

void BranchShares::find(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> branch,
                        std::span<const std::int32_t> label, std::span<const double> weight, std::size_t n_branches,
                        std::size_t n_classes) {
  counts.assign(n_branches * n_classes, 0.0);
  share.assign(n_branches, 0.0);
  missing_.assign(n_classes, 0.0);
  for (const std::uint32_t row : rows) {
    const double w = weight.empty() ? 1.0 : weight[row];
    const std::uint32_t b = branch[row];
    if (b == kEveryBranch) {
      missing_[label[row]] += w;
    } else {
      counts[b * n_classes + label[row]] += w;
      share[b] += w;
    }
  }
  shares_rows = std::any_of(missing_.begin(), missing_.end(), [](double w) { return w > 0; });
  const double known = std::accumulate(share.begin(), share.end(), 0.0);
  for (std::size_t b = 0; b < n_branches; ++b) {
    share[b] /= known;
    if (share[b] <= kTolerance) share[b] = 0;
    for (std::size_t c = 0; c < n_classes; ++c) counts[b * n_classes + c] += share[b] * missing_[c];
  }
}

}  // namespace sightline::learn::c45
