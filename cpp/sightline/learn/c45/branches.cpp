#include "sightline/learn/c45/branches.hpp"

#include <algorithm>
#include <numeric>

namespace sightline::learn::c45 {

double settled(double threshold, std::span<const double> distinct) {
  const auto above =
      std::partition_point(distinct.begin(), distinct.end(), [&](double value) { return at_most(value, threshold); });
  return above == distinct.begin() ? threshold : *(above - 1);
}

std::vector<bool> features_in_average(const table::Columns& columns, std::span<const std::uint32_t> features,
                                      double weight_of_all) {
  std::vector<bool> counts;
  for (const std::uint32_t f : features) {
    counts.push_back(!columns[f].is_nominal() || smaller(columns[f].n_values(), 0.3 * weight_of_all));
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
