// Reads trees that JSON stores as nested nodes into columns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sightline/runtime/stop.hpp"

namespace sightline::load {

// What to look for in a node. A name such as `split.border` is a member of a member.
struct NestedFields {
  std::string left, right;           // the members that are nodes themselves
  std::vector<std::string> numbers;  // numbers and truth values
  std::vector<std::string> strings;  // a name may be in both lists
  std::vector<std::string> ignored;  // numbers that nobody asks for
  std::string vector;                // a number or an array of `width` numbers; or empty: there is none
  std::size_t width = 1;
};

// One entry per node in the order of the text, so that parents come before their children.
struct NestedNodes {
  std::vector<std::int32_t> left, right;           // -1: there is no such child
  std::vector<std::vector<double>> numbers;        // per field; NaN where a node does not have it
  std::vector<std::vector<std::int32_t>> strings;  // per field: which of `distinct`, -1 where absent
  std::vector<std::string> distinct;
  std::vector<double> vector;  // `width` per node, NaN where absent
};

// Reads the object that takes up [begin, end) of a text, without a document in between. Throws
// std::invalid_argument naming the byte, or the node where a member is unknown, of the wrong type
// or there twice.
NestedNodes read_nested(std::string_view text, std::size_t begin, std::size_t end, const NestedFields& fields,
                        runtime::StopPoll& poll);

}  // namespace sightline::load
