#include "sightline/table/delimited.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "sightline/table/column_evidence.hpp"
#include "sightline/table/layout.hpp"
#include "sightline/table/missing_words.hpp"
#include "sightline/table/record_scanner.hpp"
#include "sightline/table/table_rows.hpp"
#include "sightline/table/value_codes.hpp"

namespace sightline::table {
namespace {

constexpr std::size_t kMinDistinct = 20;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// An empty cell is missing also in quotes: programs that quote all text write it so.
bool is_missing(const Cell& cell) {
  return cell.text.empty() || (!cell.is_quoted && is_missing_marker(cell.text)) || is_spreadsheet_error(cell.text);
}

// Removes what some programs put around every text: 'single quotes', or Excel's ="formula" that keeps text as it is.
void unwrap(std::vector<std::string>& texts) {
  for (const std::string_view before : {"'", "=\""}) {
    const auto is_wrapped = [&](const std::string& text) {
      return text.size() > before.size() && text.starts_with(before) && text.back() == before.back();
    };
    if (texts.empty() || !std::all_of(texts.begin(), texts.end(), is_wrapped)) continue;
    for (std::string& text : texts) text = text.substr(before.size(), text.size() - before.size() - 1);
    return;
  }
}

std::vector<ParsedColumn> columns_of(const std::vector<Cell>& header, bool has_row_names) {
  std::vector<ParsedColumn> columns(has_row_names ? 1 : 0);
  std::vector<std::string> given;
  for (const Cell& cell : header) given.emplace_back(cell.text);
  unwrap(given);
  for (const std::string& name : given) columns.emplace_back().name = name;
  const std::unordered_set<std::string_view> names(given.begin(), given.end());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    columns[i].is_named = !columns[i].name.empty();
    if (columns[i].is_named) continue;
    std::string name(1, 'x');  // gcc 12 warns about "x" + std::to_string(i)
    name += std::to_string(i);
    while (names.contains(name)) name += '_';
    columns[i].name = std::move(name);
  }
  return columns;
}

// Whether commas between single quotes were taken for delimiters, as in 'x, y'.
bool divides_single_quotes(const std::vector<Cell>& cells) {
  return std::count_if(cells.begin(), cells.end(), [](const Cell& cell) {
           return !cell.is_quoted && cell.text.starts_with('\'') != cell.text.ends_with('\'');
         }) > 1;
}

// Counts a cell that is missing, unless it is empty.
void count_missing(ParsedColumn& column, std::string_view word, std::size_t line) {
  if (word.empty()) return;
  if (is_spreadsheet_error(word)) {
    if (column.error.count++ == 0) column.error = {std::string(word), line, 1};
    return;
  }
  const auto found = std::find_if(column.missing_words.begin(), column.missing_words.end(),
                                  [&](const StrayCell& one) { return one.text == word; });
  if (found == column.missing_words.end()) {
    column.missing_words.push_back({std::string(word), line, 1});
  } else {
    ++found->count;
  }
}

// First pass: evidence on how numbers are written. Columns of plain numbers are read.
std::size_t collect_evidence(TableRows rows, ParsedTable& table, std::vector<ColumnEvidence>& evidence, runtime::StopPoll& poll) {
  const std::size_t n_rows = rows.read(poll, table.skipped, [&](std::size_t feature, const Cell& cell, std::size_t line) {
    ParsedColumn& column = table.columns[feature];
    ColumnEvidence& found = evidence[feature];
    double value = kNaN;
    const bool is_known = !is_missing(cell);
    column.n_known += is_known ? 1 : 0;
    column.has_quotes |= cell.is_quoted;
    if (!is_known) count_missing(column, cell.text, line);
    if (is_known && !found.add(cell, line, value)) std::vector<double>().swap(column.numbers);
    if (found.has_plain_cells_only()) column.numbers.push_back(value);
  });
  table.last_note = rows.last_note();
  return n_rows;
}

// How many columns speak for the decimal point, and for the decimal comma.
struct DecimalVotes {
  std::array<std::size_t, 2> proved{};
  std::array<std::size_t, 2> weak{};  // proved by what may be a list, or for a comma between cells by thousands only
  std::array<std::size_t, 2> likely{};

