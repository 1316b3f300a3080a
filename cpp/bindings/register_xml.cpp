#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string_view>

#include "arrays.hpp"
#include "interruptible.hpp"
#include "register.hpp"
#include "sightline/load/xml_elements.hpp"

namespace sightline::bindings {
namespace {

using load::XmlElements;

auto column(std::vector<std::int32_t> XmlElements::* member) {
  return [member](nb::handle_t<XmlElements> self) {
    const std::vector<std::int32_t>& values = nb::cast<const XmlElements&>(self).*member;
    return view(values.data(), {values.size()}, self);
  };
}

void parse(XmlElements* self, const nb::bytes& content) {
  const std::string_view text(content.c_str(), content.size());
  new (self) XmlElements(interruptible(nullptr, [&](runtime::StopPoll& poll) { return load::read_xml(text, poll); }));
}

nb::object string_of(const XmlElements& self, std::size_t index) {
  const std::string& string = self.strings.at(index);
  PyObject* text = PyUnicode_DecodeUTF8(string.data(), static_cast<Py_ssize_t>(string.size()), "strict");
  if (text == nullptr) throw nb::python_error();
  return nb::steal(text);
}

std::ptrdiff_t find(const XmlElements& self, const std::string& string) {
  const auto found = std::find(self.strings.begin(), self.strings.end(), string);
  return found == self.strings.end() ? -1 : found - self.strings.begin();
}

nb::ndarray<nb::numpy, double> released(const std::vector<double>& numbers) {
  NewArray<double> result({numbers.size()});
  std::copy(numbers.begin(), numbers.end(), result.data());
  return result.release();
}

}  // namespace

void register_xml(nb::module_& m) {
  nb::class_<XmlElements>(m, "XmlElements", "The elements of an XML document, in the order of their start tags.")
      .def("__init__", &parse, nb::arg("content"), "Read UTF-8; ValueError names the byte.")
      .def("string", &string_of, nb::arg("index"), "A name, value or text; UnicodeDecodeError unless it is UTF-8.")
      .def("find", &find, nb::arg("string"), "The index of a string, -1 if it does not occur.")
      .def(
          "numbers", [](const XmlElements& self) { return released(self.numbers()); },
          "Per string: the number that it spells, NaN if none.")
      .def(
          "singles", [](const XmlElements& self) { return released(self.singles()); },
          "The same in single precision, rounded only once.")
      .def_prop_ro("name", column(&XmlElements::name), "Per element: its name, without a prefix.")
      .def_prop_ro("parent", column(&XmlElements::parent), "Per element: the element around it, -1 for the root.")
      .def_prop_ro("end", column(&XmlElements::end), "Per element: one behind its last descendant.")
      .def_prop_ro("text", column(&XmlElements::text), "Per element: the text directly inside, -1 if there is none.")
      .def_prop_ro("owner", column(&XmlElements::owner), "Per attribute: its element, ascending.")
      .def_prop_ro("key", column(&XmlElements::key), "Per attribute: its name.")
      .def_prop_ro("value", column(&XmlElements::value), "Per attribute: its value.");
}

}  // namespace sightline::bindings
