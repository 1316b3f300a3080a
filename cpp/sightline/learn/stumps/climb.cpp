#include "sightline/learn/stumps/climb.hpp"

#include <algorithm>
#include <numeric>

namespace sightline::learn::stumps {

bool Loss::operator<(const Loss& other) const {
  if (n_stumps == 0 || other.n_stumps == 0) return n_stumps != 0;
  __extension__ using Wide = __int128;
  return static_cast<Wide>(numerator) * other.n_stumps * other.n_stumps <
         static_cast<Wide>(other.numerator) * n_stumps * n_stumps;
}

Climb::Climb(const Votes& votes, const std::vector<std::int64_t>& right, std::vector<std::int32_t> members)
    : votes_(votes), right_(right), n_rows_(static_cast<std::int64_t>(votes.n_rows())) {
  for (const std::int32_t stump : members) {
    find_agreements(stump);
    add(stump);
  }
}

Loss Climb::loss_of(std::size_t n_stumps, std::int64_t right, std::int64_t square) const {
  const auto n = static_cast<std::int64_t>(n_stumps);
  return {n_rows_ * n * n - 2 * n * right + square, n};
}

void Climb::find_agreements(std::int32_t candidate) {
  agrees_.resize(members_.size());
  for (std::size_t i = 0; i < members_.size(); ++i) agrees_[i] = votes_.agreements(candidate, members_[i]);
  agrees_sum_ = std::accumulate(agrees_.begin(), agrees_.end(), std::int64_t{0});
}

void Climb::add(std::int32_t candidate) {
  for (std::size_t i = 0; i < members_.size(); ++i) overlap_[i] += agrees_[i];
  members_.push_back(candidate);
  overlap_.push_back(agrees_sum_ + n_rows_);
  right_sum_ += right_[candidate];
  square_ += 2 * agrees_sum_ + n_rows_;
}

void Climb::remove(std::size_t index) {
  const std::int32_t stump = members_[index];
  square_ += n_rows_ - 2 * overlap_[index];
  right_sum_ -= right_[stump];
  members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(index));
  overlap_.erase(overlap_.begin() + static_cast<std::ptrdiff_t>(index));
  for (std::size_t i = 0; i < members_.size(); ++i) overlap_[i] -= votes_.agreements(stump, members_[i]);
}

void Climb::replace(std::size_t index, std::int32_t candidate) {
  remove(index);
  find_agreements(candidate);
  add(candidate);
  // The new stump takes the index of the one it replaces.
  const auto at = static_cast<std::ptrdiff_t>(index);
  std::rotate(members_.begin() + at, members_.end() - 1, members_.end());
  std::rotate(overlap_.begin() + at, overlap_.end() - 1, overlap_.end());
}

// Replacing member i changes the numerator by a constant and 2 (N right_i - overlap_i - agrees_i).
std::size_t Climb::best_replaced() const {
  const auto n = static_cast<std::int64_t>(members_.size());
  std::size_t best = 0;
  std::int64_t lowest = 0;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const std::int64_t change = n * right_[members_[i]] - overlap_[i] - agrees_[i];
    if (i == 0 || change < lowest) {
      best = i;
      lowest = change;
    }
  }
  return best;
}

bool Climb::offer(std::int32_t candidate, const ClimbOptions& options) {
  const std::size_t n = members_.size();
  const bool may_add = options.max_size == 0 || n < options.max_size;
  find_agreements(candidate);
  if (n < options.min_size && may_add) {
    add(candidate);
    return true;
  }
  const Loss now = loss();
  const Loss added = may_add ? loss_of(n + 1, right_sum_ + right_[candidate], square_ + 2 * agrees_sum_ + n_rows_) : Loss{};
  const std::size_t index = best_replaced();
  const Loss replaced = loss_of(n, right_sum_ - right_[members_[index]] + right_[candidate],
                                square_ - 2 * overlap_[index] + 2 * (agrees_sum_ - agrees_[index]) + 2 * n_rows_);
  if (replaced < now && (replaced < added || (options.replace_on_tie && replaced == added))) {
    replace(index, candidate);
    return true;
  }
  if (added < now && added < replaced) {
    add(candidate);
    return true;
  }
  return false;
}

void Climb::grow(std::span<const std::int32_t> candidates, const ClimbOptions& options, runtime::StopPoll& poll) {
  bool changed = true;
  for (std::int32_t pass = 0; changed && pass < options.passes; ++pass) {
    changed = false;
    for (const std::int32_t candidate : candidates) {
      poll();
      if (std::find(members_.begin(), members_.end(), candidate) != members_.end()) continue;
      changed = offer(candidate, options) || changed;
    }
  }
}

Loss Climb::loss_without(std::size_t index) const {
  return loss_of(members_.size() - 1, right_sum_ - right_[members_[index]], square_ - 2 * overlap_[index] + n_rows_);
}

void Climb::prune() {
  while (members_.size() > 1) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < members_.size(); ++i) {
      if (loss_without(i) < loss_without(best)) best = i;
    }
    if (!(loss_without(best) < loss())) return;
    remove(best);
  }
}

}  // namespace sightline::learn::stumps
