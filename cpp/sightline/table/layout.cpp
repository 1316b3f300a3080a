#include "sightline/table/layout.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <stdexcept>
#include <utility>

#include "sightline/table/missing_words.hpp"
#include "sightline/table/number.hpp"
#include "sightline/table/units.hpp"
#include "sightline/table/written_number.hpp"

namespace sightline::table {
namespace {

// Those of Hive and mainframes count only where no common one does, and blanks where no other does.
constexpr std::string_view kDelimiters = ",;\t|^~\x01\x1f ";
constexpr std::size_t kComma = 0;
constexpr std::size_t kRare = 4;
constexpr std::size_t kBlank = kDelimiters.size() - 1;
constexpr std::size_t kSampled = 25;
constexpr std::size_t kMinBelowUnits = 5;

constexpr std::size_t kNone = kDelimiters.size();

// The index of each character among the delimiters: a table, because every character is looked up.
constexpr auto kCandidate = [] {
  std::array<std::uint8_t, 256> table{};
  table.fill(kNone);
  for (std::size_t i = 0; i < kDelimiters.size(); ++i) table[static_cast<unsigned char>(kDelimiters[i])] = i;
  return table;
}();

using Counts = std::array<std::size_t, kDelimiters.size()>;

struct Sample {
  RecordStart start;
  std::string_view raw;
  Counts counts{};                   // of each delimiter outside quotes; runs of blanks count once
  std::size_t n_joining_commas = 0;  // of them, those before a blank and between digits
};

bool is_line_end(char c) { return c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Whether a comma may be one of `Last, First` or 1,5.
bool is_joining_comma(std::string_view text, std::size_t position) {
  if (text[position] != ',' || position == 0 || position + 1 == text.size()) return false;
  const char next = text[position + 1];
  return next == ' ' || (is_digit(next) && is_digit(text[position - 1]));
}

// Takes the next record that is not a blank line. False at the end of the text.
bool take_sample(std::string_view text, RecordStart& at, Sample& sample) {
  const auto skip_line_end = [&] {
    at.position += text.substr(at.position, 2) == "\r\n" ? 2 : 1;
    ++at.line;
  };
  at.position = skip_blank_line(text, at.position);
  while (at.position < text.size() && is_line_end(text[at.position])) {
    skip_line_end();
    at.position = skip_blank_line(text, at.position);
  }
  if (at.position >= text.size()) return false;
  sample = {at, {}, {}, 0};
  bool inside_quotes = false;
  bool after_blank = true;
  for (; at.position < text.size(); ++at.position) {
    const char c = text[at.position];
    if (c == '"') inside_quotes = !inside_quotes;
    if (inside_quotes && c == '\n') ++at.line;
    if (!inside_quotes && is_line_end(c)) break;
    const std::size_t candidate = inside_quotes ? kNone : kCandidate[static_cast<unsigned char>(c)];
    if (candidate != kNone && !(candidate == kBlank && after_blank)) ++sample.counts[candidate];
    sample.n_joining_commas += !inside_quotes && is_joining_comma(text, at.position) ? 1 : 0;
    after_blank = c == ' ';
  }
  sample.raw = text.substr(sample.start.position, at.position - sample.start.position);
  if (after_blank && sample.counts[kBlank] > 0) --sample.counts[kBlank];
  if (at.position < text.size()) skip_line_end();
  return true;
}

// The texts of the cells; copies, because those of the scanner end with it. A malformed record has none: whoever
// reads the rows reports what is wrong with it.
std::vector<std::string> cells_of(std::string_view raw, char delimiter) {
  std::vector<std::string> texts;
  try {
    RecordScanner scanner(raw, delimiter);
    if (scanner.next()) {
      for (const Cell& cell : scanner.cells()) texts.emplace_back(cell.text);
    }
  } catch (const std::invalid_argument&) {
    texts.clear();
  }
  return texts;
}

bool is_filled(const std::string& text) { return !text.empty(); }

std::size_t n_filled(const std::vector<std::string>& cells) {
  return static_cast<std::size_t>(std::count_if(cells.begin(), cells.end(), is_filled));
}

// How many records contain a delimiter equally often, and how often; at least once.
std::pair<std::size_t, std::size_t> agreement(const std::vector<Sample>& samples, std::size_t candidate) {
  std::pair<std::size_t, std::size_t> best{0, 0};
  for (const Sample& one : samples) {
    const std::size_t count = one.counts[candidate];
    if (count == 0) continue;
    const auto n_equal = static_cast<std::size_t>(
        std::count_if(samples.begin(), samples.end(), [&](const Sample& other) { return other.counts[candidate] == count; }));
    best = std::max(best, {n_equal, count});
  }
  return best;
}

// Whether every row has the same number of blanks, because lines of text have not. R's header has one
// cell less than the rows, which begin with their names.
bool blanks_fit(const std::vector<Sample>& samples, std::size_t n_blanks) {
  const std::size_t n_header = samples.front().counts[kBlank];
  return (n_header == n_blanks || (n_header + 1 == n_blanks && n_header > 0)) &&
         std::all_of(samples.begin() + 1, samples.end(), [&](const Sample& row) { return row.counts[kBlank] == n_blanks; });
}

// Whether a delimiter divides a header into two or more names, none of which ends where a comma is the delimiter.
bool divides(const Sample& header, char delimiter) {
  const std::vector<std::string> names = cells_of(header.raw, delimiter);
  return n_filled(names) > 1 &&
         std::none_of(names.begin(), names.end() - 1, [](const std::string& name) { return name.ends_with(','); });
}

// Whether a delimiter divides the records as evenly as the comma does, and the commas may be those of its cells, as in
// `Last, First;Age` and 1,5;2,5.
bool outranks_comma(const std::vector<Sample>& samples, std::size_t candidate) {
  const auto [n_equal, count] = agreement(samples, candidate);
  if (n_equal < agreement(samples, kComma).first) return false;
  std::vector<Sample> table;
  std::copy_if(samples.begin(), samples.end(), std::back_inserter(table),
               [&, n = count](const Sample& sample) { return sample.counts[candidate] == n; });
  const auto divides_further = [&, n = count](const Sample& sample) {
    return sample.counts[kComma] > n + sample.n_joining_commas;
  };
  return divides(table.front(), kDelimiters[candidate]) && std::none_of(table.begin(), table.end(), divides_further);
}

char common_delimiter(const std::vector<Sample>& samples) {
  std::size_t chosen = 0;
  std::pair<std::size_t, std::size_t> best{0, 0};
  // Blanks separate cells only if nothing else does, so not in `first name,last name`.
  const bool blanks_only = std::all_of(samples.begin(), samples.end(), [](const Sample& sample) {
    return std::all_of(sample.counts.begin(), sample.counts.end() - 1, [](std::size_t count) { return count == 0; });
  });
  for (std::size_t candidate = 0; candidate < kDelimiters.size(); ++candidate) {
    if ((candidate == kBlank && !blanks_only) || (candidate >= kRare && best.first > 0)) continue;
    const auto found = agreement(samples, candidate);
    if (candidate == kBlank && !blanks_fit(samples, found.second)) continue;
    if (found > best) {
      best = found;
      chosen = candidate;
    }
  }
  if (chosen != kComma) return kDelimiters[chosen];
  for (std::size_t candidate = kComma + 1; candidate < kRare; ++candidate) {
    if (outranks_comma(samples, candidate)) return kDelimiters[candidate];
  }
  return ',';
}

std::string first_filled(const std::vector<std::string>& cells) {
  const auto found = std::find_if(cells.begin(), cells.end(), is_filled);
  return found == cells.end() ? std::string() : *found;
}

bool has_number(const std::vector<std::string>& cells) {
  return std::any_of(cells.begin(), cells.end(),
                     [](const std::string& cell) { return read_number(cell).reading == Reading::kNumber; });
}

// How wide the rows of a table are: the most frequent number of cells, and the largest number of filled ones.
struct Width {
  std::size_t n_cells = 0;
  std::size_t n_filled = 0;
};

Width width_of(const std::vector<std::vector<std::string>>& records) {
  Width width;
  std::map<std::size_t, std::size_t> counts;
  for (const std::vector<std::string>& cells : records) {
    width.n_filled = std::max(width.n_filled, n_filled(cells));
    ++counts[cells.size()];
  }
  width.n_cells =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; })->first;
  return width;
}

// What is above the table: the number of records, and the index of one below them that may be the header instead.
struct Heading {
  std::size_t n_titles = 0;
  std::size_t later_header = 0;
};

// The leading records that are text above the header: one cell each, above a header of several, or a
// few cells such as `Date;2024-03-01` above a much wider header. R's header has one cell less than the rows.
Heading find_heading(const std::vector<Sample>& samples, char delimiter) {
  std::vector<std::vector<std::string>> records;
  for (const Sample& sample : samples) records.push_back(cells_of(sample.raw, delimiter));
  const Width width = width_of(records);
  bool is_wide = false;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::size_t filled = n_filled(records[i]);
    const bool is_narrow = 2 * filled < width.n_filled || records[i].size() + 1 < width.n_cells;
    if (filled >= 2 && !is_narrow) {
      // Below titles of several cells, only rows with numbers show that this is the header.
      if (has_number(records[i])) return {};
      const bool is_header = !is_wide || (i + 1 < records.size() && has_number(records[i + 1]));
      return is_header ? Heading{i, 0} : Heading{0, i};
    }
    // In a table of two columns, one of them may have no name.
    if (filled < 2 && records[i].size() == 2) return {};
    is_wide |= filled >= 2;
  }
  return {};
}

