#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "arrays.hpp"
#include "interruptible.hpp"
#include "register.hpp"
#include "sightline/load/json_document.hpp"
#include "sightline/load/nested_nodes.hpp"
#include "sightline/load/number_list.hpp"

namespace sightline::bindings {
namespace {

using Index = load::JsonDocument::Index;

// A value within a document that it keeps alive, as it does the file in which packed numbers lie.
struct JsonValue {
  load::JsonDocumentPtr document;
  Index index = 0;
  nb::bytes file;
};

// numpy's name of a type of UBJSON, whose numbers lie with their first byte first.
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

// Raises UnicodeDecodeError, a ValueError, where the bytes are not UTF-8.
nb::object as_string(std::string_view content) {
  PyObject* text = PyUnicode_DecodeUTF8(content.data(), static_cast<Py_ssize_t>(content.size()), "strict");
  if (text == nullptr) throw nb::python_error();
  return nb::steal(text);
}

// Deeper documents are nested nodes, which are left unread, or an attack on the stack.
constexpr int kDeepest = 64;

class Conversion {
 public:
  explicit Conversion(nb::handle owner)
      : owner_(owner), root_(nb::cast<const JsonValue&>(owner)), from_buffer_(nb::module_::import_("numpy").attr("frombuffer")) {}

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
    return std::move(result);
  }

  nb::object object(Index index, int depth) const {
    nb::dict result;
    Index at = index + 1;
    for (std::size_t i = 0; i < (*root_.document)[index].size; ++i) {
      result[string(at)] = convert(at + 1, depth + 1);
      at = (*root_.document)[at + 1].next;
    }
    return std::move(result);
  }

  nb::handle owner_;
  const JsonValue& root_;
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
  NewArray<T> result({values.size()});
  std::copy(values.begin(), values.end(), result.data());
  return result.release();
}

template <class T, class Read>
nb::ndarray<nb::numpy, T> numbers_of(const nb::bytes& text, Read read) {
  const std::string_view content(text.c_str(), text.size());
  return handed_over<T>(interruptible(nullptr, [&](runtime::StopPoll&) { return read(content); }));
}

auto column(std::vector<std::int32_t> load::NestedNodes::* member) {
  return [member](nb::handle_t<load::NestedNodes> self) {
    const auto& values = nb::cast<const load::NestedNodes&>(self).*member;
    return view(values.data(), {values.size()}, self);
  };
}

}  // namespace

void register_json(nb::module_& m) {
  nb::class_<load::NestedNodes>(m, "NestedNodes", "Nodes that lay within each other, as columns; the root first.")
      .def_prop_ro("left", column(&load::NestedNodes::left), "Per node: the left child, -1 if there is none.")
      .def_prop_ro("right", column(&load::NestedNodes::right), "Per node: the right child, -1 if there is none.")
      .def(
          "numbers",
          [](nb::handle_t<load::NestedNodes> self, std::size_t field) {
            const auto& values = nb::cast<const load::NestedNodes&>(self).numbers.at(field);
            return view(values.data(), {values.size()}, self);
          },
          nb::arg("field"), "A column of numbers; NaN where a node has none.")
      .def(
          "strings",
          [](nb::handle_t<load::NestedNodes> self, std::size_t field) {
            const auto& values = nb::cast<const load::NestedNodes&>(self).strings.at(field);
            return view(values.data(), {values.size()}, self);
          },
          nb::arg("field"), "A column of strings, as positions in `distinct`; -1 where a node has none.")
      .def_prop_ro(
          "distinct",
          [](const load::NestedNodes& self) {
            nb::list result;
            for (const std::string& value : self.distinct) result.append(as_string(value));
            return result;
          },
          nb::sig("def distinct(self) -> list[str]"), "The strings that occur.")
      .def_prop_ro(
          "vector",
          [](nb::handle_t<load::NestedNodes> self) {
            const load::NestedNodes& nodes = nb::cast<const load::NestedNodes&>(self);
            return view(nodes.vector.data(), {nodes.left.size(), nodes.vector.size() / nodes.left.size()}, self);
          },
          "Per node: the numbers of the vector field.");

  nb::class_<JsonValue>(m, "JsonValue", "A value in a parsed document.")
      .def(
          "value",
          [](nb::handle_t<JsonValue> self) { return Conversion(self).convert(nb::cast<const JsonValue&>(self).index, 0); },
          nb::sig("def value(self) -> typing.Any"),
          "As Python's types; arrays of numbers as numpy's. What was left unread stays as it is.")
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
          nb::sig("def keys(self) -> list[str]"), "Names of the members of an object; none of anything else.")
      .def(
          "flattened",
          [](const JsonValue& self, std::string left, std::string right, std::vector<std::string> numbers,
             std::vector<std::string> strings, std::vector<std::string> ignored, std::string vector, std::size_t width) {
            const load::NestedFields fields{std::move(left),
                                            std::move(right),
                                            std::move(numbers),
                                            std::move(strings),
                                            std::move(ignored),
                                            std::move(vector),
                                            width};
            const load::JsonDocument::Value& value = (*self.document)[self.index];
            if (value.kind != load::JsonKind::kUnread) throw std::invalid_argument("the value is not an unread tree");
            const std::string_view text(self.file.c_str(), self.file.size());
            return interruptible(nullptr, [&](runtime::StopPoll& poll) {
              return load::read_nested(text, value.begin, value.begin + value.size, fields, poll);
            });
          },
          nb::arg("left"), nb::arg("right"), nb::arg("numbers"), nb::arg("strings"),
          nb::arg("ignored") = std::vector<std::string>(), nb::arg("vector") = "", nb::arg("width") = 1,
          "The nodes of a tree that lie within each other; ValueError names the node or the byte at fault.");

  m.def(
      "parse_json",
      [](const nb::bytes& text, const std::vector<std::string>& unread) {
        return parsed(text,
                      [&](std::string_view content, runtime::StopPoll& poll) { return load::parse_json(content, unread, poll); });
      },
      nb::arg("text"), nb::arg("unread") = std::vector<std::string>(),
      "Parse strict JSON (UTF-8); ValueError names the byte at fault. Objects at the end of the given ways (names with points "
      "between them) are left for `flattened`.");
  m.def(
      "parse_ubjson", [](const nb::bytes& text) { return parsed(text, load::parse_ubjson); }, nb::arg("text"),
      "Parse UBJSON; ValueError names the byte at fault.");
  m.def(
      "read_numbers", [](const nb::bytes& text) { return numbers_of<double>(text, load::read_numbers); }, nb::arg("text"),
      "Numbers with single spaces between them.");
  m.def(
      "read_integers", [](const nb::bytes& text) { return numbers_of<std::int64_t>(text, load::read_integers); }, nb::arg("text"),
      "Whole numbers with single spaces between them.");
}

}  // namespace sightline::bindings
