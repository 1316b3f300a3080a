// Rebuilds trees over other columns: each test becomes a test of the column that the tested one was made from.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightline/model/tree.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::load {

// What replaces each of the distinct tests. A test of numbers divides them at ascending bounds into the
// intervals (-inf, b0], (b0, b1], ...; the branches 0 and 1 take turns. Without a bound, all numbers go one way.
struct ColumnTests {
  enum class Missing : std::int8_t { kBranch0 = 0, kBranch1 = 1, kAsBefore = -1 };

  std::vector<std::int32_t> n_values;  // per new column: declared values, 0 where numeric

  // Per test.
  std::vector<std::int32_t> feature;
  std::vector<std::int8_t> first_branch;  // of numbers up to the first bound, of listed categories
  std::vector<std::int64_t> bound_begin;  // one more than tests
  std::vector<double> bound;
  std::vector<std::int64_t> category_begin;  // one more than tests
  std::vector<std::int32_t> category;        // those listed; all others take the other branch
  std::vector<std::int8_t> missing;          // a Missing
};

// The trees with other tests; each row keeps its output. A branch that no row can take is left out, so that
// a chain of tests of one column gets shorter, and equal leaves of such a chain become one leaf.
// Throws std::invalid_argument where the tests do not fit, and std::length_error above max_nodes in total.
std::vector<model::TreePtr> retested(std::span<const model::TreePtr> trees, std::span<const std::vector<std::int32_t>> of_node,
                                     const ColumnTests& tests, std::size_t max_nodes, runtime::StopPoll& poll);

}  // namespace sightline::load
