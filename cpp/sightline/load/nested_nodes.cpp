#include "sightline/load/nested_nodes.hpp"

#include <limits>
#include <stdexcept>
#include <unordered_map>

#include "sightline/load/json_cursor.hpp"
#include "sightline/load/nested_members.hpp"

namespace sightline::load {
namespace {

using Kind = NestedMember::Kind;

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

class NestedReader {
 public:
  NestedReader(std::string_view text, std::size_t begin, const NestedFields& fields, runtime::StopPoll& poll)
      : cursor_(text, begin),
        fields_(fields),
        poll_(poll),
        members_(fields),
        followers_(members_.size() + 1, 0),
        last_string_(fields.strings.size(), -1) {
    if (members_.size() > 64) throw std::invalid_argument("too many members are requested");
    nodes_.numbers.resize(fields.numbers.size());
    nodes_.strings.resize(fields.strings.size());
  }

  NestedNodes read();

 private:
  // A node, or a group of its members, that is not closed yet.
  struct Open {
    std::size_t node;
    std::int32_t group;
    bool is_empty = true;
    std::uint64_t seen = 0;  // a bit per member
  };

  [[noreturn]] void fail(const std::string& what) const {
    throw std::invalid_argument("node " + std::to_string(open_.empty() ? 0 : open_.back().node) + ": " + what);
  }
  void open_node();
  void close_last();
  // Reads the next member of the last open object, or its end.
  void read_entry();
  std::size_t read_name();
  void read_member(std::size_t index);
  double number(const NestedMember& member);
  void read_vector(const NestedMember& member);
  std::int32_t code_of(std::int32_t field, std::string_view text);

