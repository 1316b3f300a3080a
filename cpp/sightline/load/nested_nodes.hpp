// Reads a tree that JSON stores as nested objects into columns, one entry per node.
#pragma once

#include <cstdint>
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

// One entry per node in the order of the text: parents come before their children.
struct NestedNodes {
  std::vector<std::int32_t> left, right;           // -1: there is no such child
  std::vector<std::vector<double>> numbers;        // per field; NaN if absent
  std::vector<std::vector<std::int32_t>> strings;  // per field: index into `distinct`, -1 if absent
  std::vector<std::string> distinct;
  std::vector<double> vector;  // `width` per node, NaN if absent
};

// Reads the object in [begin, end) of a text without building a document. Throws
// std::invalid_argument that names the byte, or the node if a member is unknown, duplicate or of the
// wrong type.
NestedNodes read_nested(std::string_view text, std::size_t begin, std::size_t end, const NestedFields& fields,
                        runtime::StopPoll& poll);

}  // namespace sightline::load
