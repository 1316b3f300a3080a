// Turns the binary nodes of a foreign library into a tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightline/model/tree.hpp"

namespace sightline::load {

// Borrowed, unchecked arrays with one entry per node, the root first. Rows go to the left child if
// x <= threshold over doubles, or if x is in the node's categories.
struct BinaryNodes {
  std::vector<std::int32_t> n_values;
  std::size_t n_outputs = 1;
  std::span<const bool> is_leaf;
  std::span<const std::int64_t> feature, left, right;  // ignored at leaves
  std::span<const double> threshold;
  std::span<const bool> missing_goes_left;
  std::span<const bool> is_subset;           // empty if there are none
  std::vector<std::int64_t> category_begin;  // empty if there are none
  std::vector<std::int32_t> category;
  std::span<const double> weight, output, counts;
  // If true, inner nodes have no output of their own and get the mean of their leaves.
  bool leaves_only = false;
};

// Throws std::invalid_argument naming the node at fault, as build_tree does.
model::TreePtr build_binary_tree(const BinaryNodes& nodes);

// The same for several trees whose nodes lie one after the other, [begin[k], begin[k + 1]) for tree k. Children are counted
// from the first node of their tree. Errors also name the tree, counted from `first` on.
std::vector<model::TreePtr> build_binary_trees(const BinaryNodes& nodes, std::span<const std::int64_t> begin, std::size_t first);

}  // namespace sightline::load
