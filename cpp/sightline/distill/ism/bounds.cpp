#include "sightline/distill/ism/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sightline::distill::ism {

std::int32_t Bounds::certain_label(const Forest& forest) {
  if (forest.nodes.size() == prepared_.ensemble().n_trees()) {
    std::vector<model::NodeId> leaves;
    for (const Node& node : forest.nodes) leaves.push_back(prepared_.source_leaf(node.other));
    std::vector<double> scores(prepared_.n_scores());
    prepared_.ensemble().scores_of_leaves(leaves, scores.data());
    return prepared_.decision().rule.label(scores);
  }
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
  // More than what the ensemble's sum and ours can differ by through rounding.
  const double unit = prepared_.ensemble().parts().single_precision ? std::numeric_limits<float>::epsilon()
                                                                    : std::numeric_limits<double>::epsilon();
  double scale = 1;
  for (std::size_t k = 0; k < low_.size(); ++k) scale += std::max(std::abs(low_[k]), std::abs(high_[k]));
  const double margin = 4 * unit * static_cast<double>(prepared_.ensemble().n_trees() + 2) * scale;
  const model::Decision& decision = prepared_.decision();
  if (decision.link == model::Decision::Link::kSigmoid) {
    if (low_[0] > decision.rule.label_above + margin) return 1;
    return high_[0] < decision.rule.label_above - margin ? 0 : -1;
  }
  const auto best = std::max_element(low_.begin(), low_.end()) - low_.begin();
  for (std::size_t k = 0; k < low_.size(); ++k) {
    if (static_cast<std::ptrdiff_t>(k) != best && !(low_[best] > high_[k] + margin)) return -1;
  }
  return static_cast<std::int32_t>(best);
}

}  // namespace sightline::distill::ism
