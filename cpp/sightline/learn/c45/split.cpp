#include "sightline/learn/c45/split.hpp"

#include <algorithm>
#include <numeric>

namespace sightline::learn::c45 {
namespace {

// Numbers that differ by less count as equal.
constexpr double kSameValue = 1e-5;

// Turns weight times entropy reduction into gain per unit of the node's full weight, including rows with a missing
// value. A gain below the tolerance is exactly 0.
double gain_of(double reduction, double known, double node_weight) {
  const double scaled = reduction * known / node_weight;
  return equal(scaled, 0) ? 0 : scaled / known;
}

}  // namespace

double SplitFinder::xlogx_of(double value, bool is_whole) const {
  return is_whole ? xlogx_[static_cast<std::size_t>(value)] : xlogx(value);
}

double SplitFinder::sum_xlogx_of(std::span<const double> values, bool are_whole) const {
  double sum = 0;
  for (const double value : values) sum += xlogx_of(value, are_whole);
  return sum;
}

// Counts "missing" as one more outcome of the test.
double SplitFinder::ratio_of(double gain, double sum_branch_xlogx, double known, double node_weight, bool are_whole) const {
  const double split_info = xlogx_of(node_weight, are_whole) - sum_branch_xlogx - xlogx_of(node_weight - known, are_whole);
  return equal(split_info, 0) ? 0 : gain / (split_info / node_weight);
}

double sum_xlogx(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += xlogx(value);
  return sum;
}

void NodeCounts::set(std::span<const double> counts) {
  per_class.assign(counts.begin(), counts.end());
  weight = std::accumulate(counts.begin(), counts.end(), 0.0);
  sum_xlogx = c45::sum_xlogx(per_class);
}

bool pure_or_small(std::span<const double> counts, double weight, double min_leaf) {
  return smaller(weight, 2 * min_leaf) || equal(weight, *std::max_element(counts.begin(), counts.end()));
}

SplitFinder::SplitFinder(const GrowOptions& options, std::int32_t n_classes, std::span<const std::int32_t> label,
                         std::span<const double> row_weight, std::span<const double> root_weight)
    : options_(options),
      n_classes_(n_classes),
      label_(label),
      row_weight_(row_weight),
      root_weight_(root_weight),
      xlogx_(label.size()),
      known_(n_classes),
      left_n_(n_classes),
      right_n_(n_classes),
      left_w_(n_classes),
      right_w_(n_classes),
      is_stale_(n_classes),
      stale_(n_classes) {}

// Both sides of a cut must hold this many rows of different values; weights are at most 1. The possible cuts of any subset
// of the rows lie between those of all rows.
bool SplitFinder::is_spent(const SortedRows& sorted) const {
  if (!root_weight_.empty()) return false;
  const double least = std::max(1.0, std::ceil(options_.min_leaf - kTolerance));
  if (static_cast<double>(sorted.row.size()) < 2 * least) return true;
  const auto n = static_cast<std::size_t>(least);
  return !(sorted.value[n - 1] + kSameValue < sorted.value[sorted.value.size() - n]);
}

void SplitFinder::count_known(const SortedRows& sorted, bool unit_weights) {
  std::fill(known_.begin(), known_.end(), 0.0);
  for (const std::uint32_t row : sorted.row) known_[label_[row]] += unit_weights ? 1.0 : row_weight_[row];
  known_counts_.set(known_);
}

// Scans the cuts in ascending order. `measure` moves rows to the left side; at a cut it returns the weights of both sides
// and the entropy reduction times weight.
template <class Measure>
void SplitFinder::scan(const SortedRows& sorted, double known, double min_split, Measure&& measure, Candidate& best,
                       std::size_t& n_cuts) {
  double best_reduction = 0;
  // J48's tolerance for comparing gains, in units of reductions.
  const double tolerance = kTolerance * measure.node_weight;
  const std::size_t n = sorted.row.size();
  double left = 0;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    left = measure.move(sorted.row[i]);
    if (!(sorted.value[i] + kSameValue < sorted.value[i + 1])) continue;
    if (!at_least(left, min_split)) continue;
    if (!at_least(known - left, min_split)) break;
    ++n_cuts;
    const double reduction = measure.reduction();
    if (reduction - best_reduction > tolerance) {
      best_reduction = reduction;
      best.cut = i + 1;
    }
  }
  best.gain = best.cut > 0 ? gain_of(best_reduction, known, measure.node_weight) : 0;
}

