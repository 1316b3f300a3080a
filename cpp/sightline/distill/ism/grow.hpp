// ISM (interpretable single model): grows one tree from an ensemble's class distributions or numbers.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "sightline/distill/ism/forest.hpp"
#include "sightline/distill/ism/rows.hpp"
#include "sightline/model/tree.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::distill::ism {

struct Options {
  // The source of P(test | context) and of the class distributions: both from the trees (kT), the
  // test probability from rows (kTd), both from rows (kD), or from rows plus the trees' expectation
  // with the weight of `m` rows (kHybrid).
  enum class Variant : std::uint8_t { kT, kTd, kD, kHybrid };

  Variant variant = Variant::kTd;
  bool mixture_gain = true;
  bool gain_ratio = false;
  bool split_without_gain = true;  // as long as the rows, or for kT the possible rows, have several labels
  bool literal_matching = false;
  bool pooled_probability = true;  // kT: from the nodes that have the test; else from the values of all rows
  bool stop_on_rows = true;        // stop if the ensemble gives all rows one label, or nearly one number
  double m = 20;
  // Numbers of rows are nearly one if they deviate by this share of the deviation of all rows' numbers.
  double min_deviation = 0;
  std::size_t max_leaves = 0;  // 0: no limit
  bool join_siblings = false;  // max_leaves counts siblings of the same label as one leaf
  std::size_t max_nodes = 1'000'000;
  std::int32_t max_depth = -1;
  double max_seconds = std::numeric_limits<double>::infinity();
  // Minimum weight of the rows in at least two branches of a test: in both, if it has two.
  double min_leaf = 0;
  std::vector<std::uint8_t> banned = {};  // per feature: never tested; empty: none
};

// Why a node was not split. kOneLabel: it was split, but all leaves below had the same label.
enum class Rest : std::uint8_t { kSplit = 0, kProved = 1, kRowsAgree = 2, kNoTest = 3, kLimit = 4, kOneLabel = 5 };

struct Growth {
  model::TreePtr tree;
  // Per node: the step that split it, the most useful split first (-1: leaf). The first steps
  // alone give each smaller tree.
  std::vector<std::int32_t> step;
  std::vector<Rest> rest;
  // Per node: which one it is of the tree that this one was cut from.
  std::vector<model::NodeId> source;
  // Per node, of a tree of numbers that is not cut yet: the distances of its rows' numbers from its
  // output, times their weights, summed.
  std::vector<double> distance;
  bool complete = true;  // growth hit no limit of nodes or time
};

Growth grow(const PreparedEnsemble& prepared, const CodedRows& rows, const Options& options, runtime::StopPoll& poll);

}  // namespace sightline::distill::ism
