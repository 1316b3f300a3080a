#include "sightline/proof/voting_trees.hpp"

#include <algorithm>
#include <stdexcept>

namespace sightline::proof {

VotingTrees::VotingTrees(model::EnsemblePtr ensemble, std::vector<std::int64_t> points, std::vector<std::int32_t> by_priority)
    : ensemble_(std::move(ensemble)),
      points_(std::move(points)),
      points_from_(points_.size() + 1, 0),
      by_priority_(std::move(by_priority)) {
  if (points_.size() != ensemble_->n_trees()) throw std::invalid_argument("one number of points per tree is required");
  if (by_priority_.size() != ensemble_->n_scores()) throw std::invalid_argument("every class needs its priority");
  std::vector<std::int32_t> sorted = by_priority_;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t c = 0; c < sorted.size(); ++c) {
    if (sorted[c] != static_cast<std::int32_t>(c)) throw std::invalid_argument("the priorities must name every class once");
  }
  for (std::size_t t = points_.size(); t-- > 0;) {
    if (points_[t] <= 0) throw std::invalid_argument("points must be positive");
    points_from_[t] = points_from_[t + 1] + points_[t];
    for (model::NodeId v = 0; v < static_cast<model::NodeId>(tree(t).n_nodes()); ++v) {
      if (!tree(t).is_leaf(v) && tree(t).missing_branch(v) < 0)
        throw std::invalid_argument("a missing value must follow one branch");
    }
  }
}

std::int32_t VotingTrees::vote(std::size_t t, model::NodeId leaf) const {
  std::int32_t sure = -1;
  tree(t).output(leaf).for_each([&](std::size_t k, double value) {
    if (sure < 0 && value == 1) sure = static_cast<std::int32_t>(k);
  });
  return sure;
}

std::int32_t VotingTrees::winner(std::span<const std::int64_t> points) const {
  return *std::max_element(by_priority_.begin(), by_priority_.end(), [&](auto a, auto b) { return points[a] < points[b]; });
}

std::int32_t VotingTrees::certain_winner(std::span<const std::int64_t> points, std::int64_t open) const {
  const std::int32_t first = winner(points);
  bool has_priority = false;  // over the classes that follow
  for (const std::int32_t c : by_priority_) {
    if (c == first) {
      has_priority = true;
    } else if (has_priority ? points[c] + open > points[first] : points[c] + open >= points[first]) {
      return -1;
    }
  }
  return first;
}

}  // namespace sightline::proof
