// The candidates of a stump ensemble, each there once.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "sightline/learn/stumps/climb.hpp"
#include "sightline/learn/stumps/generator.hpp"
#include "sightline/model/tree.hpp"

namespace sightline::learn::stumps {

class StumpPool {
 public:
  StumpPool(StumpRows rows, const StumpOptions& options);

  // Adds all stumps that differ from those that are there: by number of attributes
  // chosen, then by the attributes' places. `weight`: how often each row counts.
  void generate(const std::vector<std::int32_t>& weight, int n_threads, runtime::StopPoll& poll);

  std::size_t size() const { return begin_.size() - 1; }
  const StumpRows& rows() const { return rows_; }
  const Votes& votes() const { return votes_; }
  // Per stump the rows whose class it votes for.
  const std::vector<std::int64_t>& right() const { return right_; }
  // With the class counts of all training rows, those without a value where they went.
  model::TreePtr tree(std::size_t stump) const;
  // A lone leaf that votes for the most frequent class: what is left where no stump is.
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
