#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>

#include "arrays.hpp"
#include "interruptible.hpp"
#include "register.hpp"
#include "sightline/load/joined_numbers.hpp"
#include "sightline/load/json_document.hpp"
#include "sightline/load/nested_nodes.hpp"
#include "sightline/load/number_list.hpp"

namespace sightline::bindings {
namespace {

using Index = load::JsonDocument::Index;

// A value in a document. Keeps the document alive, and the file that holds packed numbers.
struct JsonValue {
  load::JsonDocumentPtr document;
  Index index = 0;
  nb::bytes file;
};

// The numpy name of a UBJSON type; its numbers are big-endian.
const char* packed_type(char type) {
  switch (type) {
    case 'i':
      return ">i1";
    case 'U':
      return ">u1";
    case 'I':
      return ">i2";
    case 'l':
      return ">i4";
    case 'L':
      return ">i8";
    case 'd':
      return ">f4";
    default:
      return ">f8";
  }
}

// Raises UnicodeDecodeError, a ValueError, if the bytes are not UTF-8.
nb::object as_string(std::string_view content) {
  PyObject* text = PyUnicode_DecodeUTF8(content.data(), static_cast<Py_ssize_t>(content.size()), "strict");
  if (text == nullptr) throw nb::python_error();
  return nb::steal(text);
}

// Deeper documents are nested nodes, which stay unread, or an attack on the stack.
constexpr int kDeepest = 64;

class Conversion {
 public:
  // The arrays under the key `kept` stay as they are, to be read member by member.
  explicit Conversion(nb::handle owner, std::string_view kept = {})
      : owner_(owner),
        root_(nb::cast<const JsonValue&>(owner)),
        kept_(kept),
        from_buffer_(nb::module_::import_("numpy").attr("frombuffer")) {}

  nb::object convert(Index index, int depth) const {
    const load::JsonDocument& document = *root_.document;
    const load::JsonDocument::Value& value = document[index];
    if (depth > kDeepest) throw std::invalid_argument("it is nested too deeply");
    switch (value.kind) {
      case load::JsonKind::kNull:
        return nb::none();
      case load::JsonKind::kFalse:
        return nb::bool_(false);
      case load::JsonKind::kTrue:
        return nb::bool_(true);
      case load::JsonKind::kInteger:
        return nb::int_(value.integer);
      case load::JsonKind::kNumber:
        return nb::float_(value.number);
      case load::JsonKind::kString:
        return string(index);
      case load::JsonKind::kIntegers:
        return nb::cast(view<std::int64_t>(document.integers(index).data(), {value.size}, owner_));
      case load::JsonKind::kNumbers:
        return nb::cast(view<double>(document.numbers(index).data(), {value.size}, owner_));
      case load::JsonKind::kPacked:
        return from_buffer_(root_.file, packed_type(value.type), value.size, value.size == 0 ? 0 : value.begin);
      case load::JsonKind::kUnread:
        return nb::cast(JsonValue{root_.document, index, root_.file});
      case load::JsonKind::kArray:
        return array(index, depth);
      case load::JsonKind::kObject:
        return object(index, depth);
    }
    return nb::none();
  }

 private:
  nb::object string(Index index) const { return as_string(root_.document->string(index)); }

  nb::object array(Index index, int depth) const {
    nb::list result;
    Index at = index + 1;
    for (std::size_t i = 0; i < (*root_.document)[index].size; ++i) {
      result.append(convert(at, depth + 1));
      at = (*root_.document)[at].next;
    }
    return result;
  }

  nb::object object(Index index, int depth) const {
    nb::dict result;
    Index at = index + 1;
    for (std::size_t i = 0; i < (*root_.document)[index].size; ++i) {
      const bool is_kept = !kept_.empty() && root_.document->string(at) == kept_;
      result[string(at)] =
          is_kept && (*root_.document)[at + 1].kind == load::JsonKind::kArray ? kept(at + 1) : convert(at + 1, depth + 1);
      at = (*root_.document)[at + 1].next;
    }
    return result;
  }

  // Its strings are checked all the same, as those that become Python's are.
  nb::object kept(Index index) const {
    const load::JsonDocument& document = *root_.document;
    for (Index at = index; at < document[index].next; ++at) {
      if (document[at].kind != load::JsonKind::kString) continue;
      const std::string_view content = document.string(at);
      if (std::any_of(content.begin(), content.end(), [](char c) { return static_cast<unsigned char>(c) > 0x7F; })) string(at);
    }
    return nb::cast(JsonValue{root_.document, index, root_.file});
  }

