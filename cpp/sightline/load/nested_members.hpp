// Finds the members of JSON tree nodes by name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sightline/load/nested_nodes.hpp"

namespace sightline::load {

struct NestedMember {
  enum class Kind : std::uint8_t { kValue, kVector, kIgnored, kLeft, kRight, kGroup };

  std::string name;    // within its group
  std::string path;    // the dotted name, for error messages
  std::int32_t group;  // -1: a member of the node itself
  Kind kind;
  std::int32_t number = -1;  // its column of numbers
  std::int32_t string = -1;  // its column of strings
};

class NestedMembers {
 public:
  explicit NestedMembers(const NestedFields& fields);

  std::size_t size() const { return members_.size(); }
  const NestedMember& operator[](std::size_t index) const { return members_[index]; }
  // The index of a member, -1 if it is unknown.
  std::int32_t find(std::int32_t group, std::string_view name) const;

 private:
  NestedMember& entry(const std::string& path, NestedMember::Kind kind);

  std::vector<NestedMember> members_;
};

}  // namespace sightline::load
