// All stumps up to a depth: the complete small tree for every choice of attributes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sightline/learn/stumps/split.hpp"
#include "sightline/learn/stumps/votes.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::learn::stumps {

// Nodes of one stump stand together, parents before children, the children of a node
// side by side.
struct StumpNode {
  model::Test test = model::Test::kLeaf;
  std::int32_t feature = -1;
  std::int32_t value = 0;
  std::int32_t missing_branch = 0;
  std::int32_t n_children = 0;
  std::int32_t first_child = 0;  // counted from the first node of the stump
  std::int32_t label = 0;
  double threshold = 0;
};

// Stumps with their votes on the training rows.
struct StumpBatch {
  std::vector<StumpNode> nodes;
  std::vector<std::size_t> begin{0};  // one more than stumps
  std::vector<std::int32_t> depth;    // attributes chosen, per stump
  std::vector<Votes::Word> words;

  std::size_t size() const { return depth.size(); }
  std::span<const StumpNode> stump(std::size_t i) const { return {nodes.data() + begin[i], nodes.data() + begin[i + 1]}; }
};

// Calls for each attribute (with depth 3: each pair), in order, what begins with it.
// Stumps that say the same everywhere are left out; equal ones may be there several times.
std::vector<StumpBatch> generate(const StumpRows& rows, const StumpOptions& options, const std::vector<std::int32_t>& weight,
                                 const Votes& votes, int n_threads, runtime::StopPoll& poll);

// Equal stumps have equal keys.
std::string key_of(std::span<const StumpNode> stump);

}  // namespace sightline::learn::stumps