namespace {

// Updates the sums of xlogx on both sides row by row, so that a cut needs no pass over the classes. With integer counts
// every step is a table lookup.
struct UnitMeasure {
  const XlogxTable& table;
  const std::int32_t* label;
  std::uint32_t* left;
  std::uint32_t* right;
  double whole;  // xlogx(known) - sum over classes
  double sum_left = 0;
  double sum_right;
  std::size_t n_left = 0;
  std::size_t n;
  double node_weight;

  double move(std::uint32_t row) {
    const std::int32_t c = label[row];
    sum_left += table.step(left[c]++);
    sum_right -= table.step(--right[c]);
    return static_cast<double>(++n_left);
  }
  double reduction() const { return whole - (table[n_left] - sum_left) - (table[n - n_left] - sum_right); }
};

// Logarithms are expensive: computes them only at cuts, for the classes of the rows moved since the last cut.
struct WeightedMeasure {
  const std::int32_t* label;
  const double* weight;
  double* left;
  double* right;
  double* left_xlogx;  // of the counts above, at the last cut
  double* right_xlogx;
  std::uint8_t* is_stale;  // per class
  std::int32_t* stale;
  std::size_t n_stale = 0;
  double whole;
  double sum_left = 0;
  double sum_right;
  double w_left = 0;
  double known;
  double node_weight;

  double move(std::uint32_t row) {
    const std::int32_t c = label[row];
    const double w = weight[row];
    left[c] += w;
    right[c] -= w;
    if (is_stale[c] == 0) {
      is_stale[c] = 1;
      stale[n_stale++] = c;
    }
    return w_left += w;
  }
  double reduction() {
    for (std::size_t i = 0; i < n_stale; ++i) {
      const std::int32_t c = stale[i];
      const double new_left = xlogx(left[c]);
      const double new_right = xlogx(right[c]);
      sum_left += new_left - left_xlogx[c];
      sum_right += new_right - right_xlogx[c];
      left_xlogx[c] = new_left;
      right_xlogx[c] = new_right;
      is_stale[c] = 0;
    }
    n_stale = 0;
    return whole - (xlogx(w_left) - sum_left) - (xlogx(known - w_left) - sum_right);
  }
};

}  // namespace

Candidate SplitFinder::numeric(const SortedRows& sorted, std::size_t n_rows, const NodeCounts& node, bool unit_weights) {
  Candidate best;
  best.spent = is_spent(sorted);
  if (best.spent) return best;
  const bool all_known = sorted.row.size() == n_rows;
  if (!all_known) count_known(sorted, unit_weights);
  const NodeCounts& counts = all_known ? node : known_counts_;
  const double known = counts.weight;
  // Quinlan's rule: a tenth of the average class, between min_leaf and 25.
  double min_split = 0.1 * known / static_cast<double>(n_classes_);
  if (at_most(min_split, options_.min_leaf)) {
    min_split = options_.min_leaf;
  } else if (greater(min_split, 25)) {
    min_split = 25;
  }
  // A fractional row counts as a whole row here; user weights count as copies.
  double n_known = static_cast<double>(sorted.row.size());
  if (!root_weight_.empty()) {
    n_known = 0;
    for (const std::uint32_t row : sorted.row) n_known += root_weight_[row];
  }
  if (smaller(n_known, 2 * min_split)) return best;

  std::size_t n_cuts = 0;
  const double whole = xlogx_of(known, unit_weights) - counts.sum_xlogx;
  if (unit_weights) {
    std::fill(left_n_.begin(), left_n_.end(), 0);
    for (std::size_t c = 0; c < n_classes_; ++c) right_n_[c] = static_cast<std::uint32_t>(counts.per_class[c]);
    scan(sorted, known, min_split,
         UnitMeasure{xlogx_, label_.data(), left_n_.data(), right_n_.data(), whole, 0, counts.sum_xlogx, 0, sorted.row.size(),
                     node.weight},
         best, n_cuts);
  } else {
    std::fill(left_w_.begin(), left_w_.end(), 0.0);
    right_w_ = counts.per_class;
    left_xlogx_.assign(n_classes_, 0.0);
    right_xlogx_.resize(n_classes_);
    for (std::size_t c = 0; c < n_classes_; ++c) right_xlogx_[c] = xlogx(right_w_[c]);
    is_stale_.assign(n_classes_, 0);
    scan(sorted, known, min_split,
         WeightedMeasure{label_.data(), row_weight_.data(), left_w_.data(), right_w_.data(), left_xlogx_.data(),
                         right_xlogx_.data(), is_stale_.data(), stale_.data(), 0, whole, 0, counts.sum_xlogx, 0, known,
                         node.weight},
         best, n_cuts);
  }
  if (n_cuts == 0) return best;
  if (options_.mdl_correction) best.gain -= std::log2(static_cast<double>(n_cuts)) / node.weight;
  if (at_most(best.gain, 0) || best.cut == 0) return best;
  best.valid = true;
  best.below = sorted.value[best.cut - 1];
  best.above = sorted.value[best.cut];
  double left = static_cast<double>(best.cut);
  if (!unit_weights) {
    left = 0;
    for (std::size_t i = 0; i < best.cut; ++i) left += row_weight_[sorted.row[i]];
  }
  const double branches = xlogx_of(left, unit_weights) + xlogx_of(known - left, unit_weights);
  best.gain_ratio = ratio_of(best.gain, branches, known, node.weight, unit_weights);
  return best;
}

