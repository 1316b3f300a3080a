#include "sightline/learn/subspace_knn/members.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sightline/runtime/parallel.hpp"
#include "sightline/runtime/simd_dispatch.hpp"

namespace sightline::learn::subspace_knn {
namespace {

using List = NearestList<std::int32_t>;

// The distances of all members to a block of cases fit in the first-level caches.
constexpr std::size_t kCaseBlock = 256;
constexpr std::size_t kQueryBlock = 8;
// Few cases, so that often all of them are too far away after some features.
constexpr std::size_t kOtherBlock = 64;
constexpr std::size_t kNobody = std::numeric_limits<std::size_t>::max();

SIGHTLINE_SIMD_DISPATCH void add(const std::int32_t* more, std::size_t n, std::int32_t* out) {
  for (std::size_t j = 0; j < n; ++j) out[j] += more[j];
}

// The buffers of one thread for finding the neighbors of one row for all members.
class MemberScan {
 public:
  MemberScan(const Cases& cases, const Masks& masks, std::size_t k)
      : cases_(cases), users_(masks.n_features), distances_(masks.n_members() * kCaseBlock), lists_(masks.n_members(), List(k)) {
    for (std::size_t m = 0; m < masks.n_members(); ++m) {
      for (std::size_t f = 0; f < masks.n_features; ++f) {
        if (masks.member(m)[f]) users_[f].push_back(m);
      }
    }
  }

  void write_shares(const CaseRows& queries, std::size_t row, std::size_t left_out, std::int32_t* shares) {
    for (List& list : lists_) list.clear();
    for (std::size_t begin = 0; begin < cases_.rows.n_rows(); begin += kCaseBlock) {
      scan_block(queries, row, begin, std::min(cases_.rows.n_rows(), begin + kCaseBlock), left_out);
    }
    for (std::size_t m = 0; m < lists_.size(); ++m) {
      cases_.labels.write_shares(lists_[m], cases_.rows.unit(), weights_, shares + m * cases_.labels.n_classes());
    }
  }

 private:
  // Computes each difference once and adds it to all members that use the feature.
  void scan_block(const CaseRows& queries, std::size_t row, std::size_t begin, std::size_t end, std::size_t left_out) {
    const std::size_t n = end - begin;
    std::fill(distances_.begin(), distances_.end(), 0);
    std::int32_t differences[kCaseBlock];
    for (std::size_t f = 0; f < users_.size(); ++f) {
      if (users_[f].empty()) continue;
      write_differences(cases_.rows, f, queries.value(f, row), begin, end, differences);
      for (const std::size_t m : users_[f]) add(differences, n, distances_.data() + m * kCaseBlock);
    }
    for (std::size_t m = 0; m < lists_.size(); ++m) {
      std::int32_t* distances = distances_.data() + m * kCaseBlock;
      if (left_out >= begin && left_out < end) distances[left_out - begin] = List::kNever;
      lists_[m].offer_run(distances, n, static_cast<std::int32_t>(begin));
    }
  }

  const Cases& cases_;
  std::vector<std::vector<std::size_t>> users_;
  std::vector<std::int32_t> distances_;
  std::vector<List> lists_;
  std::vector<double> weights_;
};

void write_distances(const CaseRows& cases, const CaseRows& queries, std::size_t row, std::size_t begin, std::size_t end,
                     std::int32_t* out) {
  std::fill(out, out + (end - begin), 0);
  for (std::size_t f = 0; f < cases.n_features(); ++f) add_differences(cases, f, queries.value(f, row), begin, end, out);
}

SIGHTLINE_SIMD_DISPATCH bool any_below(const std::int32_t* distances, std::size_t n, std::int32_t threshold) {
  int n_below = 0;
  for (std::size_t j = 0; j < n; ++j) n_below += distances[j] < threshold ? 1 : 0;
  return n_below > 0;
}

// Offers the cases [begin, end) of other classes. Most blocks are given up after a few features: distances only grow.
void offer_others(const Cases& cases, const CaseRows& queries, std::size_t row, std::int32_t code, std::size_t begin,
                  std::size_t end, List& nearest) {
  const std::size_t n = end - begin;
  std::int32_t distances[kOtherBlock] = {};
  for (std::size_t f = 0; f < cases.rows.n_features(); ++f) {
    add_differences(cases.rows, f, queries.value(f, row), begin, end, distances);
    if (!any_below(distances, n, nearest.threshold())) return;
  }
  for (std::size_t j = 0; j < n; ++j) {
    if (cases.labels[begin + j] == code) distances[j] = List::kNever;
  }
  nearest.offer_run(distances, n, static_cast<std::int32_t>(begin));
}

double plain(std::int32_t distance, std::int32_t unit) { return std::sqrt(static_cast<double>(distance) / unit); }

}  // namespace

void member_shares(const Cases& cases, const CaseRows* queries, const Masks& masks, std::size_t k, int n_threads,
                   runtime::StopPoll& poll, std::int32_t* shares) {
  const CaseRows& rows = queries == nullptr ? cases.rows : *queries;
  const std::size_t width = masks.n_members() * cases.labels.n_classes();
  runtime::parallel_blocks(rows.n_rows(), kQueryBlock, n_threads, poll, [&](std::size_t begin, std::size_t end) {
    MemberScan scan(cases, masks, k);
    for (std::size_t row = begin; row < end; ++row) {
      scan.write_shares(rows, row, queries == nullptr ? row : kNobody, shares + row * width);
    }
  });
}

void nearest_of_others(const Cases& cases, const CaseRows& queries, std::span<const std::int32_t> codes, int n_threads,
                       runtime::StopPoll& poll, std::int32_t* rows, double* distances) {
  runtime::parallel_blocks(queries.n_rows(), kQueryBlock, n_threads, poll, [&](std::size_t first, std::size_t last) {
    std::vector<List> lists(last - first, List(1));
    for (List& list : lists) list.clear();
    for (std::size_t begin = 0; begin < cases.rows.n_rows(); begin += kOtherBlock) {
      const std::size_t end = std::min(cases.rows.n_rows(), begin + kOtherBlock);
      for (std::size_t row = first; row < last; ++row) {
        offer_others(cases, queries, row, codes[row], begin, end, lists[row - first]);
      }
    }
    for (std::size_t row = first; row < last; ++row) {
      const List& nearest = lists[row - first];
      rows[row] = nearest.size() == 0 ? -1 : nearest[0].row;
      distances[row] = nearest.size() == 0 ? 0.0 : plain(nearest[0].distance, cases.rows.unit());
    }
  });
}

void distances_to(const Cases& cases, const CaseRows& queries, std::span<const std::int32_t> lists, int n_threads,
                  runtime::StopPoll& poll, double* distances) {
  const std::size_t width = queries.n_rows() == 0 ? 0 : lists.size() / queries.n_rows();
  runtime::parallel_blocks(queries.n_rows(), kQueryBlock, n_threads, poll, [&](std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) {
      for (std::size_t i = row * width; i < (row + 1) * width; ++i) {
        const std::int32_t one = lists[i];
        std::int32_t distance = 0;
        if (one >= 0) write_distances(cases.rows, queries, row, one, one + 1, &distance);
        distances[i] = one < 0 ? std::numeric_limits<double>::infinity() : plain(distance, cases.rows.unit());
      }
    }
  });
}

}  // namespace sightline::learn::subspace_knn
