// Which members of an ensemble the cases can do without.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sightline/distill/meta_knn/case_views.hpp"
#include "sightline/learn/subspace_knn/class_shares.hpp"

namespace sightline::distill::meta_knn {

struct SelectionOptions {
  std::size_t k = 5;          // neighbours that vote
  std::size_t n_columns = 1;  // of every member
  bool weighted = false;      // votes by 1 / distance rather than one each
  int n_threads = 1;
};

struct Selection {
  std::vector<std::int32_t> members;  // those that stay, ascending
  std::int64_t n_wrong_before = 0, n_wrong = 0;
};

// From the last member to the first: without it, does the vote of the nearest cases, each case
// left out of its own neighbours, go wrong more often? If not, it goes. One member always stays.
Selection select_members(const CaseViews& cases, const SelectionOptions& options, runtime::StopPoll& poll);

}  // namespace sightline::distill::meta_knn
