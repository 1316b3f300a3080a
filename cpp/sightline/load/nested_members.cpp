#include "sightline/load/nested_members.hpp"

namespace sightline::load {

using Kind = NestedMember::Kind;

NestedMembers::NestedMembers(const NestedFields& fields) {
  entry(fields.left, Kind::kLeft);
  entry(fields.right, Kind::kRight);
  for (std::size_t k = 0; k < fields.numbers.size(); ++k)
    entry(fields.numbers[k], Kind::kValue).number = static_cast<std::int32_t>(k);
  for (std::size_t k = 0; k < fields.strings.size(); ++k)
    entry(fields.strings[k], Kind::kValue).string = static_cast<std::int32_t>(k);
  for (const std::string& name : fields.ignored) entry(name, Kind::kIgnored);
  if (!fields.vector.empty()) entry(fields.vector, Kind::kVector);
}

NestedMember& NestedMembers::entry(const std::string& path, Kind kind) {
  const std::size_t point = path.find('.');
  std::int32_t group = -1;
  if (point != std::string::npos) {
    entry(path.substr(0, point), Kind::kGroup);
    group = find(-1, std::string_view(path).substr(0, point));
  }
  const std::string name = point == std::string::npos ? path : path.substr(point + 1);
  const std::int32_t found = find(group, name);
  if (found >= 0) return members_[static_cast<std::size_t>(found)];
  return members_.emplace_back(NestedMember{name, path, group, kind, -1, -1});
}

std::int32_t NestedMembers::find(std::int32_t group, std::string_view name) const {
  for (std::size_t index = 0; index < members_.size(); ++index) {
    if (members_[index].group == group && members_[index].name == name) return static_cast<std::int32_t>(index);
  }
  return -1;
}

}  // namespace sightline::load
