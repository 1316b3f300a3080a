// A tree or graph under a box: the nodes that rows of the box reach.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sightline/proof/boxed_model.hpp"
#include "sightline/proof/line_bounds.hpp"

namespace sightline::proof {

// Every level holds the front: the nodes where the tests that the box decides end. It is
// one node, or several where a missing value spreads the rows; the verdict is known when
// all of them are leaves.
class BoxedNodes : public BoxedModel {
 public:
  BoxedNodes(model::NodesPtr nodes, double tie_tolerance);
  // A tree of numbers with lines in its leaves.
  BoxedNodes(model::NodesPtr nodes, model::LeafLinesPtr lines);

  void start(const Box& box) override;
  void enter(const Box& box, std::int32_t feature) override;
  void leave() override;
  std::int32_t verdict(const Box& box) override;
  Question question(const Box& box) override;
  std::int32_t label(const double* row) override;
  bool is_settled(const Box& box) override;
  ScoreBounds numbers(const Box& box) override;
  double number(const double* row) override;
  void move_to_end(const Box& box, bool highest, std::vector<double>& row) override;
  std::optional<Question> cut(const Box& box) override;

  bool has_leaves() const override { return true; }
  std::int32_t leaf() const override;

 private:
  void advance(const Box& box, model::NodeId node);
  void mix_output(const double* row);
  void find_ranges();
  std::span<const model::NodeId> front() const { return std::span(front_).subspan(level_begin_.back()); }

  model::NodesPtr nodes_;
  double tie_tolerance_;
  std::optional<LineBounds> lines_;
  std::vector<model::NodeId> front_;
  std::vector<std::size_t> level_begin_;
  std::vector<model::NodeId> pending_;
  std::vector<double> part_;
  std::vector<double> output_;
  std::vector<ScoreBounds> range_;  // per node, of one output: of the leaves below it; made when first needed
  double rounding_ = 0;             // more than mixing outputs can err
};

}  // namespace sightline::proof
