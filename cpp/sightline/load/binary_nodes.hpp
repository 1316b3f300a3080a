// Turns the binary nodes of a foreign library into a tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightline/model/tree.hpp"

namespace sightline::load {

// Borrowed arrays, one entry per node, the root first. The left child is the yes-branch of
// x <= threshold over doubles, or of x in the node's categories. Nothing has been checked.
struct BinaryNodes {
  std::vector<std::int32_t> n_values;
  std::size_t n_outputs = 1;
  std::span<const bool> is_leaf;
  std::span<const std::int64_t> feature, left, right;  // ignored at leaves
  std::span<const double> threshold;
  std::span<const bool> missing_goes_left;
  std::span<const bool> is_subset;           // or empty: there are none
  std::vector<std::int64_t> category_begin;  // empty if there are none
  std::vector<std::int32_t> category;
  std::span<const double> weight, output, counts;
  // Whether inner nodes have no output of their own: then they get the mean of their leaves'.
  bool leaves_only = false;
};

// Throws std::invalid_argument naming the node at fault, as build_tree does.
model::TreePtr build_binary_tree(const BinaryNodes& nodes);

}  // namespace sightline::load
