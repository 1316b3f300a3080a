// Chooses the stumps of an ensemble by hill climbing on exact integers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightline/learn/stumps/votes.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::learn::stumps {

struct ClimbOptions {
  std::size_t min_size = 3;
  std::size_t max_size = 0;  // 0: no limit
  std::int32_t passes = 10;
  // Whether a stump that helps equally by joining and by replacing replaces a member. Otherwise it is discarded, as in the
  // paper's figure.
  bool replace_on_tie = true;
};

// The loss of N stumps is the sum over rows and classes of (1[y = c] - votes_c / N)^2. It equals
// (n N^2 - 2 N right + square) / N^2, where `right` counts the votes for the true class and `square` is the sum of squared
// votes. These are integers, so losses are compared exactly.
struct Loss {
  std::int64_t numerator = 0;
  std::int64_t n_stumps = 0;  // the denominator is its square; 0: no ensemble, worse than any other

  bool operator<(const Loss& other) const;
  bool operator==(const Loss& other) const { return !(*this < other) && !(other < *this); }
};

class Climb {
 public:
  // `right`: per stump, the number of rows it votes for correctly.
  Climb(const Votes& votes, const std::vector<std::int64_t>& right, std::vector<std::int32_t> members);

  const std::vector<std::int32_t>& members() const { return members_; }
  Loss loss() const { return loss_of(members_.size(), right_sum_, square_); }
  // Tries the candidates one after another, pass after pass, until nothing changes.
  void grow(std::span<const std::int32_t> candidates, const ClimbOptions& options, runtime::StopPoll& poll);
  // Deletes the least useful stump as long as that improves the ensemble.
  void prune();
  // The loss without one of the members.
  Loss loss_without(std::size_t index) const;

 private:
  Loss loss_of(std::size_t n_stumps, std::int64_t right, std::int64_t square) const;
  bool offer(std::int32_t candidate, const ClimbOptions& options);
  void find_agreements(std::int32_t candidate);
  std::size_t best_replaced() const;
  void add(std::int32_t candidate);
  void replace(std::size_t index, std::int32_t candidate);
  void remove(std::size_t index);

  const Votes& votes_;
  const std::vector<std::int64_t>& right_;
  std::int64_t n_rows_;
  std::vector<std::int32_t> members_;
  std::vector<std::int64_t> overlap_;  // per member: its agreements with all members, including itself
  std::int64_t right_sum_ = 0;
  std::int64_t square_ = 0;

  // Agreements of the current candidate with each member, and their sum.
  std::vector<std::int64_t> agrees_;
  std::int64_t agrees_sum_ = 0;
};

}  // namespace sightline::learn::stumps
