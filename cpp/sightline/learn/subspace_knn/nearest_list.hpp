// The k nearest of the offered rows; ties go to the lowest row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace sightline::learn::subspace_knn {

// `offer` takes rows in ascending order, so that the first of equal distances stays first.
template <class Distance>
class NearestList {
 public:
  struct Entry {
    Distance distance;
    std::int32_t row;
  };

  static constexpr Distance kNever = std::numeric_limits<Distance>::max();

  explicit NearestList(std::size_t k) : entries_(k) {}

  void clear() {
    size_ = 0;
    threshold_ = entries_.empty() ? std::numeric_limits<Distance>::lowest() : kNever;
  }

  Distance threshold() const { return threshold_; }
  std::size_t size() const { return size_; }
  const Entry& operator[](std::size_t index) const { return entries_[index]; }

  void offer(Distance distance, std::int32_t row) {
    if (!(distance < threshold_)) return;
    std::size_t index = size_ < entries_.size() ? size_++ : size_ - 1;
    for (; index > 0 && entries_[index - 1].distance > distance; --index) entries_[index] = entries_[index - 1];
    entries_[index] = {distance, row};
    if (size_ == entries_.size()) threshold_ = entries_.back().distance;
  }

  // Takes rows in any order; of equal distances, the lowest row still comes first.
  void offer_in_any_order(Distance distance, std::int32_t row) {
    const bool is_full = size_ == entries_.size();
    if (distance > threshold_ || distance == kNever || (is_full && distance == threshold_ && row > entries_.back().row)) return;
    if (is_full && size_ == 0) return;
    std::size_t index = is_full ? size_ - 1 : size_++;
    for (; index > 0 && is_before({distance, row}, entries_[index - 1]); --index) entries_[index] = entries_[index - 1];
    entries_[index] = {distance, row};
    if (size_ == entries_.size()) threshold_ = entries_.back().distance;
  }

  // Offers a run of rows from `first` on. Most runs have nothing near enough.
  void offer_run(const Distance* distances, std::size_t n, std::int32_t first) {
    for (std::size_t begin = 0; begin < n; begin += kRun) {
      const std::size_t end = std::min(n, begin + kRun);
      // Counts instead of searching: a loop without an early exit needs no branch.
      int n_below = 0;
      for (std::size_t j = begin; j < end; ++j) n_below += distances[j] < threshold_ ? 1 : 0;
      if (n_below == 0) continue;
      for (std::size_t j = begin; j < end; ++j) offer(distances[j], first + static_cast<std::int32_t>(j));
    }
  }

 private:
  static constexpr std::size_t kRun = 16;

  static bool is_before(const Entry& one, const Entry& other) {
    return one.distance < other.distance || (one.distance == other.distance && one.row < other.row);
  }

  std::vector<Entry> entries_;
  std::size_t size_ = 0;
  Distance threshold_ = kNever;
};

}  // namespace sightline::learn::subspace_knn
