// Generates all stumps up to a depth: one complete tree for every choice of features.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sightline/learn/stumps/split.hpp"
#include "sightline/learn/stumps/votes.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::learn::stumps {

// The nodes of a stump are adjacent, parents before children, and so are the children of a node.
struct StumpNode {
  model::Test test = model::Test::kLeaf;
  std::int32_t feature = -1;
  std::int32_t value = 0;
  std::int32_t missing_branch = 0;
  std::int32_t n_children = 0;
  std::int32_t first_child = 0;  // relative to the first node of the stump
  std::int32_t label = 0;
  double threshold = 0;
};

// Stumps with their votes on the training rows.
struct StumpBatch {
  std::vector<StumpNode> nodes;
  std::vector<std::size_t> begin{0};  // one entry more than there are stumps
  std::vector<std::int32_t> depth;    // per stump: the number of features chosen
  std::vector<Votes::Word> words;

  std::size_t size() const { return depth.size(); }
  std::span<const StumpNode> stump(std::size_t i) const { return {nodes.data() + begin[i], nodes.data() + begin[i + 1]}; }
};

// Calls back with the stumps that begin with each feature (at depth 3: each pair), in order. Constant stumps are left out;
// equal stumps may occur several times.
std::vector<StumpBatch> generate(const StumpRows& rows, const StumpOptions& options, const std::vector<std::int32_t>& weight,
                                 const Votes& votes, int n_threads, runtime::StopPoll& poll);

// Equal stumps have equal keys.
std::string key_of(std::span<const StumpNode> stump);

}  // namespace sightline::learn::stumps