  // Whether one mark is proved and not the other, so that no column is left open.
  bool are_settled() const { return (proved[0] > 0) != (proved[1] > 0); }
};

DecimalVotes decimal_votes(const std::vector<ColumnEvidence>& evidence, char delimiter) {
  DecimalVotes votes;
  for (const ColumnEvidence& column : evidence) {
    if (const char mark = column.proved_decimal(); mark != '\0') {
      const CellTally& tally = column.tally(mark);
      const bool is_weak = tally.may_hold_lists() || (mark == delimiter && !tally.has_fraction());
      ++(is_weak ? votes.weak : votes.proved)[mark == ','];
    }
    if (column.is_doubtful()) ++votes.likely[column.likely_decimal() == ','];
  }
  return votes;
}

// The decimal mark of the file: what most columns prove, else what is likely. Where commas separate the cells,
// a decimal comma must be proved.
char decimal_of(const DecimalVotes& votes, char delimiter) {
  const auto& [proved, weak, likely] = votes;
  if (proved[0] != proved[1]) return proved[0] > proved[1] ? '.' : ',';
  if (delimiter == ',' || proved[0] > 0) return '.';
  if (weak[0] != weak[1]) return weak[0] > weak[1] ? '.' : ',';
  return likely[1] > likely[0] ? ',' : '.';
}

// Whether a reader could take a doubtful column otherwise, if nothing in the file decides. A point in every number of a
// file with commas between cells is a decimal point, unless other columns have points between thousands.
bool is_left_open(const ColumnEvidence& column, const DecimalVotes& votes, char delimiter) {
  return column.is_doubtful() && (delimiter != ',' || column.likely_decimal() != '.' || votes.weak[1] > 0);
}

void check_finite(const ParsedColumn& column, const ColumnEvidence& evidence) {
  if (column.is_nominal || evidence.infinity_line() == 0) return;
  throw std::invalid_argument(line_text(evidence.infinity_line()) + ": column " + quoted(column.name) +
                              " contains infinity or a number too large for a double");
}

// The decimal mark of a column: what it proves, what the caller says, what most cells have, or what the file has.
char column_decimal(const ColumnEvidence& found, char decimal, bool is_given) {
  if (const char proved = found.proved_decimal(); proved != '\0') return proved;
  const char usual = is_given ? '\0' : found.usual_decimal();
  return usual == '\0' ? decimal : usual;
}

// Decides how each column is read: plain numbers (done), numbers with marks and units, or values.
void decide(ParsedTable& table, const std::vector<ColumnEvidence>& evidence, const DelimitedOptions& options, char delimiter) {
  const DecimalVotes votes = decimal_votes(evidence, delimiter);
  const bool is_given = options.style.decimal != '\0';
  table.style.decimal = is_given ? options.style.decimal : decimal_of(votes, delimiter);
  std::array<bool, 2> has_marks{};  // whether numbers have a decimal point, and a decimal comma
  for (std::size_t feature = 0; feature < table.columns.size(); ++feature) {
    ParsedColumn& column = table.columns[feature];
    const ColumnEvidence& found = evidence[feature];
    column.style.decimal = column_decimal(found, table.style.decimal, is_given);
    const CellTally& tally = found.tally(column.style.decimal);
    const bool is_forced = options.numeric_columns.contains(column.name);
    const bool is_plain = options.plain_columns.contains(column.name);
    const bool is_target = column.name == options.target;
    const bool holds_numbers = is_target && tally.is_plain() ? !found.has_codes() && found.inexact().count == 0
                               : is_target                   ? !found.has_codes() && tally.holds_quantities()
                               : is_forced                   ? tally.may_hold_numbers()
                                                             : !found.has_codes() && !found.has_keys() && tally.holds_numbers();
    // Categories that are numbers stay numbers for now, but not rounded: two of them could become one.
    const bool holds_whole_values = found.has_plain_cells_only() && found.inexact().count == 0;
    column.is_nominal = column.n_known > 0 && !(is_plain ? holds_whole_values : holds_numbers);
    // Beside a few different numbers in a target, words are classes.
    const bool holds_slips = tally.holds_mostly_numbers() && !found.has_codes() && (!is_target || tally.has_many_values());
    if (!is_plain && (!column.is_nominal || holds_slips)) {
      column.strays = tally.strays();
      column.n_strays = tally.n_strays();
      column.unit = tally.n_colons() > 0 ? ":" : std::string(tally.unit());
      column.other_mark = tally.other_mark();
      column.converted = tally.converted();
      column.without_currency = tally.without_currency();
      // A target keeps its classes even if they are all different.
      column.is_quantity =
          !(is_target && column.is_nominal) && (!column.unit.empty() || tally.has_fraction() || tally.thousands() != '\0');
    }
    if (column.is_nominal && !is_plain && !is_target && found.has_codes() && tally.n_cells() >= kMinDistinct &&
        tally.holds_mostly_numbers() && (found.has_uneven_codes() || tally.has_fraction())) {
      column.code = found.code();
    }
    if (!column.is_nominal || (found.has_keys() && !is_plain && !is_target)) column.inexact = found.inexact();
    if (!column.is_nominal) {
      column.power = found.power();
      column.magnitude = found.magnitude();
      column.grade = found.grade();
      column.style.thousands = tally.thousands();
      has_marks[column.style.decimal == ','] |= tally.has_fraction() || tally.thousands() != '\0';
      column.is_doubtful = !is_plain && !is_given && !votes.are_settled() && is_left_open(found, votes, delimiter);
      if (tally.thousands() != '\0' && column.style.decimal == table.style.decimal) table.style.thousands = tally.thousands();
    }
    // Read again: values, or numbers that from_chars does not read or reads with the other mark.
    const bool is_read =
        !column.is_nominal && found.has_plain_cells_only() && (is_plain || column.style.decimal == '.' || !found.has_points());
    if (!is_read) std::vector<double>().swap(column.numbers);
    check_finite(column, found);
  }
  table.style.decimal = has_marks[0] == has_marks[1] ? '\0' : has_marks[0] ? '.' : ',';
}

// Renumbers codes from order of appearance to byte order of the values. For UTF-8, that is the order
// of the characters.
void sort_values(ParsedColumn& column, const ValueCodes& codes) {
  std::vector<std::string> values = codes.values();
  unwrap(values);
  std::vector<std::int32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return values[a] < values[b]; });
  std::vector<std::int32_t> rank(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    rank[order[i]] = static_cast<std::int32_t>(i);
    column.values.push_back(values[order[i]]);
  }
  for (std::int32_t& code : column.codes) {
    if (code != kMissingCode) code = rank[code];
  }
}

