// Hill climbing over feature subsets: HC on the error of the members, AmbHC on error and ambiguity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sightline/learn/subspace_knn/members.hpp"

namespace sightline::learn::subspace_knn {

struct SearchOptions {
  std::size_t k = 5;
  bool with_ambiguity = true;
  double threshold = 0.05;  // share by which one measure may get worse if the other improves
  int max_passes = 8;
  int n_threads = 1;
};

struct SearchResult {
  Masks masks;
  int n_passes = 0;
  // Whether the search converged: the last pass changed nothing.
  bool is_settled = false;
  // Leave-one-out shares of the members: (row, member, class).
  std::vector<std::int32_t> shares;
};

// Tries every feature of every member, pass after pass: flips it, measures the leave-one-out error and the ambiguity (how often
// the member differs from its ensemble), and keeps or undoes the flip. The order is part of the definition; threads share the
// rows of one trial.
SearchResult search_subspaces(const Cases& cases, Masks masks, const SearchOptions& options, runtime::StopPoll& poll);

}  // namespace sightline::learn::subspace_knn