  JsonCursor cursor_;
  const NestedFields& fields_;
  runtime::StopPoll& poll_;
  NestedMembers members_;
  // Per member, and one more for the start of an object: the member that followed last time. Nodes
  // look alike, so names are rarely looked up.
  std::vector<std::size_t> followers_;
  std::size_t previous_ = 0;
  std::vector<std::int32_t> last_string_;
  std::vector<Open> open_;
  NestedNodes nodes_;
  std::unordered_map<std::string, std::int32_t> codes_;
};

NestedNodes NestedReader::read() {
  open_node();
  while (!open_.empty()) read_entry();
  cursor_.skip_space();
  if (!cursor_.is_at_end()) cursor_.fail("unexpected data after the end");
  return std::move(nodes_);
}

void NestedReader::open_node() {
  const std::size_t node = nodes_.left.size();
  if (node % 4096 == 0) poll_();
  open_.push_back({node, -1});
  previous_ = members_.size();
  nodes_.left.push_back(-1);
  nodes_.right.push_back(-1);
  for (auto& column : nodes_.numbers) column.push_back(kAbsent);
  for (auto& column : nodes_.strings) column.push_back(-1);
  if (!fields_.vector.empty()) nodes_.vector.resize(nodes_.vector.size() + fields_.width, kAbsent);
  if (cursor_.peek() != '{') fail("a node must be an object");
  cursor_.skip(1);
}

void NestedReader::close_last() {
  cursor_.skip(1);
  open_.pop_back();
}

void NestedReader::read_entry() {
  cursor_.skip_space();
  Open& last = open_.back();
  if (cursor_.peek() == '}') return close_last();
  if (!last.is_empty) {
    cursor_.expect(',', "expected ',' or '}'");
    cursor_.skip_space();
  }
  last.is_empty = false;
  const std::size_t index = read_name();
  const std::uint64_t bit = std::uint64_t{1} << index;
  if (last.seen & bit) fail("'" + members_[index].path + "' occurs twice");
  last.seen |= bit;
  cursor_.skip_space();
  cursor_.expect(':', "expected ':'");
  cursor_.skip_space();
  read_member(index);
}

std::size_t NestedReader::read_name() {
  const std::int32_t group = open_.back().group;
  std::size_t& follower = followers_[previous_];
  const NestedMember& expected = members_[follower];
  if (expected.group != group || !cursor_.skip_exactly(expected.quoted)) {
    const std::string_view name = cursor_.read_string();
    const std::int32_t found = members_.find(group, name);
    if (found < 0) {
      std::string unknown = "'";
      if (group >= 0) unknown.append(members_[static_cast<std::size_t>(group)].name).append(".");
      fail(unknown.append(name).append("' is unknown"));
    }
    follower = static_cast<std::size_t>(found);
  }
  previous_ = follower;
  return follower;
}

void NestedReader::read_member(std::size_t index) {
  const NestedMember& member = members_[index];
  const std::size_t node = open_.back().node;
  switch (member.kind) {
    case Kind::kLeft:
    case Kind::kRight:
      (member.kind == Kind::kLeft ? nodes_.left : nodes_.right)[node] = static_cast<std::int32_t>(nodes_.left.size());
      return open_node();
    case Kind::kGroup:
      if (cursor_.peek() != '{') fail("'" + member.path + "' must be an object");
      cursor_.skip(1);
      return open_.push_back({node, static_cast<std::int32_t>(index)});
    case Kind::kVector:
      return read_vector(member);
    case Kind::kIgnored:
      if (cursor_.is_at_number()) {
        bool is_whole;
        cursor_.number_token(is_whole);
      } else {
        number(member);
      }
      return;
    case Kind::kValue:
      break;
  }
  if (cursor_.peek() == '"') {
    if (member.string < 0) fail("'" + member.path + "' must not be a string");
    nodes_.strings[static_cast<std::size_t>(member.string)][node] = code_of(member.string, cursor_.read_string());
  } else {
    const double value = number(member);
    if (member.number < 0) fail("'" + member.path + "' must be a string");
    nodes_.numbers[static_cast<std::size_t>(member.number)][node] = value;
  }
}

double NestedReader::number(const NestedMember& member) {
  switch (cursor_.peek()) {
    case 'f':
      cursor_.expect_word("false");
      return 0;
    case 't':
      cursor_.expect_word("true");
      return 1;
    case 'n':
      cursor_.expect_word("null");
      return kAbsent;
    case '{':
    case '[':
    case '"':
      fail("'" + member.path + "' must be a number");
    default:
      return cursor_.read_number();
  }
}

void NestedReader::read_vector(const NestedMember& member) {
  const auto wrong = [&] { fail("'" + member.path + "' must be " + std::to_string(fields_.width) + " numbers"); };
  double* out = nodes_.vector.data() + open_.back().node * fields_.width;
  if (cursor_.peek() != '[') {
    if (fields_.width != 1) wrong();
    *out = number(member);
    return;
  }
  cursor_.skip(1);
  for (std::size_t k = 0; k < fields_.width; ++k) {
    cursor_.skip_space();
    if (!cursor_.is_at_number()) wrong();
    out[k] = cursor_.read_number();
    cursor_.skip_space();
    if (k + 1 < fields_.width) {
      if (cursor_.peek() == ']') wrong();
      cursor_.expect(',', "expected ',' or ']'");
    }
  }
  if (cursor_.peek() == ',') wrong();
  cursor_.expect(']', "expected ',' or ']'");
}

std::int32_t NestedReader::code_of(std::int32_t field, std::string_view text) {
  std::int32_t& last = last_string_[static_cast<std::size_t>(field)];
  if (last < 0 || nodes_.distinct[static_cast<std::size_t>(last)] != text) {
    const auto [found, is_new] = codes_.try_emplace(std::string(text), static_cast<std::int32_t>(nodes_.distinct.size()));
    if (is_new) nodes_.distinct.emplace_back(text);
    last = found->second;
  }
  return last;
}

}  // namespace

NestedNodes read_nested(std::string_view text, std::size_t begin, std::size_t end, const NestedFields& fields,
                        runtime::StopPoll& poll) {
  return NestedReader(text.substr(0, end), begin, fields, poll).read();
}

}  // namespace sightline::load
