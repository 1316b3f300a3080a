#include "sightline/learn/c45/row_stacks.hpp"

#include <algorithm>
#include <numeric>

namespace sightline::learn::c45 {

RowStacks::RowStacks(const TrainingSet& training, const table::Orders* orders, runtime::StopPoll& poll)
    : training_(training), sorted_(training.columns->size()) {
  const std::size_t n = training.size();
  Frame root{n, training.weight.empty(), std::vector<std::size_t>(sorted_.size(), 0)};
  rows_.row.resize(n);
  std::iota(rows_.row.begin(), rows_.row.end(), 0);
  rows_.value = training.weight;
  for (const std::uint32_t f : training.features()) {
    if (!(*training.columns)[f].is_nominal()) numeric_.push_back(f);
  }
  const Copies copies(training);
  table::ColumnSorter sorter;
  for (const std::uint32_t f : numeric_) {
    const table::Column& column = (*training.columns)[f];
    poll();
    sorted_[f].row =
        copies.in_order(orders == nullptr ? sorter.ascending_rows(column, training.columns->n_rows()) : (*orders)[f]);
    root.n_sorted[f] = sorted_[f].row.size();
  }
  frames_.push_back(std::move(root));
  prepare_top();
}

void RowStacks::collect_values(std::size_t feature, std::vector<double>& values) const {
  const auto rows = sorted_rows(feature);
  values.reserve(values.size() + rows.size());
  for (const std::uint32_t row : rows) values.push_back(training_.number(feature, row));
}

std::span<const double> RowStacks::sorted_values(std::size_t feature) {
  if (frames_.back().has_values) return tail(sorted_[feature].value, length(feature));
  collected_.clear();
  collect_values(feature, collected_);
  return collected_;
}

// Puts the values of a small node on the stacks. Its branches inherit them, so each cell is looked up only a few times.
void RowStacks::prepare_top() {
  constexpr std::size_t kSmall = std::size_t{1} << 16;
  constexpr std::size_t kSmallPart = 4;
  if (frames_.empty() || frames_.back().has_values || frames_.back().n_sorted.empty()) return;
  if (frames_.back().n_rows > std::max(kSmall, training_.size() / kSmallPart)) return;
  for (const std::uint32_t f : numeric_) collect_values(f, sorted_[f].value);
  frames_.back().has_values = true;
}

// Releases memory as the stacks shrink, for the nodes and leaf rows that are made meanwhile. Halving keeps the copies
// cheap.
template <class T>
void give_back(std::vector<T>& stack) {
  constexpr std::size_t kWorthIt = std::size_t{1} << 16;
  if (stack.capacity() > kWorthIt && stack.size() < stack.capacity() / 2) stack.shrink_to_fit();
}

void RowStacks::pop() {
  const Frame& top = frames_.back();
  rows_.row.resize(rows_.row.size() - top.n_rows);
  if (!top.unit_weights) rows_.value.resize(rows_.value.size() - top.n_rows);
  for (const std::uint32_t f : top.n_sorted.empty() ? std::span<const std::uint32_t>() : numeric_) {
    const std::size_t n = length(f);
    sorted_[f].row.resize(sorted_[f].row.size() - n);
    if (top.has_values) sorted_[f].value.resize(sorted_[f].value.size() - n);
    give_back(sorted_[f].row);
    give_back(sorted_[f].value);
  }
  frames_.pop_back();
  prepare_top();
}

void RowStacks::split(const Partition& partition) {
  const std::size_t n_branches = partition.missing_share.size();
  Frame top = std::move(frames_.back());
  frames_.pop_back();

  std::vector<Frame> branches(n_branches);
  if (top.unit_weights && !partition.shares_rows) {
    const std::vector<std::size_t> sizes = split_stack(rows_, top.n_rows, partition, true, false);
    for (std::size_t b = 0; b < n_branches; ++b) branches[b] = {sizes[b], true, {}, false};
  } else {
    split_weighted(top, partition, branches);
  }
  split_sorted(top, partition, branches);
  for (std::size_t b = n_branches; b-- > 0;) frames_.push_back(std::move(branches[b]));
  prepare_top();
}

// Weights are written while rows are split, and dropped again if all are 1.
void RowStacks::split_weighted(const Frame& top, const Partition& partition, std::vector<Frame>& branches) {
  if (top.unit_weights) rows_.value.insert(rows_.value.end(), top.n_rows, 1.0);
  const std::vector<std::size_t> n_rows = split_stack(rows_, top.n_rows, partition, true, true);
  std::size_t begin = rows_.row.size() - std::accumulate(n_rows.begin(), n_rows.end(), std::size_t{0});
  std::size_t value_begin = rows_.value.size() - (rows_.row.size() - begin);
  std::size_t write = value_begin;
  for (std::size_t b = branches.size(); b-- > 0;) {
    branches[b].n_rows = n_rows[b];
    double* weight = rows_.value.data() + value_begin;
    bool unit = true;
    for (std::size_t i = 0; i < n_rows[b]; ++i) {
      if (partition.branch[rows_.row[begin + i]] == kEveryBranch) weight[i] *= partition.missing_share[b];
      unit &= weight[i] == 1.0;
    }
    branches[b].unit_weights = unit;
    if (!unit) {
      std::copy(weight, weight + n_rows[b], rows_.value.begin() + write);
      write += n_rows[b];
    }
    begin += n_rows[b];
    value_begin += n_rows[b];
  }
  rows_.value.resize(write);
}

void RowStacks::split_sorted(const Frame& top, const Partition& partition, std::vector<Frame>& branches) {
  if (top.n_sorted.empty()) return;
  for (std::size_t b = 0; b < branches.size(); ++b) {
    if (!partition.keeps_order[b]) continue;
    branches[b].n_sorted.assign(sorted_.size(), 0);
    branches[b].has_values = top.has_values;
  }
  for (const std::uint32_t f : numeric_) {
    const std::vector<std::size_t> n_sorted = split_stack(sorted_[f], top.n_sorted[f], partition, false, top.has_values);
    for (std::size_t b = 0; b < branches.size(); ++b) {
      if (partition.keeps_order[b]) branches[b].n_sorted[f] = n_sorted[b];
    }
  }
}

std::vector<std::size_t> RowStacks::split_stack(Stack& stack, std::size_t n, const Partition& partition, bool all_branches,
                                                bool with_values) {
  return partition.missing_share.size() == 2 ? split_in_two(stack, n, partition, all_branches, with_values)
                                             : split_in_many(stack, n, partition, all_branches, with_values);
}

// Compacts branch 1 in place (it never overtakes the reader), collects branch 0 in the scratch buffer, and appends that on
// top.
std::vector<std::size_t> RowStacks::split_in_two(Stack& stack, std::size_t n, const Partition& partition, bool all_branches,
                                                 bool with_values) {
  const std::size_t base = stack.row.size() - n;
  const std::size_t value_base = with_values ? stack.value.size() - n : 0;
  // Each separately: a multiway split may have left room for rows but none for values.
  if (scratch_.row.size() < n) scratch_.row.resize(n);
  if (with_values && scratch_.value.size() < n) scratch_.value.resize(n);
  const std::uint32_t wanted0 = all_branches || partition.keeps_order[0];
  const std::uint32_t wanted1 = all_branches || partition.keeps_order[1];
  const std::uint32_t missing0 = wanted0 && partition.missing_share[0] > 0;
  const std::uint32_t missing1 = wanted1 && partition.missing_share[1] > 0;
  std::uint32_t* row = stack.row.data() + base;
  double* value = stack.value.data() + value_base;
  std::size_t n0 = 0;
  std::size_t n1 = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t r = row[i];
    const std::uint32_t branch = partition.branch[r];
    scratch_.row[n0] = r;
    row[n1] = r;
    if (with_values) {
      const double v = value[i];
      scratch_.value[n0] = v;
      value[n1] = v;
    }
    if (branch == kEveryBranch) {
      n0 += missing0;
      n1 += missing1;
    } else {
      n0 += (1 - branch) & wanted0;
      n1 += branch & wanted1;
    }
  }
  stack.row.resize(base + n0 + n1);
  std::copy_n(scratch_.row.data(), n0, stack.row.data() + base + n1);
  if (with_values) {
    stack.value.resize(value_base + n0 + n1);
    std::copy_n(scratch_.value.data(), n0, stack.value.data() + value_base + n1);
  }
  return {n0, n1};
}

