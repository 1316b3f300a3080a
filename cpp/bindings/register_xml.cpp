#include <nanobind/stl/string_view.h>

#include <string_view>

#include "arrays.hpp"
#include "interruptible.hpp"
#include "register.hpp"
#include "sightline/load/xml_elements.hpp"

namespace sightline::bindings {
namespace {

using load::XmlElements;

auto per_element(std::vector<std::int32_t> XmlElements::* member) {
  return [member](nb::handle_t<XmlElements> self) {
    const std::vector<std::int32_t>& values = nb::cast<const XmlElements&>(self).*member;
    return view(values.data(), {values.size()}, self);
  };
}

void parse(XmlElements* self, const nb::bytes& content) {
  const std::string_view text(content.c_str(), content.size());
  new (self) XmlElements(interruptible(nullptr, [&](runtime::StopPoll& poll) { return load::read_xml(text, poll); }));
}

nb::str string_of(const XmlElements& self, std::size_t index) {
  const std::string_view string = self.strings.at(index);
  PyObject* text = PyUnicode_DecodeUTF8(string.data(), static_cast<Py_ssize_t>(string.size()), "strict");
  if (text == nullptr) throw nb::python_error();
  return nb::steal<nb::str>(text);
}

nb::dict attributes_of(const XmlElements& self, std::size_t element) {
  nb::dict result;
  for (std::int64_t i = self.attribute_begin.at(element); i < self.attribute_begin.at(element + 1); ++i) {
    result[string_of(self, self.key[i])] = string_of(self, self.value[i]);
  }
  return result;
}

nb::ndarray<nb::numpy, std::int32_t> column(const XmlElements& self, std::int32_t key) {
  NewArray<std::int32_t> result({self.name.size()});
  self.column(key, result.data());
  return result.release();
}

// Per string, what a member function makes of it.
auto per_string(double (XmlElements::*number)(std::size_t) const) {
  return [number](const XmlElements& self) {
    NewArray<double> result({self.strings.size()});
    for (std::size_t i = 0; i < self.strings.size(); ++i) result.data()[i] = (self.*number)(i);
    return result.release();
  };
}

}  // namespace

void register_xml(nb::module_& m) {
  nb::class_<XmlElements>(m, "XmlElements", "The elements of an XML document, in the order of their start tags.")
      .def("__init__", &parse, nb::arg("content"), "Read UTF-8; ValueError names the byte.")
      .def("string", &string_of, nb::arg("index"), "A name, value or text; UnicodeDecodeError unless it is UTF-8.")
      .def(
          "find", [](const XmlElements& self, std::string_view string) { return self.strings.find(string); }, nb::arg("string"),
          "The index of a string, -1 if it does not occur.")
      .def("number", &XmlElements::number, nb::arg("string"), "The number that a string spells, NaN if none.")
      .def("numbers", per_string(&XmlElements::number), "Per string: the number that it spells, NaN if none.")
      .def("singles", per_string(&XmlElements::single), "The same in single precision, rounded only once.")
      .def("attributes", &attributes_of, nb::arg("element"), "The attributes of an element.")
      .def("attribute", &XmlElements::attribute, nb::arg("element"), nb::arg("key"),
           "The string of an attribute of an element, -1 if it is absent.")
      .def("column", &column, nb::arg("key"), "Per element: the string of an attribute, -1 if it is absent.")
      .def_prop_ro("name", per_element(&XmlElements::name), "Per element: its name, without a prefix.")
      .def_prop_ro("parent", per_element(&XmlElements::parent), "Per element: the element around it, -1 for the root.")
      .def_prop_ro("end", per_element(&XmlElements::end), "Per element: one behind its last descendant.")
      .def_prop_ro("text", per_element(&XmlElements::text), "Per element: the text directly inside, -1 if there is none.");
}

}  // namespace sightline::bindings
