// Members of an ensemble that each know a subset of the features.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sightline/learn/subspace_knn/case_rows.hpp"
#include "sightline/learn/subspace_knn/class_shares.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::learn::subspace_knn {

// One byte per member and feature, member by member: whether the member uses the feature.
struct Masks {
  std::size_t n_features = 0;
  std::vector<std::uint8_t> used;

  std::size_t n_members() const { return used.size() / n_features; }
  std::uint8_t* member(std::size_t m) { return used.data() + m * n_features; }
  const std::uint8_t* member(std::size_t m) const { return used.data() + m * n_features; }
};

struct Cases {
  CaseRows rows;
  CaseLabels labels;
};

// Class shares that every member gives every row: (row, member, class), in multiples of 1 / kWhole.
// Without `queries` the rows are the cases themselves, each of which is left out of its own neighbours.
void member_shares(const Cases& cases, const CaseRows* queries, const Masks& masks, std::size_t k, int n_threads,
                   runtime::StopPoll& poll, std::int32_t* shares);

// The nearest case of another class than the one given, over all features, and its squared
// distance in fixed point; -1 where all cases are of that class.
void nearest_of_others(const Cases& cases, const CaseRows& queries, std::span<const std::int32_t> codes, int n_threads,
                       runtime::StopPoll& poll, std::int32_t* rows, double* distances);

// Distances of each row to its own list of cases, over all features; -1 names no case.
void distances_to(const Cases& cases, const CaseRows& queries, std::span<const std::int32_t> lists, int n_threads,
                  runtime::StopPoll& poll, double* distances);

}  // namespace sightline::learn::subspace_knn
