#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string_view>

#include "arrays.hpp"
#include "interruptible.hpp"
#include "register.hpp"
#include "sightline/table/arff.hpp"
#include "sightline/table/delimited.hpp"

namespace sightline::bindings {
namespace {

template <class Parse>
table::ParsedTable parsed(const nb::bytes& text, Parse parse) {
  const std::string_view content(text.c_str(), text.size());
  return interruptible(nullptr, [&](runtime::StopPoll& poll) { return parse(content, poll); });
}

// The cells of a column, borrowed from the table they were parsed into.
nb::object cells(nb::handle table, std::size_t index) {
  const table::ParsedColumn& column = nb::cast<const table::ParsedTable&>(table).columns.at(index);
  if (column.is_nominal) return nb::cast(view<std::int32_t>(column.codes.data(), {column.codes.size()}, table));
  return nb::cast(view<double>(column.numbers.data(), {column.numbers.size()}, table));
}

}  // namespace

void register_parsed_table(nb::module_& m) {
  nb::class_<table::ParsedTable>(m, "ParsedTable", "Typed columns of a text file, not yet told apart into features and target.")
      .def_ro("name", &table::ParsedTable::name, "Name that the file gives itself, or ''.")
      .def("__len__", [](const table::ParsedTable& self) { return self.columns.size(); })
      .def(
          "column_name", [](const table::ParsedTable& self, std::size_t index) { return self.columns.at(index).name; },
          nb::arg("index"), "Name of a column.")
      .def(
          "is_nominal", [](const table::ParsedTable& self, std::size_t index) { return self.columns.at(index).is_nominal; },
          nb::arg("index"), "Whether a column holds codes rather than numbers.")
      .def(
          "values", [](const table::ParsedTable& self, std::size_t index) { return self.columns.at(index).values; },
          nb::arg("index"), "Values that the codes of a nominal column stand for.")
      .def("cells", &cells, nb::arg("index"), nb::sig("def cells(self, index: int) -> numpy.typing.NDArray"),
           "Numbers (NaN is missing) or codes (-1 is missing) of a column.")
      .def_prop_ro(
          "weights",
          [](nb::handle self) {
            const auto& weights = nb::cast<const table::ParsedTable&>(self).weights;
            return view<double>(weights.data(), {weights.size()}, self);
          },
          "Weights of the rows; empty where the file gives none.");
  m.def(
      "parse_delimited", [](const nb::bytes& text) { return parsed(text, table::parse_delimited); }, nb::arg("text"),
      "Parse comma-separated text (UTF-8) with a header.");
  m.def(
      "parse_arff", [](const nb::bytes& text) { return parsed(text, table::parse_arff); }, nb::arg("text"),
      "Parse the text (UTF-8) of an ARFF file.");
}

}  // namespace sightline::bindings
