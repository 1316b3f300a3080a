// Merges an ensemble into one tree or graph that gives the same label or number for every row.
#pragma once

#include <cstdint>
#include <vector>

#include "sightline/model/decision_nodes.hpp"
#include "sightline/model/ensemble.hpp"
#include "sightline/model/label_rule.hpp"
#include "sightline/runtime/stop.hpp"
#include "sightline/table/columns.hpp"

namespace sightline::proof {

// A search for the smallest result may exceed its time by so much for its first complete one: who gives it two seconds
// has an answer within three.
inline constexpr double kSecondsOver = 0.8;

struct MergeOptions {
  std::size_t n_classes = 2;         // 0: the ensemble answers with numbers
  double tolerance = 0;              // of numbers: how far the result may be from them
  std::vector<bool> may_be_missing;  // per feature: whether rows without its value are covered
  bool as_graph = false;
  std::int64_t max_nodes = 0;
  double max_seconds = 0;
  const table::Columns* rows = nullptr;  // which parts to prove first where the budget is short, or none
  bool smallest = false;                 // whether to search for the smallest result as long as time is left
  bool weigh_rows = false;               // of it: few tests per row of `rows`, instead of few leaves or nodes
  // How many states a decision diagram may have before the space is split, or the diagram is given up.
  std::int64_t max_states = std::int64_t{1} << 22;
};

struct MergedNodes {
  model::TreeArrays arrays;             // in the order of build_tree or build_graph, each leaf sure of one class, or one number
  std::vector<std::uint8_t> is_proved;  // per node; a node is proved if everything below it is
  bool complete = false;                // whether the budget sufficed
  std::int64_t n_boxes = 0;             // parts of the space that were looked at
  // Of a search for the smallest result: what it costs, and what every result costs at least. 0: there was none.
  double cost = 0;
  double least = 0;
};

// Splits the box of all rows by tests of the ensemble until its label is known in each
// part, or its number within the tolerance. Parts that the budget leaves over get the likeliest label
// or number and are not proved.
MergedNodes merge(model::EnsemblePtr ensemble, const model::LabelRule& rule, const MergeOptions& options,
                  runtime::StopPoll& poll);

}  // namespace sightline::proof
