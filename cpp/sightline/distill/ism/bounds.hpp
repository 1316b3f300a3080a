// Safe prepruning: proves that the ensemble gives every row of a context the same label.
#pragma once

#include <optional>
#include <vector>

#include "sightline/distill/ism/forest.hpp"
#include "sightline/proof/formula_bounds.hpp"
#include "sightline/proof/score_bounds.hpp"

namespace sightline::distill::ism {

class Bounds {
 public:
  explicit Bounds(const PreparedEnsemble& prepared);

  // The label that the ensemble gives to every row of the contracted forest without missing values,
  // or -1 if none is certain. When each tree has only one leaf left, the ensemble's own sum decides
  // exactly.
  std::int32_t certain_label(ForestView forest);
  // Whether each tree has only one leaf left, so that every row gets the same number.
  bool is_settled(ForestView forest) const { return forest.nodes.size() == prepared_.ensemble().n_trees(); }
  // The ensemble's own scores of a settled forest.
  std::vector<double> settled_scores(ForestView forest) const;

 private:
  void bound(ForestView forest);
  std::int32_t separated();

  const PreparedEnsemble& prepared_;
  bool has_bounds_;
  std::optional<proof::FormulaBounds> formula_;
  std::vector<double> slack_;  // per score, for the formula
  double margin_;              // how far bounds must clear the decision threshold, in divided scores
  std::vector<proof::ScoreBounds> total_;
  std::vector<proof::ScoreBounds> tree_;    // scratch, for one tree
  std::vector<proof::ScoreBounds> widest_;  // per tree and score: of all its leaves
};

}  // namespace sightline::distill::ism
