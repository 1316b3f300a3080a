#include "sightline/learn/stumps/split.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sightline/learn/midpoint.hpp"

namespace sightline::learn::stumps {

StumpSplitter::StumpSplitter(const StumpRows& rows, const StumpOptions& options, const std::vector<std::int32_t>& weight)
    : rows_(rows),
      options_(options),
      weight_(weight),
      each_row_once_(std::all_of(weight.begin(), weight.end(), [](std::int32_t w) { return w == 1; })),
      n_classes_(rows.n_classes()),
      xlogx_(std::accumulate(weight.begin(), weight.end(), std::size_t{0})) {}

Parts StumpSplitter::whole() const {
  Parts parts;
  parts.weight.assign(n_classes_, 0);
  for (std::size_t row = 0; row < rows_.n_rows(); ++row) parts.weight[rows_.label()[row]] += weight_[row];
  parts.label = {rows_.majority(parts.weight, -1)};
  parts.n_rows = {static_cast<std::int32_t>(rows_.n_rows())};
  return parts;
}

// Entropy times weight, which a split should minimize.
double StumpSplitter::disorder(const std::int32_t* weight, std::int32_t total) const {
  double result = xlogx_[total];
  for (std::size_t c = 0; c < n_classes_; ++c) result -= xlogx_[weight[c]];
  return result;
}

double StumpSplitter::disorder_without(const std::int32_t* all, std::int32_t total, const std::int32_t* weight,
                                       std::int32_t part_total) const {
  double result = xlogx_[total - part_total];
  for (std::size_t c = 0; c < n_classes_; ++c) result -= xlogx_[all[c] - weight[c]];
  return result;
}

bool StumpSplitter::split(const Parts& parts, const std::vector<std::int32_t>& part_of, std::int32_t feature, Level& level) {
  const StumpColumn& column = rows_[feature];
  level.feature = feature;
  level.split.clear();
  level.below.clear();
  find_known(parts, part_of, column);
  if (column.is_nominal) {
    count_values(parts, part_of, column);
  } else {
    part_and_label_.resize(part_of.size());
    for (std::size_t row = 0; row < part_of.size(); ++row) {
      part_and_label_[row] = static_cast<std::uint32_t>(part_of[row]) << kLabelBits | rows_.label()[row];
    }
    each_row_once_ ? find_cuts<true>(column) : find_cuts<false>(column);
  }
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (!column.is_nominal) {
      add_cut(parts, p, level);
    } else if (options_.binary_nominal) {
      add_one_value(parts, p, column.n_values, level);
    } else {
      add_multiway(parts, p, column.n_values, level);
    }
  }
  return std::any_of(level.split.begin(), level.split.end(),
                     [](const PartSplit& split) { return split.test != model::Test::kLeaf; });
}

void StumpSplitter::find_known(const Parts& parts, const std::vector<std::int32_t>& part_of, const StumpColumn& column) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  known_ = parts.weight;
  scan_.assign(parts.size(), Scan{0, 0, 0, 0, 0, kInfinity, kInfinity, 0, false});
  for (std::size_t p = 0; p < parts.size(); ++p) scan_[p].n_known = parts.n_rows[p];
  if (column.has_missing) {
    for (std::size_t row = 0; row < rows_.n_rows(); ++row) {
      if (column.is_nominal ? column.code[row] >= 0 : !std::isnan(column.number[row])) continue;
      --scan_[part_of[row]].n_known;
      known_[part_of[row] * n_classes_ + rows_.label()[row]] -= weight_[row];
    }
  }
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const auto begin = known_.begin() + static_cast<std::ptrdiff_t>(p * n_classes_);
    scan_[p].known_total = std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(n_classes_), 0);
  }
}

