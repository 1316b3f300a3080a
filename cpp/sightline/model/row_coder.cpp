#include "sightline/model/row_coder.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace sightline::model {
namespace {

// Ordered as the numbers are. Comparing integers leaves a mask to add with, and no branch.
std::uint64_t order_key(double number) {
  const auto bits = std::bit_cast<std::uint64_t>(number + 0.0);  // -0.0 becomes 0.0: they are equal
  const auto sign = static_cast<std::uint64_t>(static_cast<std::int64_t>(bits) >> 63);
  return bits ^ (sign | std::uint64_t{1} << 63);
}

// How many of the ascending cuts are below each key. The keys halve their ranges together, because one alone would
// wait for each memory access.
void count_below(const std::vector<std::uint64_t>& cuts, const std::uint64_t (&key)[kLanes], std::uint64_t (&count)[kLanes]) {
  const std::uint64_t* cut = cuts.data();
  std::fill(count, count + kLanes, 0);
  std::size_t length = cuts.size();
  while (length > 1) {
    const std::size_t half = length / 2;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      count[lane] += -static_cast<std::uint64_t>(cut[count[lane] + half - 1] < key[lane]) & half;
    }
    length -= half;
  }
  for (std::size_t lane = 0; lane < kLanes; ++lane) count[lane] += cut[count[lane]] < key[lane];
}

std::uint32_t code_of_missing(std::size_t branch) { return branch == 0 ? 0 : RowCoder::kHighest; }

}  // namespace

RowCoder::RowCoder(std::span<const TreePtr> trees, bool any_missing) : any_missing_(any_missing) {
  find_features(trees);
  for (const TreePtr& tree : trees) collect(*tree);
  add_threshold_columns();
  for (const TreePtr& tree : trees) add_set_columns(*tree);
}

void RowCoder::find_features(std::span<const TreePtr> trees) {
  std::vector<bool> is_tested(trees[0]->n_features(), false);
  for (const TreePtr& tree : trees) {
    for (NodeId v = 0; v < static_cast<NodeId>(tree->n_nodes()); ++v) {
      if (!tree->is_leaf(v)) is_tested[tree->feature(v)] = true;
    }
  }
  features_.reserve(std::count(is_tested.begin(), is_tested.end(), true));
  for (std::size_t f = 0; f < is_tested.size(); ++f) {
    if (is_tested[f]) features_.push_back({static_cast<std::int32_t>(f), false, {}, {-1, -1}});
  }
}

std::size_t RowCoder::index_of(std::int32_t feature) const {
  const auto found = std::lower_bound(features_.begin(), features_.end(), feature,
                                      [](const Feature& tested, std::int32_t wanted) { return tested.feature < wanted; });
  return found - features_.begin();
}

void RowCoder::collect(const Tree& tree) {
  for (NodeId v = 0; v < static_cast<NodeId>(tree.n_nodes()); ++v) {
    if (tree.is_leaf(v)) continue;
    Feature& feature = features_[index_of(tree.feature(v))];
    if (any_missing_ && tree.missing_branch(v) < 0) feature.spreads = true;
    if (tree.test(v) != Test::kThreshold) continue;
    feature.cuts.push_back(order_key(tree.threshold(v)));
    feature.first_column[branch_of_missing(tree, v)] = 0;
  }
}

void RowCoder::add_threshold_columns() {
  for (std::size_t at = 0; at < features_.size(); ++at) {
    Feature& feature = features_[at];
    std::vector<std::uint64_t>& cuts = feature.cuts;
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    for (std::size_t branch = 0; branch < 2; ++branch) {
      if (feature.first_column[branch] < 0) continue;
      feature.first_column[branch] = static_cast<std::int64_t>(n_columns());
      for (std::size_t first = 0; first < cuts.size() && n_columns() < kMaxColumns; first += kHighest) {
        columns_.push_back({feature.feature, code_of_missing(branch), at, first, {}});
      }
    }
  }
}

void RowCoder::add_set_columns(const Tree& tree) {
  for (NodeId v = 0; v < static_cast<NodeId>(tree.n_nodes()); ++v) {
    if (tree.test(v) != Test::kSubset || n_columns() == kMaxColumns) continue;
    const auto [known, is_new] = column_of_set_.try_emplace(key_of(tree, v), static_cast<std::uint32_t>(n_columns()));
    if (!is_new) continue;
    const std::int32_t feature = tree.feature(v);
    Column column{feature, code_of_missing(branch_of_missing(tree, v)), 0, 0, {}};
    column.set.resize((tree.arrays().n_values[feature] + 63) / 64);
    for (const std::int32_t value : tree.categories(v)) column.set[value / 64] |= std::uint64_t{1} << (value % 64);
    columns_.push_back(std::move(column));
  }
}