// Whether the record below a header may belong to it: it fills columns that have no name, but not the first one.
bool continues_header(const std::vector<std::string>& names, const std::vector<std::string>& row) {
  if (row.empty() || is_filled(row.front())) return false;
  for (std::size_t i = 1; i < std::min(names.size(), row.size()); ++i) {
    if (!is_filled(names[i]) && is_filled(row[i])) return true;
  }
  return false;
}

// The delimiter that Excel's line `sep=;` declares, or NUL. Moves past that line.
char declared_delimiter(std::string_view text, RecordStart& at) {
  const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
  std::string_view line = text.substr(0, end);
  if (line.size() >= 2 && line.front() == '"' && line.back() == '"') line = line.substr(1, line.size() - 2);
  const bool declares = line.size() == 5 && (line[0] == 's' || line[0] == 'S') && (line[1] == 'e' || line[1] == 'E') &&
                        (line[2] == 'p' || line[2] == 'P') && line[3] == '=';
  if (!declares) return '\0';
  at.position = end;
  return line[4];
}

// Whether a comment such as `#gene,chrom` names the columns of rows without numbers. Text such as `# Exported, by whom`
// may have as many commas: it has blanks.
bool names_columns_of_text(std::string_view comment, const std::vector<Sample>& samples, char delimiter) {
  const bool has_numbers = std::any_of(samples.begin(), samples.end(),
                                       [&](const Sample& sample) { return has_number(cells_of(sample.raw, delimiter)); });
  return !has_numbers && !comment.starts_with("# ") && comment.find(std::string{delimiter, ' '}) == std::string_view::npos;
}