// The index of a value in the table; a new value gets a new row.
template <class Count>
std::size_t SplitFinder::index_of(std::int32_t value, std::vector<Count>& table) {
  if (index_[value] == 0) {
    seen_.push_back(value);
    index_[value] = static_cast<std::int32_t>(seen_.size());
    table.resize(table.size() + n_classes_, 0);
  }
  return static_cast<std::size_t>(index_[value] - 1) * n_classes_;
}

// Counts integers first: adding to a number that was just written is slow.
void SplitFinder::count_rows(std::span<const std::int32_t> code, std::span<const std::uint32_t> rows) {
  table_n_.clear();
  for (const std::uint32_t row : rows) {
    if (code[row] >= 0) ++table_n_[index_of(code[row], table_n_) + static_cast<std::size_t>(label_[row])];
  }
  table_.assign(table_n_.begin(), table_n_.end());
  table_weight_.resize(seen_.size());
  for (std::size_t at = 0; at < seen_.size(); ++at) {
    const auto begin = table_.begin() + static_cast<std::ptrdiff_t>(at * n_classes_);
    table_weight_[at] = std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(n_classes_), 0.0);
  }
}

void SplitFinder::count_weights(std::span<const std::int32_t> code, std::span<const std::uint32_t> rows) {
  table_.clear();
  table_weight_.clear();
  for (const std::uint32_t row : rows) {
    if (code[row] < 0) continue;
    const std::size_t index = index_of(code[row], table_);
    table_weight_.resize(seen_.size(), 0.0);
    table_[index + static_cast<std::size_t>(label_[row])] += row_weight_[row];
    table_weight_[static_cast<std::size_t>(index_[code[row]] - 1)] += row_weight_[row];
  }
}

Candidate SplitFinder::nominal(std::span<const std::int32_t> code, std::int32_t n_values, ValueSplit split,
                               std::span<const std::uint32_t> rows, const NodeCounts& node, bool unit_weights) {
  index_.resize(std::max<std::size_t>(index_.size(), n_values), 0);
  unit_weights ? count_rows(code, rows) : count_weights(code, rows);
  std::fill(known_.begin(), known_.end(), 0.0);
  for (std::size_t i = 0; i < table_.size(); ++i) known_[i % n_classes_] += table_[i];
  const double known = std::accumulate(known_.begin(), known_.end(), 0.0);
  Candidate candidate = split == ValueSplit::kEach  ? multiway(node, known, unit_weights)
                        : split == ValueSplit::kOne ? one_against_rest(node, known, unit_weights)
                                                    : group_against_rest(node, known, unit_weights);
  for (const std::int32_t value : seen_) index_[value] = 0;
  seen_.clear();
  return candidate;
}

Candidate SplitFinder::multiway(const NodeCounts& node, double known, bool unit) {
  Candidate result;
  const auto large_enough = [&](double w) { return at_least(w, options_.min_leaf); };
  result.valid = std::count_if(table_weight_.begin(), table_weight_.end(), large_enough) >= 2;
  // In a subset of the rows values have no more weight, except for rounding of the sums.
  const auto nearly_large_enough = [&](double w) { return w > options_.min_leaf - 2 * kTolerance; };
  result.spent = std::count_if(table_weight_.begin(), table_weight_.end(), nearly_large_enough) < 2;
  if (!result.valid) return result;
  const double branches = sum_xlogx_of(table_weight_, unit);
  const double reduction = xlogx_of(known, unit) - sum_xlogx_of(known_, unit) - (branches - sum_xlogx_of(table_, unit));
  result.gain = gain_of(reduction, known, node.weight);
  result.gain_ratio = ratio_of(result.gain, branches, known, node.weight, unit);
  return result;
}