std::size_t RowCoder::branch_of_missing(const Tree& tree, NodeId v) const {
  if (!any_missing_) return 0;
  const auto shares = tree.shares(v);
  return std::max_element(shares.begin(), shares.end()) - shares.begin();
}

RowCoder::SetKey RowCoder::key_of(const Tree& tree, NodeId v) const {
  SetKey key{tree.feature(v), static_cast<std::int32_t>(branch_of_missing(tree, v))};
  const auto categories = tree.categories(v);
  key.insert(key.end(), categories.begin(), categories.end());
  return key;
}

std::optional<RowCoder::CodedTest> RowCoder::coded(const Tree& tree, NodeId v) const {
  if (tree.test(v) == Test::kSubset) {
    const auto known = column_of_set_.find(key_of(tree, v));
    if (known == column_of_set_.end()) return std::nullopt;
    return CodedTest{known->second, 0};
  }
  if (tree.test(v) != Test::kThreshold) return std::nullopt;
  const Feature& feature = features_[index_of(tree.feature(v))];
  const std::vector<std::uint64_t>& cuts = feature.cuts;
  const std::size_t cut = std::lower_bound(cuts.begin(), cuts.end(), order_key(tree.threshold(v))) - cuts.begin();
  const std::size_t column = feature.first_column[branch_of_missing(tree, v)] + cut / kHighest;
  if (column >= kMaxColumns) return std::nullopt;
  return CodedTest{static_cast<std::uint32_t>(column), static_cast<std::uint32_t>(cut % kHighest)};
}

void RowCoder::encode(const table::Columns& rows, std::size_t begin, std::size_t end, CodedRows& coded) const {
  coded.n_rows = end - begin;
  coded.tile_size = n_columns() * kLanes;
  coded.codes.resize((coded.n_rows + kLanes - 1) / kLanes * coded.tile_size);
  for (std::size_t k = 0; k < n_columns(); ++k) {
    const Column& column = columns_[k];
    const auto encode_column = rows[column.feature].is_nominal() ? &RowCoder::encode_set : &RowCoder::encode_numbers;
    (this->*encode_column)(column, rows[column.feature], begin, end, coded.codes.data() + k * kLanes, coded.tile_size);
  }
  find_spread(rows, begin, end, coded.spread);
}

void RowCoder::encode_numbers(const Column& column, const table::Column& values, std::size_t begin, std::size_t end,
                              std::uint32_t* codes, std::size_t tile_size) const {
  for (std::size_t first = begin; first < end; first += kLanes, codes += tile_size) {
    double number[kLanes];
    std::uint64_t key[kLanes], count[kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      number[lane] = values.number(std::min(first + lane, end - 1));
      key[lane] = order_key(number[lane]);
    }
    count_below(features_[column.at].cuts, key, count);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::size_t above_first = count[lane] > column.first_cut ? count[lane] - column.first_cut : 0;
      const auto code = static_cast<std::uint32_t>(std::min<std::size_t>(above_first, kHighest));
      codes[lane] = (std::isnan(number[lane]) ? column.missing_code : code) << 16;
    }
  }
}

void RowCoder::encode_set(const Column& column, const table::Column& values, std::size_t begin, std::size_t end,
                          std::uint32_t* codes, std::size_t tile_size) const {
  for (std::size_t first = begin; first < end; first += kLanes, codes += tile_size) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::size_t row = std::min(first + lane, end - 1);
      std::uint32_t code = column.missing_code;
      if (!values.is_missing(row)) code = !(column.set[values.code(row) / 64] >> (values.code(row) % 64) & 1);
      codes[lane] = code << 16;
    }
  }
}

void RowCoder::find_spread(const table::Columns& rows, std::size_t begin, std::size_t end,
                           std::vector<std::uint32_t>& spread) const {
  spread.clear();
  for (const Feature& feature : features_) {
    if (!feature.spreads) continue;
    const table::Column& column = rows[feature.feature];
    for (std::size_t row = begin; row < end; ++row) {
      if (column.is_missing(row)) spread.push_back(static_cast<std::uint32_t>(row - begin));
    }
  }
  std::sort(spread.begin(), spread.end());
  spread.erase(std::unique(spread.begin(), spread.end()), spread.end());
}

}  // namespace sightline::model
