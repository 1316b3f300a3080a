#include "sightline/table/arff.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <stdexcept>
#include <string>

#include "sightline/table/line_cursor.hpp"
#include "sightline/table/number.hpp"
#include "sightline/table/value_codes.hpp"

namespace sightline::table {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kRowsBetweenPolls = 4096;
// A sparse row of two bytes fills a cell of every attribute: a small file could fill the memory.
constexpr std::size_t kFreeCells = std::size_t{1} << 24;
constexpr std::size_t kCellsPerByte = 64;
constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

struct Attribute {
  ParsedColumn column;
  ValueCodes codes;
  bool is_open = false;           // a string attribute: its values are those that occur
  std::size_t last_row = kNever;  // the last sparse row that named it
};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

std::string some_values(const ValueCodes& codes) {
  constexpr std::size_t kShown = 5;
  const std::vector<std::string> values = codes.values();
  std::string result;
  for (std::size_t i = 0; i < std::min(kShown, values.size()); ++i) result += (i > 0 ? ", " : "") + quoted(values[i]);
  return result + (values.size() > kShown ? ", ..." : "");
}

class ArffParser {
 public:
  ArffParser(std::string_view text, runtime::StopPoll& poll)
      : lines_(text), poll_(poll), max_sparse_cells_(std::max(kFreeCells, kCellsPerByte * text.size())) {}

  ParsedTable parse() {
    read_header();
    read_rows();
    for (Attribute& attribute : attributes_) {
      attribute.column.values = attribute.codes.values();
      table_.columns.push_back(std::move(attribute.column));
    }
    check_distinct_names(table_.columns);
    return std::move(table_);
  }

 private:
  void read_header() {
    while (lines_.next()) {
      LineCursor cursor = lines_.cursor();
      if (cursor.at_end()) continue;
      const std::string keyword = lower(cursor.token("{,").text);
      if (keyword == "@data") {
        if (attributes_.empty()) cursor.fail(" begins the data before any attribute is declared");
        return;
      }
      if (keyword == "@relation") {
        table_.name = cursor.token("").text;
      } else if (keyword == "@attribute") {
        read_attribute(cursor);
      } else {
        cursor.fail(" has " + quoted(keyword) + "; expected @relation, @attribute or @data");
      }
    }
    throw std::invalid_argument("the file ends at " + line_text(lines_.number()) + ", before @data");
  }

  void read_attribute(LineCursor& cursor) {
    Attribute& attribute = attributes_.emplace_back();
    attribute.column.name = cursor.token("{").text;
    const std::string subject = ": attribute " + quoted(attribute.column.name);
    if (cursor.take('{')) {
      attribute.column.is_nominal = true;
      read_declared_values(cursor, attribute, subject);
    } else {
      read_type(cursor, attribute, subject);
    }
  }

  static void read_type(LineCursor& cursor, Attribute& attribute, const std::string& subject) {
    const std::string type = lower(cursor.token("[{").text);
    if (type == "string") {
      attribute.column.is_nominal = true;
      attribute.is_open = true;
    } else if (type == "date") {
      cursor.fail(subject + " is a date; turn it into a number, such as days since a fixed day, or remove it");
    } else if (type.empty()) {
      cursor.fail(subject + " has no type");
    } else if (type != "numeric" && type != "real" && type != "integer") {
      cursor.fail(subject + " has the unknown type " + quoted(type));
    }
  }

  static void read_declared_values(LineCursor& cursor, Attribute& attribute, const std::string& subject) {
    while (!cursor.take('}')) {
      if (cursor.at_end()) cursor.fail(subject + " has a list of values without a closing brace");
      const Token value = cursor.token(",}");
      if (value.text.empty() && !value.is_quoted) cursor.fail(subject + " declares an empty value without quotes");
      if (attribute.codes.find(value.text) != kMissingCode) {
        cursor.fail(subject + " declares the value " + quoted(value.text) + " twice");
      }
      attribute.codes.add(value.text);
      cursor.take(',');
    }
  }

  void read_rows() {
    while (lines_.next()) {
      LineCursor cursor = lines_.cursor();
      if (cursor.at_end()) continue;
      if (cursor.take('{')) {
        sparse_row(cursor);
      } else {
        dense_row(cursor);
      }
      if (++table_.n_rows % kRowsBetweenPolls == 0) poll_();
    }
    if (table_.n_rows == 0) throw std::invalid_argument("the file has no rows after @data");
  }

  void dense_row(LineCursor& cursor) {
    begin_row(false);
    std::size_t n_cells = 0;
    do {
      if (n_cells == attributes_.size() && cursor.take('{')) {
        read_weight(cursor);
        return;
      }
      const Token cell = cursor.token(",");
      if (n_cells < attributes_.size()) store(cursor, attributes_[n_cells], cell);
      ++n_cells;
    } while (cursor.take_separator());
    if (n_cells != attributes_.size()) {
      cursor.fail(" has " + std::to_string(n_cells) + (n_cells == 1 ? " cell, but " : " cells, but ") +
                  std::to_string(attributes_.size()) + " attributes are declared");
    }
  }

