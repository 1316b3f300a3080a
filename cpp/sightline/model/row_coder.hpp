// Rows as small integers, in which every test of some trees is one comparison.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "sightline/model/tree.hpp"
#include "sightline/table/columns.hpp"

namespace sightline::model {

// Rows that are encoded and walk through a tree side by side: enough for their memory accesses to
// overlap, few enough for the registers.
inline constexpr std::size_t kLanes = 16;

// Some rows of a table. Codes are in the upper half of their integer; see `FlatTree`.
struct CodedRows {
  std::size_t n_rows = 0;
  std::size_t tile_size = 0;         // codes of kLanes rows
  std::vector<std::uint32_t> codes;  // (tile, column, lane): what one step reads of a tile is one cache line
  // Rows that some test may spread over several branches, for want of a value.
  std::vector<std::uint32_t> spread;

  const std::uint32_t* tile(std::size_t row) const { return codes.data() + row / kLanes * tile_size; }
};

// The code of a number is how many thresholds of the trees lie below it. A category is coded once per
// tested set of categories: 0 if it is in the set, else 1. A missing value is coded 0 or
// kHighest: it takes branch 0 or branch 1 of every test, so a feature of which some tests send it one way
// and some the other has a column of codes for either, unless no value is missing.
class RowCoder {
 public:
  static constexpr std::uint32_t kHighest = 0xffff;
  static constexpr std::size_t kMaxColumns = 8192;

  RowCoder(std::span<const TreePtr> trees, bool any_missing);

  std::size_t n_columns() const { return columns_.size(); }

  // Branch 1 is for the codes of the column above the cut; cuts are below kHighest.
  struct CodedTest {
    std::uint32_t column;
    std::uint32_t cut;
  };
  // Nothing for a test with more than two branches, or if the columns were used up.
  std::optional<CodedTest> coded(const Tree& tree, NodeId v) const;

  // The last tile is filled up with repetitions of the last row.
  void encode(const table::Columns& rows, std::size_t begin, std::size_t end, CodedRows& coded) const;

 private:
  struct Feature {
    std::int32_t feature;
    bool spreads;                              // whether some test spreads missing values
    std::vector<std::uint64_t> cuts;           // its thresholds as ordered integers, ascending
    std::array<std::int64_t, 2> first_column;  // per branch of missing values; -1: none
  };
  // One column of codes. Of more than kHighest thresholds each column has a part.
  struct Column {
    std::int32_t feature;
    std::uint32_t missing_code;
    std::size_t at = 0;  // its index in features_, for thresholds
    std::size_t first_cut = 0;
    std::vector<std::uint64_t> set;  // one bit per category
  };
  // What tests of a set have in common: feature, branch of missing values, categories.
  using SetKey = std::vector<std::int32_t>;
  SetKey key_of(const Tree& tree, NodeId v) const;
  // The branch of a test that receives most of the rows with a missing value, the first on ties.
  std::size_t branch_of_missing(const Tree& tree, NodeId v) const;

  void find_features(std::span<const TreePtr> trees);
  std::size_t index_of(std::int32_t feature) const;
  void collect(const Tree& tree);
  void add_threshold_columns();
  void add_set_columns(const Tree& tree);
  void encode_numbers(const Column& column, const table::Column& values, std::size_t begin, std::size_t end, std::uint32_t* codes,
                      std::size_t tile_size) const;
  void encode_set(const Column& column, const table::Column& values, std::size_t begin, std::size_t end, std::uint32_t* codes,
                  std::size_t tile_size) const;
  void find_spread(const table::Columns& rows, std::size_t begin, std::size_t end, std::vector<std::uint32_t>& spread) const;

  bool any_missing_;
  std::vector<Column> columns_;
  std::vector<Feature> features_;  // those that are tested, ascending: of thousands of columns, a tree tests a few
  std::map<SetKey, std::uint32_t> column_of_set_;
};

}  // namespace sightline::model