// The number in a cell, NaN if it has none. A cell that only the other decimal mark makes a number is read with
// it. If the column is divided between both, a cell that fits both is undecided.
double number_in(const Cell& cell, std::size_t line, const CellTally& tally, char thousands, ParsedColumn& column) {
  const char decimal = cell.is_number ? '.' : column.style.decimal;
  const WrittenNumber number = read_cell(cell.text, decimal, cell.is_number ? 'n' : thousands);
  if (number.is_number && (cell.is_number || !tally.is_divided())) return tally.value_of(number).value_or(kNaN);
  const WrittenNumber other = read_cell(cell.text, decimal == '.' ? ',' : '.', thousands);
  if (number.is_number && other.is_number && number.value != other.value) {
    if (column.undecided.count++ == 0) column.undecided = {std::string(cell.text), line, 1};
    return kNaN;
  }
  return tally.value_of(number.is_number ? number : other).value_or(kNaN);
}

// Second pass, over the same cells: the columns that are marked in `is_open`.
void read_columns(TableRows rows, ParsedTable& table, const std::vector<bool>& is_open,
                  const std::vector<ColumnEvidence>& evidence, char thousands, runtime::StopPoll& poll) {
  if (std::find(is_open.begin(), is_open.end(), true) == is_open.end()) return;
  std::vector<ValueCodes> codes(table.columns.size());
  std::vector<StrayCell> skipped;
  rows.read(poll, skipped, [&](std::size_t feature, const Cell& cell, std::size_t line) {
    if (!is_open[feature]) return;
    ParsedColumn& column = table.columns[feature];
    if (column.is_nominal) {
      column.codes.push_back(is_missing(cell) ? kMissingCode : codes[feature].add(cell.text));
      return;
    }
    const CellTally& tally = evidence[feature].tally(column.style.decimal);
    column.numbers.push_back(is_missing(cell) ? kNaN : number_in(cell, line, tally, thousands, column));
  });
  for (std::size_t feature = 0; feature < table.columns.size(); ++feature) {
    if (is_open[feature] && table.columns[feature].is_nominal) sort_values(table.columns[feature], codes[feature]);
  }
}

