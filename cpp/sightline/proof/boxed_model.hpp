// The interface of a model under a box: which labels or numbers it gives to the rows of the box.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "sightline/model/decision_nodes.hpp"
#include "sightline/proof/box.hpp"
#include "sightline/proof/score_bounds.hpp"

namespace sightline::proof {

// A test that splits a box: that of a node, or whether a value is missing at all. The
// latter is asked first where the node would spread rows with a missing value. Or a cut through the
// values of a numeric feature, which no model tests: missing values count as below it.
struct Question {
  const model::DecisionNodes* nodes = nullptr;
  std::int32_t tree = 0;  // which tree of an ensemble the node belongs to
  model::NodeId node = 0;
  bool about_missing = false;
  std::int32_t cut_feature = -1;  // of a cut
  double cut_at = 0;

  // The test of a node, in the form that decides the node in every part of the box.
  static Question of(const Box& box, const model::DecisionNodes& nodes, model::NodeId node, std::int32_t tree = 0) {
    const bool spreads = nodes.missing_branch(node) < 0 && box.may_be_missing(nodes.feature(node));
    return {.nodes = &nodes, .tree = tree, .node = node, .about_missing = spreads};
  }

  bool is_cut() const { return cut_feature >= 0; }
  std::int32_t feature() const { return is_cut() ? cut_feature : nodes->feature(node); }
  std::size_t n_outcomes() const { return about_missing || is_cut() ? 2 : nodes->children(node).size(); }
  bool possible(const Box& box, std::size_t outcome) const {
    if (is_cut()) {
      const Interval& values = box.interval(cut_feature);
      return outcome == 0 ? box.may_be_missing(cut_feature) || !values.at_most(cut_at).empty() : !values.above(cut_at).empty();
    }
    if (about_missing) return outcome == 0 ? box.may_be_known(feature()) : box.may_be_missing(feature());
    return box.branch_possible(*nodes, node, outcome);
  }
  void narrow(Box& box, std::size_t outcome) const {
    if (is_cut()) {
      const Interval& values = box.interval(cut_feature);
      box.keep(cut_feature, outcome == 0 ? values.at_most(cut_at) : values.above(cut_at));
      if (outcome == 1) box.forbid_missing(cut_feature);
    } else if (!about_missing) {
      box.narrow(*nodes, node, outcome);
    } else if (outcome == 0) {
      box.forbid_missing(feature());
    } else {
      box.require_missing(feature());
    }
  }
};

// Which bound of a model's numbers a question is to narrow.
enum class Aim : std::uint8_t { kLow, kHigh };

// What merging and certifying need from a model. To make another kind of model provable,
// derive from this; levels are a stack that follows the narrowing of one box.
class BoxedModel {
 public:
  static constexpr std::int32_t kOpen = -1;

  virtual ~BoxedModel() = default;

  // The first level: a box that no narrowing led to.
  virtual void start(const Box& box) = 0;
  // The box was narrowed on one side: a new level.
  virtual void enter(const Box& box, std::int32_t feature) = 0;
  // Back to the level before.
  virtual void leave() = 0;

  // The label that every row of the box gets, or kOpen if unknown. It is
  // known at the latest when every test is decided, so that asking comes to an end.
  virtual std::int32_t verdict(const Box& box) = 0;
  // Whether no row of the box gets this label, as far as bounds show. Of two labels the verdict knows it.
  virtual bool excludes(const Box& box, std::int32_t label) {
    const std::int32_t known = verdict(box);
    return known != kOpen && known != label;
  }
  // Where the verdict is open: a test that the box does not decide.
  virtual Question question(const Box& box) = 0;
  // The label of one row, computed just as the model itself does.
  virtual std::int32_t label(const double* row) = 0;
  // What a model that answers with numbers has instead of labels. Settled: the box decides every
  // test, so that no question is left.
  virtual bool is_settled(const Box& /*box*/) { throw_no_numbers(); }
  // No row of the box gets a number outside these bounds. Once settled, the rows of `move_to_end`
  // get the bounds themselves, unless the model's own rounding is not known to the last bit.
  virtual ScoreBounds numbers(const Box& /*box*/) { throw_no_numbers(); }
  // Where the box is not settled: a test that narrows one bound, as far as a closer look shows.
  virtual Question question_for(const Box& box, Aim /*aim*/) { return question(box); }
  // The number of one row, computed just as the model itself does.
  virtual double number(const double* /*row*/) { throw_no_numbers(); }
  // Moves a row of the box, where the model is settled, to where its number is highest, or lowest.
  virtual void move_to_end(const Box& /*box*/, bool /*highest*/, std::vector<double>& /*row*/) {}
  // A cut that narrows the bounds of a settled box, or nothing.
  virtual std::optional<Question> cut(const Box& /*box*/) { return std::nullopt; }
  // Whether rows fall into numbered leaves; then `leaf` is the one that every row of the
  // box reaches, -1 where rows are spread over several, once the verdict is known or the box settled.
  virtual bool has_leaves() const { return false; }
  virtual std::int32_t leaf() const { return -1; }
  // Some measure of what the levels take, for memory budgets.
  virtual std::size_t memory() const { return 0; }

 private:
  [[noreturn]] static void throw_no_numbers() { throw std::logic_error("this model does not predict numbers"); }
};

}  // namespace sightline::proof
