// A rule set under a box: bounds of its votes, and its label where the bounds allow only one.
#pragma once

#include <cstdint>
#include <vector>

#include "sightline/model/rule_decision.hpp"
#include "sightline/model/tree.hpp"
#include "sightline/proof/boxed_model.hpp"

namespace sightline::proof {

// A condition holds in the whole box, nowhere in it, or is open. From the numbers of these a
// rule's vote lies between two limits, since more conditions never weigh less. Where all votes
// are certain, those of one row hold for all.
class BoxedRules : public BoxedModel {
 public:
  // `voting` is copied, with what it refers to.
  BoxedRules(model::RuleSetPtr rules, const model::Voting& voting);
  BoxedRules(const BoxedRules&) = delete;

  void start(const Box& box) override;
  void enter(const Box& box, std::int32_t feature) override;
  void leave() override;
  std::int32_t verdict(const Box& box) override;
  Question question(const Box& box) override;
  std::int32_t label(const double* row) override;
  std::size_t memory() const override { return changes_.size() * sizeof(Change); }

 private:
  enum class State : std::uint8_t { kOpen, kHolds, kFails };
  struct Change {
    std::int32_t condition;
    State before;
  };
  struct Bounds {
    double low;
    double high;
    double width() const { return high - low; }
  };

  void ask_conditions_as_nodes();
  void find_rounding();
  State state(const Box& box, std::int32_t condition) const;
  State state_of_known(const Box& box, std::int32_t condition) const;
  void set_state(std::int32_t condition, State state);
  void count(std::int32_t condition, State state, std::int32_t by);
  Bounds vote(std::size_t rule, double min_share, double factor, double full) const;
  Bounds main_vote(std::size_t rule) const;
  Bounds fallback_vote(std::size_t rule) const;
  void sum_votes();
  std::int32_t clear_winner() const;
  bool may_be_without_votes() const;
  std::int32_t most_telling_condition();

  model::RuleSetPtr rules_;
  std::vector<double> base_;
  std::vector<double> prior_;
  model::Voting voting_;
  model::VotingRules voters_;
  double rounding_ = 0;  // how far rounding can move a class's votes, or our bounds of them

  std::vector<std::vector<std::int32_t>> conditions_of_feature_;
  std::vector<std::vector<std::int32_t>> rules_of_condition_;
  model::TreePtr tests_;                  // never walked: it only provides nodes for questions
  std::vector<model::NodeId> low_test_;   // per condition: the node that tests its lower end, or its categories
  std::vector<model::NodeId> high_test_;  // likewise for its upper end

  std::vector<State> state_;             // per condition
  std::vector<std::int32_t> n_holding_;  // per rule
  std::vector<std::int32_t> n_failing_;
  std::vector<Change> changes_;
  std::vector<std::size_t> level_begin_;

  // Of the last verdict.
  std::vector<Bounds> votes_;  // per class
  bool votes_are_certain_ = false;
  std::vector<double> tells_;  // per condition; scratch
  std::vector<std::int32_t> codes_;
  std::vector<double> label_votes_;
};

}  // namespace sightline::proof