  nb::handle owner_;
  const JsonValue& root_;
  std::string_view kept_;
  nb::object from_buffer_;
};

template <class Parse>
JsonValue parsed(const nb::bytes& text, Parse parse) {
  const std::string_view content(text.c_str(), text.size());
  load::JsonDocumentPtr document = interruptible(nullptr, [&](runtime::StopPoll& poll) { return parse(content, poll); });
  return {std::move(document), 0, text};
}

template <class T>
nb::ndarray<nb::numpy, T> handed_over(const std::vector<T>& values) {
  NewArray<T> result({values.size()}, Fill::kNothing);
  std::copy(values.begin(), values.end(), result.data());
  return result.release();
}

template <class T, class Read>
nb::ndarray<nb::numpy, T> numbers_of(const nb::bytes& text, Read read) {
  const std::string_view content(text.c_str(), text.size());
  return handed_over<T>(interruptible(nullptr, [&](runtime::StopPoll&) { return read(content); }));
}

template <class T>
std::optional<nb::ndarray<nb::numpy, T>> joined(const JsonValue& self, std::string_view key, std::size_t first,
                                                const Array1<std::int64_t>& lengths) {
  const std::span<const std::int64_t> of_entry(lengths.data(), lengths.size());
  const std::string_view file(self.file.c_str(), self.file.size());
  // Every number takes at least a byte of the file, so that lengths out of range ask for no memory.
  std::size_t total = 0;
  for (const std::int64_t length : of_entry) {
    if (length < 0 || static_cast<std::size_t>(length) > file.size() - total) return std::nullopt;
    total += static_cast<std::size_t>(length);
  }
  NewArray<T> result({total}, Fill::kNothing);
  if (!load::join_numbers(*self.document, file, self.index, key, first, of_entry, result.data())) return std::nullopt;
  return result.release();
}

std::optional<nb::ndarray<nb::numpy, std::int64_t>> parsed_wholes(const JsonValue& self, std::string_view inner,
                                                                  std::string_view key) {
  const load::JsonDocument& document = *self.document;
  if (document[self.index].kind != load::JsonKind::kArray) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (Index entry = self.index + 1; entry < document[self.index].next; entry = document[entry].next) {
    const Index object = load::find_member(document, entry, inner);
    const Index member = object == 0 ? 0 : load::find_member(document, object, key);
    const std::optional<std::int64_t> number = member == 0 ? std::nullopt : load::parsed_whole(document, member);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return handed_over(numbers);
}

auto column(std::vector<std::int32_t> load::NestedNodes::* member) {
  return [member](nb::handle_t<load::NestedNodes> self) {
    const auto& values = nb::cast<const load::NestedNodes&>(self).*member;
    return view(values.data(), {values.size()}, self);
  };
}

}  // namespace

static void register_nested_nodes(nb::module_& m) {
  nb::class_<load::NestedNodes>(m, "NestedNodes", "Nested nodes as columns, tree after tree; the root comes first.")
      .def_prop_ro(
          "tree_begin",
          [](nb::handle_t<load::NestedNodes> self) {
            const auto& values = nb::cast<const load::NestedNodes&>(self).tree_begin;
            return view(values.data(), {values.size()}, self);
          },
          "The first node of each tree, and the number of nodes.")
      .def_prop_ro("left", column(&load::NestedNodes::left), "Per node: the left child, counted from the root; -1: none.")
      .def_prop_ro("right", column(&load::NestedNodes::right), "Per node: the right child, counted from the root; -1: none.")
      .def(
          "numbers",
          [](nb::handle_t<load::NestedNodes> self, std::size_t field) {
            const auto& values = nb::cast<const load::NestedNodes&>(self).numbers.at(field);
            return view(values.data(), {values.size()}, self);
          },
          nb::arg("field"), "A column of numbers; NaN if a node has none.")
      .def(
          "strings",
          [](nb::handle_t<load::NestedNodes> self, std::size_t field) {
            const auto& values = nb::cast<const load::NestedNodes&>(self).strings.at(field);
            return view(values.data(), {values.size()}, self);
          },
          nb::arg("field"), "A column of strings, as indices into `distinct`; -1 if a node has none.")
      .def_prop_ro(
          "distinct",
          [](const load::NestedNodes& self) {
            nb::list result;
            for (const std::string& value : self.distinct) result.append(as_string(value));
            return result;
          },
          nb::sig("def distinct(self) -> list[str]"), "The distinct strings.")
      .def_prop_ro(
          "vector",
          [](nb::handle_t<load::NestedNodes> self) {
            const load::NestedNodes& nodes = nb::cast<const load::NestedNodes&>(self);
            return view(nodes.vector.data(), {nodes.left.size(), nodes.vector.size() / nodes.left.size()}, self);
          },
          "Per node: the numbers of the vector field.");
}

static void register_json_value(nb::module_& m) {
  nb::class_<JsonValue>(m, "JsonValue", "A value in a parsed document.")
      .def(
          "value",
          [](nb::handle_t<JsonValue> self, std::string_view kept) {
            return Conversion(self, kept).convert(nb::cast<const JsonValue&>(self).index, 0);
          },
          nb::arg("kept") = "", nb::sig("def value(self, kept: str = '') -> typing.Any"),
          "As Python objects; arrays of numbers as numpy arrays, unread objects and arrays under the key `kept` as JsonValue.")
      .def(
          "__len__", [](const JsonValue& self) { return (*self.document)[self.index].size; }, "The entries of an array.")
      .def(
          "members",
          [](nb::handle_t<JsonValue> self, std::string_view key) -> nb::object {
            const auto& [document, array, file] = nb::cast<const JsonValue&>(self);
            if ((*document)[array].kind != load::JsonKind::kArray) return nb::none();
            const Conversion conversion(self);
            nb::list result;
            for (Index entry = array + 1; entry < (*document)[array].next; entry = (*document)[entry].next) {
              const Index member = load::find_member(*document, entry, key);
              if (member == 0) return nb::none();
              result.append(conversion.convert(member, 0));
            }
            return result;
          },
          nb::arg("key"), nb::sig("def members(self, key: str) -> list[typing.Any] | None"),
          "A member of every object of an array; None if one has no such member.")
      .def("integers", &joined<std::int64_t>, nb::arg("key"), nb::arg("first"), nb::arg("lengths"),
           "The arrays of whole numbers that objects of an array, from the first on, have under a key, one after the other. None "
           "unless all "
           "have one, of these lengths.")
      .def("singles", &joined<float>, nb::arg("key"), nb::arg("first"), nb::arg("lengths"),
           "The same for numbers, in single precision: those beyond it become infinite.")
      .def("flags", &joined<bool>, nb::arg("key"), nb::arg("first"), nb::arg("lengths"), "The same for numbers that are 0 or 1.")
      .def("parsed_wholes", &parsed_wholes, nb::arg("inner"), nb::arg("key"),
           "The whole numbers, perhaps stored as strings of digits, under a key of the object that every object of an array has "
           "under `inner`. None unless all have one.")
      .def(
          "keys",
          [](const JsonValue& self) {
            const load::JsonDocument& document = *self.document;
            nb::list result;
            if (document[self.index].kind != load::JsonKind::kObject) return result;
            Index at = self.index + 1;
            for (std::size_t i = 0; i < document[self.index].size; ++i) {
              result.append(as_string(document.string(at)));
              at = document[at + 1].next;
            }
            return result;
          },
          nb::sig("def keys(self) -> list[str]"), "The keys of an object; empty for any other value.");
}

static void register_parsers(nb::module_& m) {
  m.def(
      "flattened",
      [](const std::vector<JsonValue>& trees, std::string left, std::string right, std::vector<std::string> numbers,
         std::vector<std::string> strings, std::vector<std::string> ignored, std::string vector, std::size_t width) {
        const load::NestedFields fields{std::move(left),
                                        std::move(right),
                                        std::move(numbers),
                                        std::move(strings),
                                        std::move(ignored),
                                        std::move(vector),
                                        width};
        std::vector<load::TextRange> ranges;
        for (const JsonValue& tree : trees) {
          const load::JsonDocument::Value& value = (*tree.document)[tree.index];
          const bool is_unread = tree.document == trees.front().document && value.kind == load::JsonKind::kUnread;
          if (!is_unread) throw std::invalid_argument("the values are not unread trees of one document");
          ranges.push_back({value.begin, value.begin + value.size});
        }
        if (trees.empty()) throw std::invalid_argument("there is no tree");
        const std::string_view text(trees.front().file.c_str(), trees.front().file.size());
        return interruptible(nullptr, [&](runtime::StopPoll& poll) { return load::read_nested(text, ranges, fields, poll); });
      },
      nb::arg("trees"), nb::arg("left"), nb::arg("right"), nb::arg("numbers"), nb::arg("strings"),
      nb::arg("ignored") = std::vector<std::string>(), nb::arg("vector") = "", nb::arg("width") = 1,
      "Read the nested nodes of unread trees. ValueError names the node or the byte at fault, and the tree if they are several.");
  m.def(
      "parse_json",
      [](const nb::bytes& text, const std::vector<std::string>& unread, const std::vector<std::string>& with_nan) {
        return parsed(text, [&](std::string_view content, runtime::StopPoll& poll) {
          return load::parse_json(content, unread, with_nan, poll);
        });
      },
      nb::arg("text"), nb::arg("unread") = std::vector<std::string>(), nb::arg("with_nan") = std::vector<std::string>(),
      "Parse strict JSON (UTF-8); ValueError names the byte at fault. Objects at the given paths (dotted keys) stay unread, "
      "for `flattened`. Arrays of numbers under the keys `with_nan` may contain NaN and minus infinity.");
  m.def(
      "parse_ubjson",
      [](const nb::bytes& text, const std::vector<std::string>& with_nan) {
        return parsed(
            text, [&](std::string_view content, runtime::StopPoll& poll) { return load::parse_ubjson(content, with_nan, poll); });
      },
      nb::arg("text"), nb::arg("with_nan") = std::vector<std::string>(),
      "Parse UBJSON; ValueError names the byte at fault. Arrays of numbers under the keys `with_nan` may contain NaN and minus "
      "infinity.");
  m.def(
      "read_numbers", [](const nb::bytes& text) { return numbers_of<double>(text, load::read_numbers); }, nb::arg("text"),
      "Read numbers separated by single spaces.");
  m.def(
      "read_integers", [](const nb::bytes& text) { return numbers_of<std::int64_t>(text, load::read_integers); }, nb::arg("text"),
      "Read integers separated by single spaces.");
}

void register_json(nb::module_& m) {
  register_nested_nodes(m);
  register_json_value(m);
  register_parsers(m);
}

}  // namespace sightline::bindings
