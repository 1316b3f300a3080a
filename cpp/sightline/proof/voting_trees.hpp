// Trees whose leaves give an integer number of points to one class, so votes are exact.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightline/model/ensemble.hpp"

namespace sightline::proof {

class VotingTrees {
 public:
  // `points`: what the vote of each tree is worth. `by_priority`: the classes, whoever
  // wins a tie first. A leaf votes for the class of which its output is sure, else for none.
  VotingTrees(model::EnsemblePtr ensemble, std::vector<std::int64_t> points, std::vector<std::int32_t> by_priority);

  std::size_t n_trees() const { return points_.size(); }
  std::size_t n_classes() const { return by_priority_.size(); }
  const std::vector<std::int32_t>& n_values() const { return ensemble_->n_values(); }
  const model::Tree& tree(std::size_t t) const { return *ensemble_->parts().trees[t]; }
  std::int64_t points(std::size_t t) const { return points_[t]; }
  // The points of all trees from one on.
  std::int64_t points_from(std::size_t t) const { return points_from_[t]; }
  // The class that a leaf votes for, or -1.
  std::int32_t vote(std::size_t t, model::NodeId leaf) const;

  std::int32_t winner(std::span<const std::int64_t> points) const;
  // The winner if votes worth `open` cannot change it any more, else -1.
  std::int32_t certain_winner(std::span<const std::int64_t> points, std::int64_t open) const;

 private:
  model::EnsemblePtr ensemble_;
  std::vector<std::int64_t> points_, points_from_;
  std::vector<std::int32_t> by_priority_;
};

}  // namespace sightline::proof
