// Safe prepruning: proves that the ensemble gives every row of a context the same label.
#pragma once

#include <vector>

#include "sightline/distill/ism/forest.hpp"
#include "sightline/proof/score_bounds.hpp"

namespace sightline::distill::ism {

class Bounds {
 public:
  explicit Bounds(const PreparedEnsemble& prepared);

  // The label of every row of known values that the contracted forest stands for, or -1.
  // Where each tree is down to one leaf the ensemble's own sum decides, to the last bit.
  std::int32_t certain_label(const Forest& forest);

 private:
  void bound(const Forest& forest);
  std::int32_t separated() const;

  const PreparedEnsemble& prepared_;
  bool has_bounds_;
  double margin_;  // by which bounds must clear a decision, in units of divided scores
  std::vector<proof::ScoreBounds> total_;
  std::vector<proof::ScoreBounds> tree_;  // scratch, of one tree
};

}  // namespace sightline::distill::ism
