#include "sightline/distill/ism/bounds.hpp"

#include <algorithm>
#include <limits>

#include "sightline/proof/score_slack.hpp"

namespace sightline::distill::ism {

Bounds::Bounds(const PreparedEnsemble& prepared) : prepared_(prepared) {
  const model::LabelRule& rule = prepared.decision().rule;
  const proof::ScoreSlack rounding = proof::score_slack(prepared.ensemble(), rule);
  has_bounds_ = rounding.has_bounds;
  margin_ = 2 * rule.divided(rounding.slack);
}

std::int32_t Bounds::certain_label(const Forest& forest) {
  if (forest.nodes.size() == prepared_.ensemble().n_trees()) {
    std::vector<model::NodeId> leaves;
    for (const Node& node : forest.nodes) leaves.push_back(prepared_.source_leaf(node.other));
    std::vector<double> scores(prepared_.n_scores());
    prepared_.ensemble().scores_of_leaves(leaves, scores.data());
    return prepared_.decision().rule.label(scores);
  }
  if (!has_bounds_) return -1;
  bound(forest);
  return separated();
}

void Bounds::bound(const Forest& forest) {
  const std::size_t n = prepared_.n_added();
  low_.assign(prepared_.base().begin(), prepared_.base().end());
  high_ = low_;
  for (std::size_t tree = 0; tree + 1 < forest.root.size(); ++tree) {
    tree_low_.assign(n, std::numeric_limits<double>::infinity());
    tree_high_.assign(n, -std::numeric_limits<double>::infinity());
    for (std::int32_t v = forest.root[tree]; v < forest.root[tree + 1]; ++v) {
      if (!forest.nodes[v].is_leaf()) continue;
      const double* leaf = prepared_.leaf(forest.nodes[v].other);
      for (std::size_t k = 0; k < n; ++k) {
        tree_low_[k] = std::min(tree_low_[k], leaf[k]);
        tree_high_[k] = std::max(tree_high_[k], leaf[k]);
      }
    }
    for (std::size_t k = 0; k < n; ++k) {
      low_[prepared_.first_score(tree) + k] += tree_low_[k];
      high_[prepared_.first_score(tree) + k] += tree_high_[k];
    }
  }
}

std::int32_t Bounds::separated() const {
  const model::LabelRule& rule = prepared_.decision().rule;
  if (prepared_.decision().link == model::Decision::Link::kSigmoid) {
    if (low_[0] - margin_ > rule.label_above) return 1;
    return high_[0] + margin_ < rule.label_above ? 0 : -1;
  }
  const auto best = std::max_element(low_.begin(), low_.end()) - low_.begin();
  for (std::size_t k = 0; k < low_.size(); ++k) {
    if (static_cast<std::ptrdiff_t>(k) != best && !(low_[best] > high_[k] + margin_)) return -1;
  }
  return static_cast<std::int32_t>(best);
}

}  // namespace sightline::distill::ism
