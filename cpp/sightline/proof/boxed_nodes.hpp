// A tree or graph under a box: the nodes that rows of the box reach.
#pragma once

#include <cstdint>
#include <vector>

#include "sightline/proof/boxed_model.hpp"

namespace sightline::proof {

// Every level holds the front: the nodes where the tests that the box decides end. It is
// one node, or several where a missing value spreads the rows; the verdict is known when
// all of them are leaves.
class BoxedNodes : public BoxedModel {
 public:
  BoxedNodes(model::NodesPtr nodes, double tie_tolerance);

  void start(const Box& box) override;
  void enter(const Box& box, std::int32_t feature) override;
  void leave() override;
  std::int32_t verdict(const Box& box) override;
  Question question(const Box& box) override;
  std::int32_t label(const double* row) override;

  bool has_leaves() const override { return true; }
  std::int32_t leaf() const override;

 private:
  void advance(const Box& box, model::NodeId node);

  model::NodesPtr nodes_;
  double tie_tolerance_;
  std::vector<model::NodeId> front_;
  std::vector<std::size_t> level_begin_;
  std::vector<model::NodeId> pending_;
  std::vector<double> part_;
  std::vector<double> output_;
};

}  // namespace sightline::proof
