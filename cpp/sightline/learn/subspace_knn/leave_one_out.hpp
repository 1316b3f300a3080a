// Distances between all cases, and their neighbors after one column is added or removed.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sightline/learn/subspace_knn/nearest_list.hpp"
#include "sightline/runtime/parallel.hpp"

namespace sightline::learn::subspace_knn {

enum class Change : std::int8_t { kNone, kAdd, kRemove };

// Rows with equal index modulo the number of groups form a group. The least distance of each group is found without
// branches, and only the groups of the nearest are scanned row by row.
inline constexpr std::size_t kGroups = 64;
inline constexpr std::size_t kParts = 16;
inline constexpr int kFewTies = 8;
inline constexpr std::size_t kListed = 64;

// out = old + more, or old - more if not `adds`.
void move_distances(const std::int32_t* old, const std::int32_t* more, bool adds, std::size_t n, std::int32_t* out);
void move_distances(const double* old, const double* more, bool adds, std::size_t n, double* out);
// Updates the least distance of every group with those of its rows.
void lower_minima(const std::int32_t* distances, std::size_t n, std::int32_t* minima);
void lower_minima(const double* distances, std::size_t n, double* minima);
// No less than the k-th smallest of the least distances: all of the k nearest rows are at most this far.
std::int32_t limit_of_nearest(const std::int32_t* minima, std::size_t k);
double limit_of_nearest(const double* minima, std::size_t k);
// One bit per group whose least distance is below `most`, or is `most`.
std::uint64_t groups_below(const std::int32_t* minima, std::int32_t most);
std::uint64_t groups_below(const double* minima, double most);
std::uint64_t groups_at(const std::int32_t* minima, std::int32_t most);
std::uint64_t groups_at(const double* minima, double most);

// A Metric has a type Distance, n_rows(), just_below(distance), and write(column, row, begin, end, out): what a column adds to
// the distances between a row and others. A row is never its own neighbor. Takes one Distance per pair of rows.
template <class Metric>
class LeaveOneOut {
 public:
  using Distance = typename Metric::Distance;
  using List = NearestList<Distance>;

  LeaveOneOut(const Metric& metric, std::size_t k, int n_threads)
      : metric_(metric), n_(metric.n_rows()), k_(std::min(k, n_ - 1)), n_threads_(n_threads), distances_(n_ * n_) {}

  // Starts with the sum of some columns, at least one.
  void begin(std::span<const std::size_t> columns, runtime::StopPoll& poll) {
    runtime::parallel_blocks(n_, rows_per_block(), n_threads_, poll, [&](std::size_t first, std::size_t last) {
      std::vector<Distance> more(n_);
      for (std::size_t row = first; row < last; ++row) {
        Distance* own = distances_.data() + row * n_;
        metric_.write(columns.front(), row, 0, n_, own);
        for (const std::size_t column : columns.subspan(1)) {
          metric_.write(column, row, 0, n_, more.data());
          move_distances(own, more.data(), true, n_, own);
        }
      }
    });
  }

  // Calls judge(row, nearest) with the neighbors that every row would have after a change. Returning false ends the trial.
  template <class Judge>
  void try_change(Change change, std::size_t column, runtime::StopPoll& poll, const Judge& judge) const {
    runtime::parallel_blocks(n_, rows_per_block(), n_threads_, poll, [&](std::size_t first, std::size_t last) {
      std::vector<Distance> more(n_), moved(n_);
      List nearest(k_);
      for (std::size_t row = first; row < last; ++row) {
        if (change != Change::kNone) metric_.write(column, row, 0, n_, more.data());
        move_distances(distances_.data() + row * n_, more.data(), change != Change::kRemove, n_, moved.data());
        moved[row] = List::kNever;
        find_nearest(moved, nearest);
        if (!judge(row, nearest)) return;
      }
    });
  }

  void make(Change change, std::size_t column, runtime::StopPoll& poll) {
    runtime::parallel_blocks(n_, rows_per_block(), n_threads_, poll,
                             [&](std::size_t first, std::size_t last) { change_rows(first, last, change, column); });
  }

 private:
  // Starting a thread pays off from about two million distances.
  std::size_t rows_per_block() const { return std::max<std::size_t>(1, (std::size_t{1} << 21) / n_); }

  void change_rows(std::size_t first, std::size_t last, Change change, std::size_t column) {
    std::vector<Distance> more(n_);
    for (std::size_t row = first; row < last; ++row) {
      Distance* own = distances_.data() + row * n_;
      metric_.write(column, row, 0, n_, more.data());
      move_distances(own, more.data(), change == Change::kAdd, n_, own);
    }
  }

  void find_nearest(const std::vector<Distance>& moved, List& nearest) const {
    Distance minima[kGroups];
    std::fill(minima, minima + kGroups, List::kNever);
    lower_minima(moved.data(), n_, minima);
    const Distance most = k_ == 0 || k_ > kGroups ? List::kNever : limit_of_nearest(minima, k_);
    nearest.clear();
    const std::uint64_t tied = groups_at(minima, most), below = groups_below(minima, most);
    if (most == List::kNever || std::popcount(tied) > kFewTies) {
      offer_groups(moved, below, Metric::just_below(most), nearest);
      if (most != List::kNever) offer_first_ties(moved, most, nearest);
    } else {
      offer_groups(moved, below | tied, most, nearest);
    }
  }

  // Lists the rows that are near enough without branches, then offers them.
  void offer_groups(const std::vector<Distance>& moved, std::uint64_t groups, Distance most, List& nearest) const {
    std::int32_t listed[kListed];
    for (; groups != 0; groups &= groups - 1) {
      std::size_t row = std::countr_zero(groups);
      while (row < n_) {
        std::size_t n_listed = 0;
        for (std::size_t step = 0; step < kListed && row < n_; ++step, row += kGroups) {
          listed[n_listed] = static_cast<std::int32_t>(row);
          n_listed += moved[row] <= most;
        }
        for (std::size_t i = 0; i < n_listed; ++i) nearest.offer_in_any_order(moved[listed[i]], listed[i]);
      }
    }
  }

  // Columns with few values give hundreds of ties; only the first rows can be among the nearest.
  void offer_first_ties(const std::vector<Distance>& moved, Distance most, List& nearest) const {
    for (std::size_t row = 0; row < n_ && nearest.size() < k_; ++row) {
      if (moved[row] == most) nearest.offer_in_any_order(most, static_cast<std::int32_t>(row));
    }
  }

  const Metric& metric_;
  std::size_t n_, k_;
  int n_threads_;
  std::vector<Distance> distances_;
};

}  // namespace sightline::learn::subspace_knn