template <bool kOnce>
void StumpSplitter::find_cuts(const StumpColumn& column) {
  left_.assign(known_.size(), 0);
  best_left_.assign(known_.size(), 0);
  for (std::size_t i = 0; i < column.order.size(); ++i) {
    const std::uint32_t row = column.order[i];
    const double value = column.ascending[i];
    const std::uint32_t p = part_and_label_[row] >> kLabelBits;
    const std::uint32_t label = part_and_label_[row] & ((1u << kLabelBits) - 1);
    const std::int32_t weight = kOnce ? 1 : weight_[row];
    Scan& scan = scan_[p];
    // The last value of a part starts at infinity, which nothing exceeds.
    if (value > scan.last_value && scan.n_left >= options_.min_leaf && scan.n_known - scan.n_left >= options_.min_leaf) {
      find_cut(p, scan.last_value, value);
    }
    left_[p * n_classes_ + label] += weight;
    scan.left_total += weight;
    ++scan.n_left;
    scan.last_value = value;
  }
}

// Scores the cut before the current value of a part. Near-ties go to the lower cut.
void StumpSplitter::find_cut(std::size_t part, double below, double above) {
  Scan& scan = scan_[part];
  const std::int32_t* left = left_.data() + part * n_classes_;
  const std::int32_t* known = known_.data() + part * n_classes_;
  const double score = disorder(left, scan.left_total) + disorder_without(known, scan.known_total, left, scan.left_total);
  if (scan.found && !c45::smaller(score, scan.best_score)) return;
  scan.found = true;
  scan.best_score = score;
  scan.threshold = midpoint(below, above);
  scan.best_n_left = scan.n_left;
  std::copy(left, left + n_classes_, best_left_.begin() + static_cast<std::ptrdiff_t>(part * n_classes_));
}

void StumpSplitter::count_values(const Parts& parts, const std::vector<std::int32_t>& part_of, const StumpColumn& column) {
  const std::size_t cells = parts.size() * column.n_values;
  value_weight_.assign(cells * n_classes_, 0);
  value_rows_.assign(cells, 0);
  for (std::size_t row = 0; row < rows_.n_rows(); ++row) {
    if (column.code[row] < 0) continue;
    const std::size_t cell = static_cast<std::size_t>(part_of[row]) * column.n_values + column.code[row];
    ++value_rows_[cell];
    value_weight_[cell * n_classes_ + rows_.label()[row]] += weight_[row];
  }
}

// Adds a part below: the rows whose value leads there, and the rows without a value if it is the branch that takes them.
void StumpSplitter::add_below(const Parts& parts, std::size_t part, const std::int32_t* known, std::int32_t n_rows,
                              bool takes_missing, Level& level) {
  Parts& below = level.below;
  below.n_rows.push_back(n_rows + (takes_missing ? parts.n_rows[part] - scan_[part].n_known : 0));
  const std::size_t begin = below.weight.size();
  for (std::size_t c = 0; c < n_classes_; ++c) {
    const std::size_t at = part * n_classes_ + c;
    below.weight.push_back(known[c] + (takes_missing ? parts.weight[at] - known_[at] : 0));
  }
  below.label.push_back(rows_.majority({below.weight.data() + begin, n_classes_}, parts.label[part]));
}

void StumpSplitter::add_whole(const Parts& parts, std::size_t part, Level& level) {
  PartSplit split;
  split.first_child = static_cast<std::int32_t>(level.below.size());
  // Every value stays below this cut, and missing values stay with them.
  split.threshold = std::numeric_limits<double>::infinity();
  level.split.push_back(split);
  add_below(parts, part, known_.data() + part * n_classes_, scan_[part].n_known, true, level);
  level.below.label.back() = parts.label[part];
}

void StumpSplitter::add_cut(const Parts& parts, std::size_t part, Level& level) {
  const Scan& scan = scan_[part];
  if (!scan.found) return add_whole(parts, part, level);
  const std::int32_t* left = best_left_.data() + part * n_classes_;
  const std::int32_t* known = known_.data() + part * n_classes_;
  const std::int32_t left_total = std::accumulate(left, left + n_classes_, 0);
  rest_.resize(n_classes_);
  for (std::size_t c = 0; c < n_classes_; ++c) rest_[c] = known[c] - left[c];
  PartSplit split;
  split.test = model::Test::kThreshold;
  split.threshold = scan.threshold;
  split.n_branches = 2;
  split.missing_branch = 2 * left_total >= scan.known_total ? 0 : 1;
  split.first_child = static_cast<std::int32_t>(level.below.size());
  level.split.push_back(split);
  add_below(parts, part, left, scan.best_n_left, split.missing_branch == 0, level);
  add_below(parts, part, rest_.data(), scan.n_known - scan.best_n_left, split.missing_branch == 1, level);
}

