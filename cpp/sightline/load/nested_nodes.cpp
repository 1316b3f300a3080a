#include "sightline/load/nested_nodes.hpp"

#include <algorithm>
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
  NestedReader(std::string_view text, const NestedFields& fields, runtime::StopPoll& poll)
      : text_(text),
        cursor_(text),
        fields_(fields),
        poll_(poll),
        members_(fields),
        leads_(members_.size() + 1),
        last_string_(fields.strings.size()) {
    if (members_.size() > 64) throw std::invalid_argument("too many members are requested");
    nodes_.numbers.resize(fields.numbers.size());
    nodes_.strings.resize(fields.strings.size());
  }

  void read_tree(const TextRange& range);
  NestedNodes taken();

 private:
  // A node, or a group of its members, that is not closed yet.
  struct Open {
    std::size_t node;
    std::int32_t group;
    bool is_empty = true;
    std::uint64_t seen = 0;  // a bit per member
  };

  // The text from the end of a member, or the start of an object, to the value of the next member.
  struct Lead {
    std::string text;
    std::size_t member = 0;
    std::int32_t group = -1;
    bool is_first = false;
  };

  // A string as the text has it, which is likely to come again.
  struct LastString {
    std::string quoted;
    std::int32_t code = -1;
  };

  [[noreturn]] void fail(const std::string& what) const {
    throw std::invalid_argument("node " + std::to_string(open_.empty() ? 0 : open_.back().node - tree_begin_) + ": " + what);
  }
  [[noreturn]] void fail_unknown(std::int32_t group, std::string_view name) const {
    std::string path = "'";
    if (group >= 0) path.append(members_[static_cast<std::size_t>(group)].name).append(".");
    fail(path.append(name).append("' is unknown"));
  }
  void make_room();
  void open_node();
  void close_last();
  // Reads the next member of the last open object, or its end.
  void read_entry();
  std::size_t read_lead();
  void read_member(std::size_t index);
  double number(const NestedMember& member);
  void read_vector(const NestedMember& member);
  std::int32_t read_code(LastString& last);

  std::string_view text_;
  JsonCursor cursor_;
  const NestedFields& fields_;
  runtime::StopPoll& poll_;
  NestedMembers members_;
  // Per member, and one more for the start of a node: what followed last time. Nodes look alike, so most leads are
  // recognized as a whole, without looking up names.
  std::vector<Lead> leads_;
  std::size_t previous_ = 0;
  std::size_t tree_begin_ = 0;
  std::size_t n_nodes_ = 0;              // the columns have room for more
  std::vector<LastString> last_string_;  // per field
  std::vector<Open> open_;
  NestedNodes nodes_;
  std::unordered_map<std::string, std::int32_t> codes_;
};

void NestedReader::read_tree(const TextRange& range) {
  cursor_ = JsonCursor(text_.substr(0, range.end), range.begin);
  tree_begin_ = n_nodes_;
  nodes_.tree_begin.push_back(static_cast<std::int64_t>(n_nodes_));
  open_node();
  while (!open_.empty()) read_entry();
  cursor_.skip_space();
  if (!cursor_.is_at_end()) cursor_.fail("unexpected data after the end");
}

void resize_columns(NestedNodes& nodes, std::size_t n_nodes, std::size_t width) {
  nodes.left.resize(n_nodes, -1);
  nodes.right.resize(n_nodes, -1);
  for (auto& column : nodes.numbers) column.resize(n_nodes, kAbsent);
  for (auto& column : nodes.strings) column.resize(n_nodes, -1);
  nodes.vector.resize(n_nodes * width, kAbsent);
}

NestedNodes NestedReader::taken() {
  nodes_.tree_begin.push_back(static_cast<std::int64_t>(n_nodes_));
  resize_columns(nodes_, n_nodes_, fields_.vector.empty() ? 0 : fields_.width);
  return std::move(nodes_);
}

// All columns at once, as there are many of them.
void NestedReader::make_room() {
  constexpr std::size_t kFirst = 1024;
  resize_columns(nodes_, std::max(kFirst, 2 * n_nodes_), fields_.vector.empty() ? 0 : fields_.width);
}

void NestedReader::open_node() {
  const std::size_t node = n_nodes_;
  if (node % 4096 == 0) poll_();
  if (node == nodes_.left.size()) make_room();
  ++n_nodes_;
  open_.push_back({node, -1});
  previous_ = members_.size();
  if (cursor_.peek() != '{') fail("a node must be an object");
  cursor_.skip(1);
}

void NestedReader::close_last() {
  cursor_.skip(1);
  open_.pop_back();
}

void NestedReader::read_entry() {
  Open& last = open_.back();
  Lead& lead = leads_[previous_];
  if (lead.text.empty() || lead.group != last.group || lead.is_first != last.is_empty || !cursor_.skip_exactly(lead.text)) {
    const std::size_t begin = cursor_.at();
    cursor_.skip_space();
    if (cursor_.peek() == '}') return close_last();
    lead.member = read_lead();
    lead.group = last.group;
    lead.is_first = last.is_empty;
    lead.text.assign(text_, begin, cursor_.at() - begin);
  }
  cursor_.skip_space();
  last.is_empty = false;
  previous_ = lead.member;
  const std::uint64_t bit = std::uint64_t{1} << lead.member;
  if (last.seen & bit) fail(std::string("'").append(members_[lead.member].path).append("' occurs twice"));
  last.seen |= bit;
  read_member(lead.member);
}

// Reads up to the colon after a name.
std::size_t NestedReader::read_lead() {
  if (!open_.back().is_empty) {
    cursor_.expect(',', "expected ',' or '}'");
    cursor_.skip_space();
  }
  const std::int32_t group = open_.back().group;
  const std::string_view name = cursor_.read_string();
  const std::int32_t found = members_.find(group, name);
  if (found < 0) fail_unknown(group, name);
  cursor_.skip_space();
  cursor_.expect(':', "expected ':'");
  return static_cast<std::size_t>(found);
}

void NestedReader::read_member(std::size_t index) {
  const NestedMember& member = members_[index];
  const std::size_t node = open_.back().node;
  switch (member.kind) {
    case Kind::kLeft:
    case Kind::kRight:
      (member.kind == Kind::kLeft ? nodes_.left : nodes_.right)[node] = static_cast<std::int32_t>(n_nodes_ - tree_begin_);
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
    nodes_.strings[static_cast<std::size_t>(member.string)][node] =
        read_code(last_string_[static_cast<std::size_t>(member.string)]);
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

std::int32_t NestedReader::read_code(LastString& last) {
  if (!last.quoted.empty() && cursor_.skip_exactly(last.quoted)) return last.code;
  const std::size_t begin = cursor_.at();
  const std::string_view string = cursor_.read_string();
  const auto [found, is_new] = codes_.try_emplace(std::string(string), static_cast<std::int32_t>(nodes_.distinct.size()));
  if (is_new) nodes_.distinct.emplace_back(string);
  last.quoted.assign(text_, begin, cursor_.at() - begin);
  last.code = found->second;
  return last.code;
}

}  // namespace

NestedNodes read_nested(std::string_view text, std::span<const TextRange> trees, const NestedFields& fields,
                        runtime::StopPoll& poll) {
  NestedReader reader(text, fields, poll);
  for (std::size_t k = 0; k < trees.size(); ++k) {
    try {
      reader.read_tree(trees[k]);
    } catch (const std::invalid_argument& error) {
      if (trees.size() == 1) throw;
      throw std::invalid_argument("tree " + std::to_string(k) + ": " + error.what());
    }
  }
  return reader.taken();
}

}  // namespace sightline::load
