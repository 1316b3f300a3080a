// The distinct candidates of a stump ensemble.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "sightline/learn/stumps/generator.hpp"
#include "sightline/learn/stumps/votes.hpp"
#include "sightline/model/tree.hpp"

namespace sightline::learn::stumps {

class StumpPool {
 public:
  StumpPool(StumpRows rows, const StumpOptions& options);

  // Adds all new stumps, ordered by number of features chosen, then by their indices. `weight`: how often each row counts.
  void generate(const std::vector<std::int32_t>& weight, int n_threads, runtime::StopPoll& poll);

  std::size_t size() const { return begin_.size() - 1; }
  const StumpRows& rows() const { return rows_; }
  const Votes& votes() const { return votes_; }
  // Per stump, the number of rows it votes for correctly.
  const std::vector<std::int64_t>& right() const { return right_; }
  // With the class counts of all training rows. Rows without a value count in the branch they take.
  model::TreePtr tree(std::size_t stump) const;
  // A single leaf that votes for the most frequent class, for tables without any stump.
  model::TreePtr constant() const;

 private:
  model::TreePtr built(std::span<const StumpNode> stump) const;

  StumpRows rows_;
  StumpOptions options_;
  Votes votes_;
  std::vector<Votes::Word> packed_labels_;
  std::vector<StumpNode> nodes_;
  std::vector<std::size_t> begin_{0};
  std::vector<std::int64_t> right_;
  std::unordered_set<std::string> keys_;
};

}  // namespace sightline::learn::stumps