// The start of a last # line that names the columns of the rows below it; else that of the first row.
RecordStart commented_header(const std::vector<Sample>& comments, const std::vector<Sample>& samples, char delimiter) {
  const Sample& first = samples.front();
  if (comments.empty()) return first.start;
  const Sample& last = comments.back();
  const std::size_t mark = std::min(last.raw.find_first_not_of("# "), last.raw.size());
  const std::vector<std::string> names = cells_of(last.raw.substr(mark), delimiter);
  const std::vector<std::string> row = cells_of(first.raw, delimiter);
  if (names.size() < 2 || names.size() != row.size() || has_number(names)) return first.start;
  if (!has_number(row) && !names_columns_of_text(last.raw, samples, delimiter)) return first.start;
  return {last.start.position + mark, last.start.line};
}

// Digits with marks and signs only, as numbers and dates have.
bool is_written_in_digits(const std::string& cell) {
  return has_digit(cell) && cell.find_first_not_of("0123456789.,'+-%/: $()") == std::string::npos;
}

// Whether a cell begins with a digit behind signs, bounds and currencies, as <0.1, $5, 9:30 PM and 12 kg do. That is no
// unit, unless it counts in powers of ten: 1000 EUR.
bool begins_with_digit(std::string_view cell) {
  constexpr auto kBefore =
      std::to_array<std::string_view>({"+", "-", "\u2212", "\u2013", "<", ">", "=", "\u2264", "\u2265", "~", "(", "'", " "});
  const auto skip = [&](const auto& words) {
    const auto word = std::find_if(words.begin(), words.end(), [&](std::string_view one) { return cell.starts_with(one); });
    if (word != words.end()) cell.remove_prefix(word->size());
    return word != words.end();
  };
  while (skip(kBefore) || skip(kCurrencies)) {
  }
  const std::size_t n_digits = std::min(cell.find_first_not_of("0123456789"), cell.size());
  const bool is_power = n_digits > 2 && n_digits < cell.size() && cell.substr(0, n_digits).find_last_not_of('0') == 0;
  return n_digits > 0 && !(is_power && cell.front() == '1');
}