Candidate SplitFinder::one_against_rest(const NodeCounts& node, double known, bool unit) {
  Candidate best;
  // There is nothing to separate. Without this check, rounding of huge weights could make it split forever.
  if (seen_.size() < 2) return best;
  std::sort(seen_.begin(), seen_.end());
  std::int32_t chosen = 0;
  const double whole = xlogx_of(known, unit) - sum_xlogx_of(known_, unit);
  for (const std::int32_t value : seen_) {
    const std::size_t at = index_[value] - 1;
    const double inside = table_weight_[at];
    if (!at_least(inside, options_.min_leaf) || !at_least(known - inside, options_.min_leaf)) continue;
    double within = 0;
    for (std::size_t c = 0; c < n_classes_; ++c) {
      const double count = table_[at * n_classes_ + c];
      within += xlogx_of(count, unit) + xlogx_of(known_[c] - count, unit);
    }
    const double branches = xlogx_of(inside, unit) + xlogx_of(known - inside, unit);
    const double gain = gain_of(whole - (branches - within), known, node.weight);
    const double ratio = ratio_of(gain, branches, known, node.weight, unit);
    best.valid = true;
    if (value == 0 || greater(ratio, best.gain_ratio)) {
      best.gain = gain;
      best.gain_ratio = ratio;
      chosen = value;
    }
  }
  best.values.assign(1, chosen);
  return best;
}

// The gain, in bits, that the best group of values has by chance if labels are independent of the column: at most one bit
// for a value with one row, whose label decides its side, and 1 / (pi ln 2) for a value with many rows of two classes;
// slightly more for several classes. A column of identifiers, which can always be grouped to fit, gains no more than this.
double gain_by_chance(std::span<const double> weights) {
  constexpr double kManyRows = 0.6;
  double bits = 0;
  for (const double weight : weights) bits += weight > 1 ? kManyRows + (1 - kManyRows) / weight : 1;
  return bits;
}

// The cut of the ordered values with the best gain. The correction subtracts what chance gains, as it does log2(cuts) for
// numbers.
Candidate SplitFinder::group_against_rest(const NodeCounts& node, double known, bool unit) {
  Candidate best;
  best.spent = seen_.size() < 2;
  if (best.spent) return best;
  const auto order = order_.sort(seen_, table_, table_weight_, n_classes_);
  const double whole = xlogx_of(known, unit) - sum_xlogx_of(known_, unit);
  left_w_.assign(n_classes_, 0.0);
  double left = 0;
  double within = sum_xlogx_of(known_, unit);
  double best_reduction = 0;
  double best_left = 0;
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    const double* moved = table_.data() + order[i] * n_classes_;
    for (std::size_t c = 0; c < n_classes_; ++c) {
      if (moved[c] == 0) continue;
      within -= xlogx_of(left_w_[c], unit) + xlogx_of(known_[c] - left_w_[c], unit);
      left_w_[c] += moved[c];
      within += xlogx_of(left_w_[c], unit) + xlogx_of(known_[c] - left_w_[c], unit);
    }
    left += table_weight_[order[i]];
    if (!at_least(left, options_.min_leaf)) continue;
    if (!at_least(known - left, options_.min_leaf)) break;
    const double reduction = whole - (xlogx_of(left, unit) + xlogx_of(known - left, unit) - within);
    if (reduction - best_reduction > kTolerance * node.weight) {
      best_reduction = reduction;
      best_left = left;
      best.cut = i + 1;
    }
  }
  if (best.cut == 0) return best;
  best.gain = gain_of(best_reduction, known, node.weight);
  if (options_.mdl_correction) best.gain -= gain_by_chance(table_weight_) / node.weight;
  if (at_most(best.gain, 0)) return best;
  best.valid = true;
  const double branches = xlogx_of(best_left, unit) + xlogx_of(known - best_left, unit);
  best.gain_ratio = ratio_of(best.gain, branches, known, node.weight, unit);
  // Values that are not seen here follow branch 1: it holds the larger part of the rows.
  const auto group = 2 * best_left <= known ? order.first(best.cut) : order.subspan(best.cut);
  for (const std::uint32_t at : group) best.values.push_back(seen_[at]);
  std::sort(best.values.begin(), best.values.end());
  return best;
}

}  // namespace sightline::learn::c45
