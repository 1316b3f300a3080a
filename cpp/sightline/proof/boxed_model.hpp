// The interface of a model under a box: which labels it gives to the rows of the box.
#pragma once

#include <cstdint>

#include "sightline/model/decision_nodes.hpp"
#include "sightline/proof/box.hpp"

namespace sightline::proof {

// A test that splits a box: that of a node, or whether a value is missing at all. The
// latter is asked first where the node would spread rows with a missing value.
struct Question {
  const model::DecisionNodes* nodes = nullptr;
  std::int32_t tree = 0;  // which tree of an ensemble the node belongs to
  model::NodeId node = 0;
  bool about_missing = false;

  // The test of a node, in the form that decides the node in every part of the box.
  static Question of(const Box& box, const model::DecisionNodes& nodes, model::NodeId node, std::int32_t tree = 0) {
    const bool spreads = nodes.missing_branch(node) < 0 && box.may_be_missing(nodes.feature(node));
    return {&nodes, tree, node, spreads};
  }

  std::int32_t feature() const { return nodes->feature(node); }
  std::size_t n_outcomes() const { return about_missing ? 2 : nodes->children(node).size(); }
  bool possible(const Box& box, std::size_t outcome) const {
    if (about_missing) return outcome == 0 ? box.may_be_known(feature()) : box.may_be_missing(feature());
    return box.branch_possible(*nodes, node, outcome);
  }
  void narrow(Box& box, std::size_t outcome) const {
    if (!about_missing) {
      box.narrow(*nodes, node, outcome);
    } else if (outcome == 0) {
      box.forbid_missing(feature());
    } else {
      box.require_missing(feature());
    }
  }
};

// What merging and certifying ask of a model. To make another kind of model provable,
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

  // The label that every row of the box gets, or kOpen where that is not known. It is
  // known at the latest when every test is decided, so that asking comes to an end.
  virtual std::int32_t verdict(const Box& box) = 0;
  // Where the verdict is open: a test that the box does not decide.
  virtual Question question(const Box& box) = 0;
  // The label of one row, computed just as the model itself does.
  virtual std::int32_t label(const double* row) = 0;
  // Whether rows fall into numbered leaves; then `leaf` is the one that every row of the
  // box reaches, -1 where rows are spread over several, once the verdict is known.
  virtual bool has_leaves() const { return false; }
  virtual std::int32_t leaf() const { return -1; }
  // Some measure of what the levels take, for memory budgets.
  virtual std::size_t memory() const { return 0; }
};

}  // namespace sightline::proof
