#include "sightline/distill/ism/bounds.hpp"

#include <algorithm>

#include "sightline/proof/score_slack.hpp"

namespace sightline::distill::ism {

Bounds::Bounds(const PreparedEnsemble& prepared) : prepared_(prepared) {
  const model::LabelRule& rule = prepared.decision().rule;
  const proof::ScoreSlack rounding = proof::score_slack(prepared.ensemble(), rule);
  has_bounds_ = rounding.has_bounds;
  if (rule.formula) formula_.emplace(rule.formula);
  slack_ = rounding.of_score;
  margin_ = 2 * rule.divided(rounding.slack);
  const ForestView forest = prepared.forest().view();
  tree_.resize(prepared.n_added());
  widest_.resize(forest.n_trees() * tree_.size());
  for (std::size_t tree = 0; tree < forest.n_trees(); ++tree) {
    const Node* nodes = forest.nodes.data();
    proof::bound_by_leaves(nodes + forest.root[tree], nodes + forest.root[tree + 1], prepared.leaf(0), tree_.size(),
                           widest_.data() + tree * tree_.size());
  }
}

std::int32_t Bounds::certain_label(ForestView forest) {
  if (is_settled(forest)) {
    const std::vector<double> scores = settled_scores(forest);
    return formula_ ? formula_->label(scores) : prepared_.decision().rule.label(scores);
  }
  if (!has_bounds_) return -1;
  bound(forest);
  return separated();
}

std::vector<double> Bounds::settled_scores(ForestView forest) const {
  std::vector<model::NodeId> leaves;
  for (const Node& node : forest.nodes) leaves.push_back(prepared_.source_leaf(node.leaf()));
  std::vector<double> scores(prepared_.n_scores());
  prepared_.ensemble().scores_of_leaves(leaves, scores.data());
  return scores;
}

void Bounds::bound(ForestView forest) {
  total_.clear();
  for (const double base : prepared_.base()) total_.push_back({base, base});
  for (std::size_t tree = 0; tree < forest.n_trees(); ++tree) {
    const Node* nodes = forest.nodes.data();
    proof::bound_by_leaves(nodes + forest.root[tree], nodes + forest.root[tree + 1], prepared_.leaf(0), tree_.size(),
                           widest_.data() + tree * tree_.size(), tree_.data());
    for (std::size_t k = 0; k < tree_.size(); ++k) total_[prepared_.first_score(tree) + k] += tree_[k];
  }
}

std::int32_t Bounds::separated() {
  if (formula_) {
    for (std::size_t k = 0; k < total_.size(); ++k) {
      total_[k].low -= 2 * slack_[k];
      total_[k].high += 2 * slack_[k];
    }
    return formula_->certain_label(total_);
  }
  const model::LabelRule& rule = prepared_.decision().rule;
  if (prepared_.decision().link == model::Decision::Link::kSigmoid) {
    if (total_[0].low - margin_ > rule.label_above) return 1;
    return total_[0].high + margin_ < rule.label_above ? 0 : -1;
  }
  const auto less = [](const proof::ScoreBounds& a, const proof::ScoreBounds& b) { return a.low < b.low; };
  const auto best = std::max_element(total_.begin(), total_.end(), less);
  for (auto other = total_.begin(); other != total_.end(); ++other) {
    if (other != best && !(best->low > other->high + margin_)) return -1;
  }
  return static_cast<std::int32_t>(best - total_.begin());
}

}  // namespace sightline::distill::ism