// Whether most cells of a column below the first row are written in digits.
bool is_column_of_digits(const std::vector<std::vector<std::string>>& rows, std::size_t column) {
  std::size_t n_cells = 0;
  std::size_t n_digits = 0;
  for (auto row = rows.begin() + 1; row != rows.end(); ++row) {
    if (column >= row->size() || (*row)[column].empty()) continue;
    ++n_cells;
    n_digits += is_written_in_digits((*row)[column]) ? 1 : 0;
  }
  return n_cells >= kMinBelowUnits && 3 * n_digits >= 2 * n_cells;
}

// Whether the first of some rows holds units or types: words in two or more columns of digits that have names, and in at
// least half of them, but no number.
bool holds_units(const std::vector<std::vector<std::string>>& rows, const std::vector<std::string>& names) {
  if (rows.size() <= kMinBelowUnits || has_number(rows.front())) return false;
  std::size_t n_columns = 0;
  std::size_t n_words = 0;
  for (std::size_t i = 0; i < rows.front().size(); ++i) {
    const std::string& cell = rows.front()[i];
    if (!is_column_of_digits(rows, i)) continue;
    // A header of which cells are merged has its names below.
    if (is_written_in_digits(cell) || begins_with_digit(cell) || i >= names.size() || names[i].empty()) return false;
    ++n_columns;
    n_words += !cell.empty() && !is_missing_word(cell) ? 1 : 0;
  }
  return n_words > 1 && 2 * n_words >= n_columns;
}

// Whether all cells of the rows are in quotes, as far as they are sampled. The names above them need none.
bool quotes_all(const std::vector<Sample>& samples, std::size_t header, char delimiter) {
  for (std::size_t i = header + 1; i < samples.size(); ++i) {
    try {
      RecordScanner scanner(samples[i].raw, delimiter);
      scanner.next();
      if (!std::all_of(scanner.cells().begin(), scanner.cells().end(), [](const Cell& cell) { return cell.is_quoted; }))
        return false;
    } catch (const std::invalid_argument&) {
      return false;
    }
  }
  return samples.size() > header + 1;
}

// The line of units below the header, which is one of the samples; 0 if there is none.
std::size_t units_line(const std::vector<Sample>& samples, std::size_t header, char delimiter) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = header + 1; i < samples.size(); ++i) rows.push_back(cells_of(samples[i].raw, delimiter));
  return holds_units(rows, cells_of(samples[header].raw, delimiter)) ? samples[header + 1].start.line : 0;
}

}  // namespace

bool is_ruler(std::string_view raw, char delimiter) {
  if (raw.find("--") == std::string_view::npos && raw.find("==") == std::string_view::npos) return false;
  return std::all_of(raw.begin(), raw.end(), [&](char c) {
    return c == '-' || c == '+' || c == '=' || c == '|' || c == ':' || c == ' ' || c == '\t' || c == delimiter;
  });
}

Layout find_layout(std::string_view text) {
  Layout layout;
  RecordStart at;
  const char declared = declared_delimiter(text, at);
  std::vector<Sample> comments;
  std::vector<Sample> samples;
  for (Sample sample; samples.size() < kSampled && take_sample(text, at, sample);) {
    if (is_ruler(sample.raw, '|')) continue;
    if (sample.raw.front() == '#' && samples.empty()) {
      comments.push_back(sample);
    } else {
      samples.push_back(sample);
    }
  }
  if (samples.empty()) {
    layout.header = {text.size(), at.line};
    return layout;
  }
  layout.delimiter = declared != '\0' ? declared : common_delimiter(samples);
  const auto [n_skipped, later_header] = find_heading(samples, layout.delimiter);
  if (later_header > 0) layout.later_header = samples[later_header].start.line;
  for (std::size_t i = 0; i < n_skipped; ++i) {
    layout.titles.push_back({samples[i].start.line, first_filled(cells_of(samples[i].raw, layout.delimiter))});
  }
  const Sample& header = samples[n_skipped];
  layout.quotes_all = quotes_all(samples, n_skipped, layout.delimiter);
  layout.header = n_skipped > 0 ? header.start : commented_header(comments, samples, layout.delimiter);
  if (layout.header.position != header.start.position) {
    if (!has_number(cells_of(header.raw, layout.delimiter))) layout.comment_header = layout.header.line;
    return layout;
  }
  if (n_skipped + 1 == samples.size()) return layout;
  layout.units_line = units_line(samples, n_skipped, layout.delimiter);
  const Sample& second = samples[n_skipped + 1];
  const bool is_header = continues_header(cells_of(header.raw, layout.delimiter), cells_of(second.raw, layout.delimiter));
  if (is_header && layout.units_line == 0) layout.second_header = second.start.line;
  return layout;
}

}  // namespace sightline::table
