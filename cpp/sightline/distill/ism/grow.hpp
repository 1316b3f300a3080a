// ISM: one tree grown from an ensemble's class distributions.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <vector>

#include "sightline/distill/ism/forest.hpp"
#include "sightline/distill/ism/rows.hpp"
#include "sightline/model/tree.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::distill::ism {

struct Options {
  // Where P(test | context) and the class distributions come from: the trees (kT), the test
  // probability from rows (kTd), both from rows (kD), or rows with the trees' expectation
  // counting as `m` rows more (kHybrid).
  enum class Variant : std::uint8_t { kT, kTd, kD, kHybrid };

  Variant variant = Variant::kTd;
  bool mixture_gain = true;
  bool gain_ratio = false;
  bool literal_matching = false;
  bool pooled_probability = true;  // kT: from the nodes that ask the test; else from all rows' values
  bool stop_on_rows = true;        // stop where the ensemble gives all rows one label
  bool stop_when_safe = true;      // stop where it gives every possible row one label
  double m = 20;
  std::size_t max_leaves = 0;  // 0: no limit
  bool join_siblings = false;  // max_leaves counts siblings that say the same as one leaf
  std::size_t max_nodes = 1'000'000;
  std::int32_t max_depth = -1;
  double max_seconds = std::numeric_limits<double>::infinity();
};

// Why a node was not split; kOneLabel: it was, but all leaves below said the same.
enum class Rest : std::uint8_t { kSplit = 0, kProved = 1, kRowsAgree = 2, kNoTest = 3, kLimit = 4, kOneLabel = 5 };

struct Growth {
  model::TreePtr tree;
  // Per node: in which step it was split when the most useful split comes first (-1: leaf),
  // so that every smaller tree is a beginning of this one.
  std::vector<std::int32_t> step;
  std::vector<Rest> rest;
  bool complete = true;  // no limit of nodes or time was met
};

Growth grow(const PreparedEnsemble& prepared, const CodedRows& rows, const Options& options, runtime::StopPoll& poll);

}  // namespace sightline::distill::ism
