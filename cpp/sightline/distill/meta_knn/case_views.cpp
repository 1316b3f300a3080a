#include "sightline/distill/meta_knn/case_views.hpp"

#include <algorithm>

#include "sightline/learn/subspace_knn/nearest_list.hpp"
#include "sightline/runtime/parallel.hpp"
#include "sightline/runtime/simd_dispatch.hpp"

namespace sightline::distill::meta_knn {
namespace {

using List = learn::subspace_knn::NearestList<float>;

constexpr std::size_t kCaseBlock = 256;
// Number of rows compared with a block of cases before the next block is loaded.
constexpr std::size_t kQueryBlock = 16;

SIGHTLINE_SIMD_DISPATCH void add_squares(const float* cases, float value, std::size_t n, float* sums) {
  for (std::size_t j = 0; j < n; ++j) {
    const float difference = cases[j] - value;
    sums[j] += difference * difference;
  }
}

void scan_block(const CaseViews& cases, const ViewQuery& query, std::size_t row, std::size_t begin, std::size_t end,
                List& nearest) {
  float sums[kCaseBlock] = {};
  const float* view = query.views.data() + row * cases.width();
  for (std::size_t index = 0; index < cases.width(); ++index) {
    add_squares(cases.column(index) + begin, view[index], end - begin, sums);
  }
  if (!query.codes.empty()) {
    for (std::size_t j = begin; j < end; ++j) {
      if (cases.code(j) != query.codes[row]) sums[j - begin] = List::kNever;
    }
  }
  if (!query.itself.empty()) {
    const auto own = static_cast<std::size_t>(query.itself[row]);
    if (own >= begin && own < end) sums[own - begin] = List::kNever;
  }
  nearest.offer_run(sums, end - begin, static_cast<std::int32_t>(begin));
}

}  // namespace

CaseViews::CaseViews(std::span<const float> row_major, std::size_t n_cases, std::vector<std::int32_t> codes,
                     std::size_t n_classes)
    : width_(n_cases == 0 ? 0 : row_major.size() / n_cases),
      n_classes_(n_classes),
      codes_(std::move(codes)),
      values_(row_major.size()) {
  for (std::size_t row = 0; row < n_cases; ++row) {
    for (std::size_t index = 0; index < width_; ++index) values_[index * n_cases + row] = row_major[row * width_ + index];
  }
}

void nearest_views(const CaseViews& cases, const ViewQuery& query, int n_threads, runtime::StopPoll& poll, std::int32_t* rows,
                   float* distances) {
  runtime::parallel_blocks(query.n_rows, kQueryBlock, n_threads, poll, [&](std::size_t first, std::size_t last) {
    std::vector<List> lists(last - first, List(query.k));
    for (List& list : lists) list.clear();
    for (std::size_t begin = 0; begin < cases.n_cases(); begin += kCaseBlock) {
      const std::size_t end = std::min(cases.n_cases(), begin + kCaseBlock);
      for (std::size_t row = first; row < last; ++row) scan_block(cases, query, row, begin, end, lists[row - first]);
    }
    for (std::size_t row = first; row < last; ++row) {
      const List& list = lists[row - first];
      for (std::size_t index = 0; index < query.k; ++index) {
        const bool exists = index < list.size();
        rows[row * query.k + index] = exists ? list[index].row : -1;
        distances[row * query.k + index] = exists ? list[index].distance : 0.0F;
      }
    }
  });
}

}  // namespace sightline::distill::meta_knn