void StumpSplitter::add_multiway(const Parts& parts, std::size_t part, std::int32_t n_values, Level& level) {
  const std::int32_t* n_rows = value_rows_.data() + part * n_values;
  const std::int32_t* weight = value_weight_.data() + part * n_values * n_classes_;
  if (std::count_if(n_rows, n_rows + n_values, [&](std::int32_t n) { return n >= options_.min_leaf; }) < 2) {
    return add_whole(parts, part, level);
  }
  PartSplit split;
  split.test = model::Test::kMultiway;
  split.n_branches = n_values;
  split.first_child = static_cast<std::int32_t>(level.below.size());
  std::int32_t most = -1;
  for (std::int32_t v = 0; v < n_values; ++v) {
    const std::int32_t total = std::accumulate(weight + v * n_classes_, weight + (v + 1) * n_classes_, 0);
    if (total > most) {
      most = total;
      split.missing_branch = v;
    }
  }
  level.split.push_back(split);
  for (std::int32_t v = 0; v < n_values; ++v) {
    add_below(parts, part, weight + v * n_classes_, n_rows[v], v == split.missing_branch, level);
  }
}

void StumpSplitter::add_one_value(const Parts& parts, std::size_t part, std::int32_t n_values, Level& level) {
  const std::int32_t* known = known_.data() + part * n_classes_;
  const Scan& scan = scan_[part];
  std::int32_t best = -1, best_total = 0;
  double best_score = 0;
  for (std::int32_t v = 0; v < n_values; ++v) {
    const std::int32_t n = value_rows_[part * n_values + v];
    if (n < options_.min_leaf || scan.n_known - n < options_.min_leaf) continue;
    const std::int32_t* weight = value_weight_.data() + (part * n_values + v) * n_classes_;
    const std::int32_t total = std::accumulate(weight, weight + n_classes_, 0);
    const double score = disorder(weight, total) + disorder_without(known, scan.known_total, weight, total);
    if (best >= 0 && !c45::smaller(score, best_score)) continue;
    best = v;
    best_total = total;
    best_score = score;
  }
  if (best < 0) return add_whole(parts, part, level);
  const std::int32_t* weight = value_weight_.data() + (part * n_values + best) * n_classes_;
  rest_.resize(n_classes_);
  for (std::size_t c = 0; c < n_classes_; ++c) rest_[c] = known[c] - weight[c];
  PartSplit split;
  split.test = model::Test::kSubset;
  split.value = best;
  split.n_branches = 2;
  split.missing_branch = 2 * best_total >= scan.known_total ? 0 : 1;
  split.first_child = static_cast<std::int32_t>(level.below.size());
  level.split.push_back(split);
  const std::int32_t n = value_rows_[part * n_values + best];
  add_below(parts, part, weight, n, split.missing_branch == 0, level);
  add_below(parts, part, rest_.data(), scan.n_known - n, split.missing_branch == 1, level);
}

void StumpSplitter::descend(const Level& level, const std::vector<std::int32_t>& part_of,
                            std::vector<std::int32_t>& below) const {
  const StumpColumn& column = rows_[level.feature];
  below.resize(part_of.size());
  if (!column.is_nominal && !column.has_missing) {
    for (std::size_t row = 0; row < part_of.size(); ++row) {
      const PartSplit& split = level.split[part_of[row]];
      below[row] = split.first_child + (column.number[row] > split.threshold);
    }
    return;
  }
  for (std::size_t row = 0; row < part_of.size(); ++row) {
    const PartSplit& split = level.split[part_of[row]];
    const bool is_whole = split.test == model::Test::kLeaf;
    below[row] =
        split.first_child + (is_whole ? 0 : column.branch(row, split.test, split.threshold, split.value, split.missing_branch));
  }
}

}  // namespace sightline::learn::stumps
