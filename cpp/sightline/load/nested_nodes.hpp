// Trees whose nodes lie within each other in a document, as columns.
#pragma once

#include <string>
#include <vector>

#include "sightline/load/json_document.hpp"

namespace sightline {

// What to look for in a node. A name such as `split.border` is a member of a member.
struct NestedFields {
  std::string left, right;           // the members that are nodes themselves
  std::vector<std::string> numbers;  // numbers and truth values
  std::vector<std::string> texts;
  std::string vector;                // a number or an array of `width` numbers; or empty: there is none
  std::size_t width = 1;
};

// One entry per node, parents before their children, the root first.
struct NestedNodes {
  std::vector<std::int32_t> left, right;     // -1: there is no such child
  std::vector<std::vector<double>> numbers;  // per field; NaN where a node does not have it
  std::vector<std::vector<std::int32_t>> texts;  // per field: which of `distinct`, -1 where absent
  std::vector<std::string> distinct;
  std::vector<double> vector;  // `width` per node, NaN where absent
};

// Throws std::invalid_argument naming the node where a member is unknown or of the wrong type.
NestedNodes flatten(const JsonDocument& document, JsonDocument::Index root, const NestedFields& fields, StopPoll& poll);

}  // namespace sightline
