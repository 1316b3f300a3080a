#include "sightline/distill/meta_knn/case_views.hpp"

#include <algorithm>

#include "sightline/learn/subspace_knn/nearest_list.hpp"
#include "sightline/runtime/parallel.hpp"
#include "sightline/runtime/simd_dispatch.hpp"

namespace sightline::distill::meta_knn {
namespace {

using List = learn::subspace_knn::NearestList<float>;

// Cases that are compared together: as many as have their sums in registers.
constexpr std::size_t kCaseBlock = CaseViews::kBlock;
// Columns that are added before the sums are compared with the nearest distances so far.
constexpr std::size_t kColumnBlock = 20;
// Number of rows compared with a block of cases before the next block is loaded.
constexpr std::size_t kQueryBlock = 16;

// Adds the squared differences of a full block of cases, and returns whether one of them can be among the nearest: sums only
// grow, so a block is given up as soon as all of them have reached the threshold. Sums of one case run over the columns in order.
SIGHTLINE_SIMD_DISPATCH bool add_squares(const float* block, const float* view, std::size_t width, float threshold, float* sums) {
  float own[kCaseBlock];
  for (std::size_t j = 0; j < kCaseBlock; ++j) own[j] = sums[j];
  for (std::size_t begin = 0; begin < width; begin += kColumnBlock) {
    const std::size_t end = std::min(width, begin + kColumnBlock);
    for (std::size_t column = begin; column < end; ++column) {
      for (std::size_t j = 0; j < kCaseBlock; ++j) {
        const float difference = block[column * kCaseBlock + j] - view[column];
        own[j] += difference * difference;
      }
    }
    int n_below = 0;
    for (std::size_t j = 0; j < kCaseBlock; ++j) n_below += own[j] < threshold ? 1 : 0;
    if (n_below == 0) return false;
  }
  for (std::size_t j = 0; j < kCaseBlock; ++j) sums[j] = own[j];
  return true;
}

// Sums of cases that do not count start beyond every distance.
void exclude(const CaseViews& cases, const ViewQuery& query, std::size_t row, std::size_t begin, std::size_t end, float* sums) {
  if (!query.codes.empty()) {
    for (std::size_t j = begin; j < end; ++j) {
      if (cases.code(j) != query.codes[row]) sums[j - begin] = List::kNever;
    }
  }
  if (!query.itself.empty()) {
    const auto own = static_cast<std::size_t>(query.itself[row]);
    if (own >= begin && own < end) sums[own - begin] = List::kNever;
  }
}

void scan_block(const CaseViews& cases, const ViewQuery& query, std::size_t row, std::size_t begin, std::size_t end,
                List& nearest) {
  float sums[kCaseBlock] = {};
  exclude(cases, query, row, begin, end, sums);
  const float* view = query.views.data() + row * cases.width();
  if (!add_squares(cases.block(begin), view, cases.width(), nearest.threshold(), sums)) return;
  nearest.offer_run(sums, end - begin, static_cast<std::int32_t>(begin));
}

}  // namespace

CaseViews::CaseViews(std::span<const float> row_major, std::size_t n_cases, std::vector<std::int32_t> codes,
                     std::size_t n_classes)
    : width_(n_cases == 0 ? 0 : row_major.size() / n_cases),
      n_classes_(n_classes),
      codes_(std::move(codes)),
      values_((n_cases + kBlock - 1) / kBlock * kBlock * width_) {
  for (std::size_t row = 0; row < n_cases; ++row) {
    for (std::size_t index = 0; index < width_; ++index) values_[place(index, row)] = row_major[row * width_ + index];
  }
}

std::vector<float> CaseViews::by_column() const {
  std::vector<float> columns(n_cases() * width_);
  for (std::size_t index = 0; index < width_; ++index) {
    for (std::size_t row = 0; row < n_cases(); ++row) columns[index * n_cases() + row] = values_[place(index, row)];
  }
  return columns;
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