std::vector<std::size_t> RowStacks::split_in_many(Stack& stack, std::size_t n, const Partition& partition, bool all_branches,
                                                  bool with_values) {
  const std::size_t n_branches = partition.missing_share.size();
  const std::size_t base = stack.row.size() - n;
  const std::size_t value_base = with_values ? stack.value.size() - n : 0;
  const auto for_each_target = [&](std::size_t i, auto&& visit) {
    const std::uint32_t branch = partition.branch[scratch_.row[i]];
    if (branch != kEveryBranch) {
      if (all_branches || partition.keeps_order[branch]) visit(branch);
      return;
    }
    for (std::size_t b = 0; b < n_branches; ++b) {
      if (partition.missing_share[b] > 0 && (all_branches || partition.keeps_order[b])) visit(b);
    }
  };
  scratch_.row.assign(stack.row.begin() + base, stack.row.end());
  if (with_values) scratch_.value.assign(stack.value.begin() + value_base, stack.value.end());
  std::vector<std::size_t> size(n_branches, 0);
  for (std::size_t i = 0; i < n; ++i) for_each_target(i, [&](std::size_t b) { ++size[b]; });
  std::vector<std::size_t> next(n_branches);
  std::size_t total = 0;
  for (std::size_t b = n_branches; b-- > 0;) {
    next[b] = total;
    total += size[b];
  }
  stack.row.resize(base + total);
  if (with_values) stack.value.resize(value_base + total);
  for (std::size_t i = 0; i < n; ++i) {
    for_each_target(i, [&](std::size_t b) {
      stack.row[base + next[b]] = scratch_.row[i];
      if (with_values) stack.value[value_base + next[b]] = scratch_.value[i];
      ++next[b];
    });
  }
  return size;
}

}  // namespace sightline::learn::c45