std::vector<bool> unread_columns(const ParsedTable& table) {
  std::vector<bool> is_open;
  for (const ParsedColumn& column : table.columns) is_open.push_back(column.is_nominal || column.numbers.empty());
  return is_open;
}

// Columns of mostly numbers whose values are all different are of no use as categories. They become
// numeric, with the other cells missing.
std::vector<bool> reopen_distinct_columns(ParsedTable& table) {
  std::vector<bool> is_open;
  for (ParsedColumn& column : table.columns) {
    const bool is_distinct = column.is_nominal && column.is_quantity && column.n_strays > 0 &&
                             column.values.size() == column.n_known && column.n_known > kMinDistinct;
    is_open.push_back(is_distinct);
    if (!is_distinct) continue;
    column.is_nominal = false;
    column.values.clear();
    std::vector<std::int32_t>().swap(column.codes);
  }
  return is_open;
}

// R's names of rows are all different, and none is empty. Else the rows have one cell too many.
void check_row_names(const ParsedTable& table) {
  const ParsedColumn& names = table.columns.front();
  const std::size_t n_different =
      names.is_nominal ? names.values.size() : std::unordered_set<double>(names.numbers.begin(), names.numbers.end()).size();
  if (names.n_known == table.n_rows && n_different == table.n_rows) return;
  throw std::invalid_argument("the rows have " + std::to_string(table.columns.size()) + " cells, but the header has " +
                              std::to_string(table.columns.size() - 1) + ". Put cells that contain the delimiter in quotes");
}

// Removes columns without a name or a cell. Those between others divide the columns into blocks.
void remove_gaps(std::vector<ParsedColumn>& columns) {
  const auto is_gap = [](const ParsedColumn& column) { return !column.is_named && column.n_known == 0; };
  std::size_t block = 0;
  for (std::size_t i = 1; i < columns.size(); ++i) {
    if (is_gap(columns[i - 1]) && !is_gap(columns[i])) ++block;
    columns[i].block = block;
  }
  std::erase_if(columns, is_gap);
}

}  // namespace

ParsedTable parse_delimited(std::string_view text, const DelimitedOptions& options, runtime::StopPoll& poll) {
  const Layout layout = find_layout(text);
  RecordScanner scanner(text, layout.delimiter, layout.header, !layout.quotes_all);
  if (!scanner.next()) throw std::invalid_argument("the file is empty");
  const std::vector<Cell> header = scanner.cells();
  ParsedTable table;
  RecordScanner ahead = scanner;
  // R leaves out the name of the column that holds the names of the rows.
  table.has_row_names = ahead.next() && ahead.cells().size() == header.size() + 1 && !is_empty(ahead.cells().back()) &&
                        !divides_single_quotes(ahead.cells());
  table.columns = columns_of(header, table.has_row_names);
  check_distinct_names(table.columns);
  for (const SkippedLine& title : layout.titles) table.skipped.push_back({title.text, title.line, 1});
  table.second_header = layout.second_header;
  table.later_header = layout.later_header;
  table.comment_header = layout.comment_header;
  std::vector<ColumnEvidence> evidence(table.columns.size(), ColumnEvidence(options.style.thousands));
  const TableRows rows(scanner, layout.delimiter, table.columns.size(), layout.units_line);
  table.n_rows = collect_evidence(rows, table, evidence, poll);
  if (table.n_rows == 0) throw std::invalid_argument("the file has a header but no rows");
  decide(table, evidence, options, layout.delimiter);
  read_columns(rows, table, unread_columns(table), evidence, options.style.thousands, poll);
  read_columns(rows, table, reopen_distinct_columns(table), evidence, options.style.thousands, poll);
  if (table.has_row_names) check_row_names(table);
  remove_gaps(table.columns);
  if (table.columns.empty()) throw std::invalid_argument("the file has no named column and no cells");
  return table;
}

}  // namespace sightline::table
