#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string_view>

#include "arrays.hpp"
#include "interruptible.hpp"
#include "register.hpp"
#include "sightline/table/arff.hpp"
#include "sightline/table/delimited.hpp"
#include "sightline/table/missing_words.hpp"

namespace sightline::bindings {
namespace {

// A mark as a character, or NUL if there is none.
char mark(const std::string& text) { return text.empty() ? '\0' : text.front(); }
std::string text_of(char mark) { return mark == '\0' ? std::string() : std::string(1, mark); }

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
  nb::class_<table::StrayCell>(m, "StrayCell", "A cell or line that stands out, and how often it occurs.")
      .def_ro("text", &table::StrayCell::text, "The text.")
      .def_ro("line", &table::StrayCell::line, "Line of the file where it occurs first.")
      .def_ro("count", &table::StrayCell::count, "Number of times that it occurs.");
  nb::class_<table::ParsedColumn>(m, "ParsedColumn", "How a column of a text file was read.")
      .def_ro("name", &table::ParsedColumn::name, "Name of the column.")
      .def_ro("is_named", &table::ParsedColumn::is_named, "Whether the file gives this name.")
      .def_ro("is_nominal", &table::ParsedColumn::is_nominal, "Whether the column holds codes rather than numbers.")
      .def_ro("values", &table::ParsedColumn::values, "Values that the codes of a nominal column stand for.")
      .def_ro("is_doubtful", &table::ParsedColumn::is_doubtful, "Whether another decimal mark is possible.")
      .def_ro("unit", &table::ParsedColumn::unit, "What every number carries, such as % or kg.")
      .def_ro("strays", &table::ParsedColumn::strays, "Some cells that are not numbers in a column of numbers.")
      .def_ro("n_strays", &table::ParsedColumn::n_strays, "Number of cells that are not numbers in a column of numbers.")
      .def_ro("inexact", &table::ParsedColumn::inexact, "Whole numbers that a double cannot hold.")
      .def_ro("other_mark", &table::ParsedColumn::other_mark, "Numbers with the other decimal mark, read by it.")
      .def_ro("undecided", &table::ParsedColumn::undecided, "Numbers that fit both marks of such a column; they are missing.")
      .def_ro("converted", &table::ParsedColumn::converted, "Numbers in another unit, converted.")
      .def_ro("without_currency", &table::ParsedColumn::without_currency, "Numbers without the currency of the others.")
      .def_ro("code", &table::ParsedColumn::code, "Cells with a leading zero, if the others look like numbers.")
      .def_ro("power", &table::ParsedColumn::power, "Cells such as 1E5, which might be codes.")
      .def_ro("magnitude", &table::ParsedColumn::magnitude, "Cells such as 3M, which might be codes.")
      .def_ro("grade", &table::ParsedColumn::grade, "Cells such as 2-, which might be grades.")
      .def_ro("missing_words", &table::ParsedColumn::missing_words, "Cells such as NA and NULL, which are missing values.")
      .def_ro("error", &table::ParsedColumn::error, "Errors of a spreadsheet program, such as #VALUE!, which are missing values.")
      .def_ro("has_quotes", &table::ParsedColumn::has_quotes, "Whether some cells are in quotes, as text is.")
      .def_ro("block", &table::ParsedColumn::block, "Number of empty columns, or runs of them, to the left of it.")
      .def_prop_ro(
          "decimal", [](const table::ParsedColumn& self) { return text_of(self.style.decimal); }, "Decimal mark.")
      .def_prop_ro(
          "thousands", [](const table::ParsedColumn& self) { return text_of(self.style.thousands); },
          "Mark between thousands, '' if there is none.");
  nb::class_<table::ParsedTable>(m, "ParsedTable", "Typed columns of a text file, not yet split into features and target.")
      .def_ro("name", &table::ParsedTable::name, "Name that the file gives itself, or ''.")
      .def("__len__", [](const table::ParsedTable& self) { return self.columns.size(); })
      .def(
          "__getitem__",
          [](const table::ParsedTable& self, std::size_t index) -> const table::ParsedColumn& { return self.columns.at(index); },
          nb::arg("index"), nb::rv_policy::reference_internal, "A column.")
      .def_prop_ro(
          "decimal", [](const table::ParsedTable& self) { return text_of(self.style.decimal); },
          "Decimal mark of all columns, '' if they have none or different ones.")
      .def_prop_ro(
          "thousands", [](const table::ParsedTable& self) { return text_of(self.style.thousands); },
          "Mark between thousands in most columns, '' if there is none.")
      .def_ro("has_row_names", &table::ParsedTable::has_row_names, "Whether the header has no name for the first column.")
      .def_ro("last_note", &table::ParsedTable::last_note, "The last row of two columns, if it may be a note.")
      .def_ro("second_header", &table::ParsedTable::second_header, "Line that may belong to the header above it, or 0.")
      .def_ro("later_header", &table::ParsedTable::later_header, "Line that may be the header instead, or 0.")
      .def_ro("comment_header", &table::ParsedTable::comment_header, "Line of a # header that may be a comment instead, or 0.")
      .def_ro("skipped", &table::ParsedTable::skipped, "Lines that are no part of the table: titles and footers.")
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
      "parse_delimited",
      [](const nb::bytes& text, const std::string& decimal, const std::string& thousands, const std::string& target,
         const std::vector<std::string>& plain_columns, const std::vector<std::string>& numeric_columns) {
        const table::DelimitedOptions options{{mark(decimal), mark(thousands)},
                                              {plain_columns.begin(), plain_columns.end()},
                                              target,
                                              {numeric_columns.begin(), numeric_columns.end()}};
        return parsed(text, [&](std::string_view content, runtime::StopPoll& poll) {
          return table::parse_delimited(content, options, poll);
        });
      },
      nb::arg("text"), nb::arg("decimal") = "", nb::arg("thousands") = "", nb::arg("target") = "",
      nb::arg("plain_columns") = std::vector<std::string>(), nb::arg("numeric_columns") = std::vector<std::string>(),
      "Parse delimited text (UTF-8) with a header. Marks that are '' are found out; thousands 'n' means none.");
  m.def(
      "is_missing_word", [](const std::string& cell) { return table::is_missing_word(cell); }, nb::arg("cell"),
      "Whether people write this for a missing value: unknown, k.A., -, (null) and so on, in any case.");
  m.def(
      "is_missing_marker", [](const std::string& cell) { return table::is_missing_marker(cell); }, nb::arg("cell"),
      "Whether programs write this for a missing value, in this spelling: NA, NULL, (null) and so on, or nothing.");
  m.def(
      "is_spreadsheet_error", [](const std::string& cell) { return table::is_spreadsheet_error(cell); }, nb::arg("cell"),
      "Whether a spreadsheet program shows this instead of a result: #VALUE!, #N/A and so on.");
  m.def(
      "parse_arff", [](const nb::bytes& text) { return parsed(text, table::parse_arff); }, nb::arg("text"),
      "Parse the text (UTF-8) of an ARFF file.");
}

}  // namespace sightline::bindings
