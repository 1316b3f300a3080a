// The members of an ensemble, each with its own feature subset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sightline/learn/subspace_knn/case_rows.hpp"
#include "sightline/learn/subspace_knn/class_shares.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::learn::subspace_knn {

// Whether each member uses each feature: one byte each, member by member.
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

// The class shares of every member for every row: (row, member, class), in multiples of 1 / kWhole. Without `queries`, the rows
// are the cases themselves, and no case is its own neighbor.
void member_shares(const Cases& cases, const CaseRows* queries, const Masks& masks, std::size_t k, int n_threads,
                   runtime::StopPoll& poll, std::int32_t* shares);

// The nearest case of a class other than the given one, over all features, and its squared distance in fixed point; -1 if all
// cases have that class.
void nearest_of_others(const Cases& cases, const CaseRows& queries, std::span<const std::int32_t> codes, int n_threads,
                       runtime::StopPoll& poll, std::int32_t* rows, double* distances);

// Distances between each row and its own list of cases, over all features; -1 means no case.
void distances_to(const Cases& cases, const CaseRows& queries, std::span<const std::int32_t> lists, int n_threads,
                  runtime::StopPoll& poll, double* distances);

}  // namespace sightline::learn::subspace_knn
