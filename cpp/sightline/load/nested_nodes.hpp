// Reads trees that JSON stores as nested objects into columns, one entry per node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sightline/runtime/stop.hpp"

namespace sightline::load {

// The members to read from each node. A name such as `split.border` is a member of a member.
struct NestedFields {
  std::string left, right;           // the members that hold the children
  std::vector<std::string> numbers;  // numbers and booleans
  std::vector<std::string> strings;  // a name may be in both lists
  std::vector<std::string> ignored;  // numbers to skip
  std::string vector;                // a number or an array of `width` numbers; empty if there is none
  std::size_t width = 1;
};

// One entry per node in the order of the text: trees one after the other, parents before their children.
struct NestedNodes {
  std::vector<std::int64_t> tree_begin;            // the first node of each tree, and the number of nodes
  std::vector<std::int32_t> left, right;           // counted from the first node of the tree; -1: there is no such child
  std::vector<std::vector<double>> numbers;        // per field; NaN if absent
  std::vector<std::vector<std::int32_t>> strings;  // per field: index into `distinct`, -1 if absent
  std::vector<std::string> distinct;
  std::vector<double> vector;  // `width` per node, NaN if absent
};

// Where an object lies in a text.
struct TextRange {
  std::size_t begin, end;
};

// Reads objects of a text without building a document. Throws std::invalid_argument that names the byte,
// or the node if a member is unknown, duplicate or of the wrong type; and the tree, if they are several.
NestedNodes read_nested(std::string_view text, std::span<const TextRange> trees, const NestedFields& fields,
                        runtime::StopPoll& poll);

}  // namespace sightline::load