  void sparse_row(LineCursor& cursor) {
    if (table_.n_rows >= max_sparse_cells_ / attributes_.size()) {
      cursor.fail(": the sparse rows up to here have more than " + std::to_string(max_sparse_cells_) +
                  " cells, too many for a file of this size");
    }
    begin_row(true);
    while (!cursor.take('}')) {
      if (cursor.at_end()) cursor.fail(" has a sparse row without a closing brace");
      Attribute& attribute = attributes_[sparse_index(cursor)];
      if (attribute.last_row == table_.n_rows) cursor.fail(" gives attribute " + quoted(attribute.column.name) + " twice");
      attribute.last_row = table_.n_rows;
      store(cursor, attribute, cursor.token(",}"));
      cursor.take(',');
    }
    cursor.take(',');
    if (cursor.take('{')) {
      read_weight(cursor);
    } else if (!cursor.at_end()) {
      cursor.fail(" has text after the closing brace");
    }
  }

  std::size_t sparse_index(LineCursor& cursor) const {
    const std::string_view text = cursor.token(",}").text;
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (error != std::errc() || end != text.data() + text.size() || index >= attributes_.size()) {
      cursor.fail(" has " + quoted(text) + " as the index of a sparse cell, which must be a whole number below " +
                  std::to_string(attributes_.size()));
    }
    return index;
  }

  // Appends a row with the values of absent cells: in a sparse row zero or the first declared value;
  // in a dense row missing, to be overwritten.
  void begin_row(bool is_sparse) {
    for (Attribute& attribute : attributes_) {
      if (attribute.column.is_nominal) {
        const bool has_first = is_sparse && !attribute.is_open && attribute.codes.size() > 0;
        attribute.column.codes.push_back(has_first ? 0 : kMissingCode);
      } else {
        attribute.column.numbers.push_back(is_sparse ? 0.0 : kNaN);
      }
    }
    if (!table_.weights.empty()) table_.weights.push_back(1.0);
  }

  void store(LineCursor& cursor, Attribute& attribute, const Token& cell) {
    const bool is_missing = cell.text == "?" && !cell.is_quoted;
    if (cell.text.empty() && !cell.is_quoted) {
      cursor.fail(": the cell of attribute " + quoted(attribute.column.name) + " is empty; write ? for a missing value");
    }
    if (attribute.column.is_nominal) {
      attribute.column.codes.back() = is_missing ? kMissingCode : code_of(cursor, attribute, cell.text);
    } else {
      attribute.column.numbers.back() = is_missing ? kNaN : number_of(cursor, attribute, cell.text);
    }
  }

  static std::int32_t code_of(const LineCursor& cursor, Attribute& attribute, std::string_view value) {
    if (attribute.is_open) return attribute.codes.add(value);
    const std::int32_t code = attribute.codes.find(value);
    if (code == kMissingCode) {
      cursor.fail(": attribute " + quoted(attribute.column.name) + " does not declare the value " + quoted(value) + ", only " +
                  some_values(attribute.codes));
    }
    return code;
  }

  static double number_of(const LineCursor& cursor, const Attribute& attribute, std::string_view text) {
    const NumberReading number = read_number(text);
    if (number.reading == Reading::kNumber) return number.value;
    if (text == "NaN" || text == "nan") return kNaN;
    const std::string subject = ": attribute " + quoted(attribute.column.name);
    if (number.reading == Reading::kInfinite) cursor.fail(subject + " contains infinity or a number too large for a double");
    cursor.fail(subject + " is numeric, but the cell is " + quoted(text));
  }

  void read_weight(LineCursor& cursor) {
    const std::string text(cursor.token("}").text);
    const NumberReading weight = read_number(text);
    if (weight.reading != Reading::kNumber || weight.value < 0.0 || !cursor.take('}')) {
      cursor.fail(" has the instance weight " + quoted(text) + ", which must be a number of at least 0 in braces");
    }
    if (!cursor.at_end()) cursor.fail(" has text after the instance weight");
    if (table_.weights.empty()) table_.weights.assign(table_.n_rows + 1, 1.0);
    table_.weights.back() = weight.value;
  }

  Lines lines_;
  runtime::StopPoll& poll_;
  std::size_t max_sparse_cells_;
  std::vector<Attribute> attributes_;
  ParsedTable table_;
};

}  // namespace

ParsedTable parse_arff(std::string_view text, runtime::StopPoll& poll) { return ArffParser(text, poll).parse(); }

}  // namespace sightline::table
