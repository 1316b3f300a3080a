// An ensemble under a box: bounds of its scores, and its label where the bounds allow only one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sightline/model/ensemble.hpp"
#include "sightline/model/label_rule.hpp"
#include "sightline/proof/boxed_model.hpp"
#include "sightline/proof/contracted_forest.hpp"
#include "sightline/proof/formula_bounds.hpp"
#include "sightline/proof/score_bounds.hpp"
#include "sightline/proof/score_slack.hpp"
#include "sightline/proof/weighted_median.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::proof {

// Scores are bounded along axes: with two classes (or one log-odds score) one axis, on
// which class 1 lies above a cut and class 0 below; with more classes, for a formula and for
// numbers, one axis per score.
// Bounds are widened by more than all rounding of the ensemble's own sum can make up, so
// that a verdict by bounds is a proof. Where every tree is decided, the ensemble's own sum
// of one row holds for all.
class BoxedEnsemble : public BoxedModel {
 public:
  BoxedEnsemble(model::EnsemblePtr ensemble, model::LabelRule rule, runtime::StopPoll& poll);

  void start(const Box& box) override;
  void enter(const Box& box, std::int32_t feature) override;
  void leave() override;
  std::int32_t verdict(const Box& box) override;
  bool excludes(const Box& box, std::int32_t label) override;
  Question question(const Box& box) override;
  Question question_for(const Box& box, Aim aim) override;
  std::int32_t label(const double* row) override;
  bool is_settled(const Box& box) override;
  ScoreBounds numbers(const Box& box) override;
  double number(const double* row) override;
  std::size_t memory() const override { return forest_.memory(); }

  // The label in the middle of the bounds: the one to try first for a verdict.
  std::int32_t likely_label();
  // The label of the trees' mean output, live leaves weighted by their training rows:
  // the best guess without a verdict.
  std::int32_t expected_label();
  // The same of a number.
  double expected_number();

  const model::Ensemble& ensemble() const { return *ensemble_; }
  // Equal tests have equal numbers, counted over all trees.
  std::int32_t test_number(std::int32_t tree, model::NodeId node) const { return test_number_[first_node_[tree] + node]; }
  std::int32_t n_tests() const { return n_tests_; }

  // The trees in the box, the axes along which their values add up, and what makes a label of the sums.
  const ContractedForest& forest() const { return forest_; }
  std::size_t n_axes() const { return n_axes_; }
  const std::vector<double>& base_values() const { return base_value_; }
  void values_of(std::size_t tree, model::NumberRow<double> output, double* values) const;
  void values_of_vote(std::size_t tree, std::size_t vote, double* values) const;
  const model::LabelRule& rule() const { return rule_; }
  const ScoreSlack& slack() const { return rounding_; }
  bool has_formula() const { return formula_.has_value(); }
  // The label of all exact scores within the bounds, rounding included, or -1.
  std::int32_t certain_by_formula(std::vector<ScoreBounds> total);

 private:
  void number_tests(runtime::StopPoll& poll);
  void find_leaf_values();
  void values_of_scores(const double* scores, double* values) const;
  bool votes() const { return ensemble_->parts().combine == model::Combine::kVote; }
  bool mixes_at(const Box& box, std::size_t tree, const ContractedForest::Entry& entry) const;
  void bound_tree(const Box& box, std::size_t tree);
  void bound_plain(std::size_t tree);
  void bound_mixed(std::size_t tree);
  bool below_the_voted(std::size_t tree, const std::vector<bool>& voted, std::size_t k, double tolerance) const;
  std::vector<bool> voted_by_leaves(std::size_t tree) const;
  void bound_votes(std::size_t tree);
  void sum_bounds();
  void sum_means();
  void widen_by_rounding(std::vector<ScoreBounds>& total) const;
  ScoreBounds median_bounds();
  ScoreBounds settled_numbers(const Box& box);
  std::int32_t middle_label();
  void sum_least_leads(std::size_t of, bool reversed);
  bool exceeds_all(std::size_t winner);
  bool is_exceeded(std::size_t label);
  bool tree_is_settled(std::size_t tree) const { return settled_[settled_.size() - n_trees_ + tree]; }
  bool mixes(std::size_t tree) const { return mixes_[mixes_.size() - n_trees_ + tree]; }
  ScoreBounds* bounds(std::size_t tree) { return bounds_.data() + bounds_.size() - (n_trees_ - tree) * n_axes_; }
  double spread(std::size_t tree);
  void score_tests(std::size_t tree);
  void rank_tops();
  void keep_best_tops();
  double gain_of(const Box& box, const Question& asked, Aim aim);
  ScoreBounds live_bounds(const Box& part, std::size_t tree, std::int32_t feature);

  model::EnsemblePtr ensemble_;
  model::LabelRule rule_;
  ContractedForest forest_;
  std::size_t n_trees_;
  std::size_t n_axes_;
  ScoreSlack rounding_;
  std::optional<FormulaBounds> formula_;
  std::optional<WeightedMedian> median_;

  std::vector<std::size_t> first_node_;  // per tree, in test_number_
  std::vector<std::int32_t> test_number_;
  std::int32_t n_tests_ = 0;
  std::vector<double> leaf_value_;  // per leaf and axis
  std::vector<double> base_value_;  // per axis

  // Per level and tree.
  std::vector<ScoreBounds> bounds_;
  std::vector<char> settled_;
  std::vector<char> mixes_;  // whether a missing value mixes leaves in a way that bounds must look at

  std::vector<std::int32_t> changed_;
  std::vector<ScoreBounds> total_;
  std::vector<double> margin_;
  std::vector<double> scores_;
  std::vector<double> test_score_;
  std::vector<std::int32_t> scored_;
  struct Above {
    std::size_t end;
    double score;
  };
  std::vector<Above> above_;
  struct Top {
    std::int32_t tree;
    model::NodeId node;
    double score;
  };
  std::vector<Top> tops_;
  std::vector<std::size_t> dead_;  // entries of the forest
  std::vector<double> values_;     // per tree
  model::Ensemble::Scratch scratch_;
};

}  // namespace sightline::proof
