#include "sightline/load/nested_nodes.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <unordered_map>

namespace sightline {
namespace {

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

class Flattening {
 public:
  Flattening(const JsonDocument& document, const NestedFields& fields) : document_(document), fields_(fields) {
    nodes_.numbers.resize(fields.numbers.size());
    nodes_.texts.resize(fields.texts.size());
  }

  NestedNodes flatten(JsonDocument::Index root, StopPoll& poll) {
    add_node(root, 0);
    while (!pending_.empty()) {
      const Pending next = pending_.back();
      pending_.pop_back();
      if (nodes_.left.size() % 4096 == 0) poll();
      (next.is_left ? nodes_.left : nodes_.right)[next.parent] = static_cast<std::int32_t>(nodes_.left.size());
      add_node(next.value, nodes_.left.size());
    }
    return std::move(nodes_);
  }

 private:
  struct Pending {
    JsonDocument::Index value;
    std::size_t parent;
    bool is_left;
  };

  [[noreturn]] void fail(const std::string& what) const {
    throw std::invalid_argument("node " + std::to_string(nodes_.left.size() - 1) + ": " + what);
  }

  void add_node(JsonDocument::Index at, std::size_t node) {
    nodes_.left.push_back(-1);
    nodes_.right.push_back(-1);
    for (auto& column : nodes_.numbers) column.push_back(kAbsent);
    for (auto& column : nodes_.texts) column.push_back(-1);
    if (!fields_.vector.empty()) nodes_.vector.resize(nodes_.vector.size() + fields_.width, kAbsent);
    if (document_[at].kind != JsonKind::kObject) fail("a node must be an object");
    read_members(at, node, {});
  }

  void read_members(JsonDocument::Index object, std::size_t node, std::string_view prefix) {
    JsonDocument::Index at = object + 1;
    for (std::size_t i = 0; i < document_[object].size; ++i) {
      const std::string_view key = document_.text(at);
      const JsonDocument::Index value = at + 1;
      at = document_[value].next;
      if (prefix.empty() && (key == fields_.left || key == fields_.right)) {
        pending_.push_back({value, node, key == fields_.left});
      } else if (prefix.empty() && document_[value].kind == JsonKind::kObject) {
        read_members(value, node, key);
      } else {
        read_member(value, node, prefix, key);
      }
    }
  }

  void read_member(JsonDocument::Index value, std::size_t node, std::string_view prefix, std::string_view key) {
    const auto is_named = [&](const std::string& name) {
      if (prefix.empty()) return name == key;
      return name.size() == prefix.size() + 1 + key.size() && name.starts_with(prefix) && name[prefix.size()] == '.' &&
             name.ends_with(key);
    };
    const JsonKind kind = document_[value].kind;
    const std::string name = std::string(prefix) + (prefix.empty() ? "" : ".") + std::string(key);
    if (is_named(fields_.vector)) return read_vector(value, node, name);
    if (kind == JsonKind::kText) {
      const auto field = std::find_if(fields_.texts.begin(), fields_.texts.end(), is_named);
      if (field == fields_.texts.end()) fail("'" + name + "' is not known as a text");
      nodes_.texts[field - fields_.texts.begin()][node] = code_of(document_.text(value));
      return;
    }
    const auto field = std::find_if(fields_.numbers.begin(), fields_.numbers.end(), is_named);
    if (field == fields_.numbers.end()) fail("'" + name + "' is not known");
    nodes_.numbers[field - fields_.numbers.begin()][node] = number(value, name);
  }

  double number(JsonDocument::Index value, const std::string& name) const {
    switch (document_[value].kind) {
      case JsonKind::kInteger:
        return static_cast<double>(document_[value].integer);
      case JsonKind::kNumber:
        return document_[value].number;
      case JsonKind::kFalse:
        return 0;
      case JsonKind::kTrue:
        return 1;
      case JsonKind::kNull:
        return kAbsent;
      default:
        fail("'" + name + "' must be a number");
    }
  }

  void read_vector(JsonDocument::Index value, std::size_t node, const std::string& name) {
    double* out = nodes_.vector.data() + node * fields_.width;
    const JsonKind kind = document_[value].kind;
    const bool is_array = kind == JsonKind::kIntegers || kind == JsonKind::kNumbers;
    if ((is_array ? document_[value].size : 1) != fields_.width) fail("'" + name + "' must be " + std::to_string(fields_.width) + " numbers");
    if (kind == JsonKind::kIntegers) {
      std::copy_n(document_.integers(value).begin(), fields_.width, out);
    } else if (kind == JsonKind::kNumbers) {
      std::copy_n(document_.numbers(value).begin(), fields_.width, out);
    } else {
      *out = number(value, name);
    }
  }

  std::int32_t code_of(std::string_view text) {
    const auto [found, is_new] = codes_.try_emplace(std::string(text), static_cast<std::int32_t>(nodes_.distinct.size()));
    if (is_new) nodes_.distinct.emplace_back(text);
    return found->second;
  }

  const JsonDocument& document_;
  const NestedFields& fields_;
  NestedNodes nodes_;
  std::vector<Pending> pending_;
  std::unordered_map<std::string, std::int32_t> codes_;
};

}  // namespace

NestedNodes flatten(const JsonDocument& document, JsonDocument::Index root, const NestedFields& fields, StopPoll& poll) {
  return Flattening(document, fields).flatten(root, poll);
}

}  // namespace sightline
