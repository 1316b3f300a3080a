// Drops members of an ensemble that the cases do not need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sightline/distill/meta_knn/case_views.hpp"
#include "sightline/learn/subspace_knn/class_shares.hpp"

namespace sightline::distill::meta_knn {

struct SelectionOptions {
  std::size_t k = 5;          // neighbors that vote
  std::size_t n_columns = 1;  // of every member
  bool weighted = false;      // weigh votes by 1 / distance
  int n_threads = 1;
};

// Visits the members from last to first and drops each without which the leave-one-out vote of the
// nearest cases makes no more errors. Returns the members that are kept, at least one, ascending.
std::vector<std::int32_t> select_members(const CaseViews& cases, const SelectionOptions& options, runtime::StopPoll& poll);

}  // namespace sightline::distill::meta_knn
