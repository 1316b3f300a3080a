#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>

#include "interruptible.hpp"
#include "register.hpp"
#include "sightline/model/graph.hpp"
#include "sightline/proof/ordered_graph.hpp"
#include "sightline/proof/stacked_tree.hpp"

namespace sightline::bindings {
namespace {

std::optional<model::TreePtr> stacked(const proof::VotingTrees& self, std::int32_t step, bool missing, std::int64_t max_nodes) {
  if (step < 0 || step > static_cast<std::int32_t>(proof::StackStep::kEqual))
    throw std::invalid_argument("there is no such step");
  return interruptible(nullptr, [&](runtime::StopPoll& poll) -> std::optional<model::TreePtr> {
    auto arrays = proof::stacked_tree(self, {static_cast<proof::StackStep>(step), missing, max_nodes}, poll);
    if (!arrays) return std::nullopt;
    return model::build_tree(std::move(*arrays));
  });
}

using GraphTuple = std::tuple<model::GraphPtr, std::vector<std::int32_t>, std::int64_t>;

std::optional<GraphTuple> graph(const proof::VotingTrees& self, bool missing, bool search, std::int64_t max_nodes,
                                std::int64_t max_states, std::int64_t search_states) {
  return interruptible(nullptr, [&](runtime::StopPoll& poll) -> std::optional<GraphTuple> {
    auto found = proof::ordered_graph(self, {missing, search, max_nodes, max_states, search_states}, poll);
    if (!found) return std::nullopt;
    return GraphTuple{model::build_graph(std::move(found->arrays)), found->order, found->n_orders};
  });
}

}  // namespace

void register_voting_trees(nb::module_& m) {
  nb::class_<proof::VotingTrees>(m, "VotingTrees", "Trees whose leaves give whole points to one class each.")
      .def(nb::init<model::EnsemblePtr, std::vector<std::int64_t>, std::vector<std::int32_t>>(), nb::arg("ensemble"),
           nb::arg("points"), nb::arg("by_priority"), "Points per tree, and the classes in the order in which they win ties.")
      .def_prop_ro(
          "stacked_size", [](const proof::VotingTrees& self) { return proof::stacked_size(self); },
          "Nodes of the tree before any step.")
      .def("stacked", &stacked, nb::arg("step"), nb::arg("missing"), nb::arg("max_nodes"),
           "The tree after a step (0 stacked, 1 rounded, 2 possible, 3 equal), or None beyond the budget.")
      .def("graph", &graph, nb::arg("missing"), nb::arg("search"), nb::arg("max_nodes"), nb::arg("max_states"),
           nb::arg("search_states"),
           "The graph, the order of its features and the number of orders tried, or None beyond the budget.");
}

}  // namespace sightline::bindings
