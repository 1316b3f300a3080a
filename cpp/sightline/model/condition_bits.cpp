#include "sightline/model/condition_bits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sightline::model {
namespace {

// Per row: how many of the bounds lie below its value. All rows take each step of the
// search together, so that none waits for the memory of another.
void ranks(const std::vector<double>& bounds, const double* values, std::size_t n, std::uint32_t* rank) {
  std::fill(rank, rank + n, 0u);
  std::size_t left = bounds.size();
  while (left > 1) {
    const std::size_t half = left / 2;
    for (std::size_t i = 0; i < n; ++i) {
      rank[i] += bounds[rank[i] + half - 1] < values[i] ? static_cast<std::uint32_t>(half) : 0u;
    }
    left -= half;
  }
  if (left == 1) {
    for (std::size_t i = 0; i < n; ++i) rank[i] += bounds[rank[i]] < values[i];
  }
}

std::size_t place_of(const std::vector<double>& bounds, double bound) {
  return static_cast<std::size_t>(std::lower_bound(bounds.begin(), bounds.end(), bound) - bounds.begin());
}

}  // namespace

ConditionBits::ConditionBits(const RuleSet& rules) : rules_(rules) {
  const RuleArrays& a = rules.arrays();
  std::vector<std::vector<double>> bounds(a.n_values.size());
  std::vector<bool> used(a.n_values.size(), false);
  for (std::size_t c = 0; c < a.feature.size(); ++c) {
    used[a.feature[c]] = true;
    for (const double bound : {a.low[c], a.high[c]}) {
      if (std::isfinite(bound)) bounds[a.feature[c]].push_back(bound);
    }
  }
  std::vector<std::size_t> number(a.n_values.size(), 0);
  for (std::size_t f = 0; f < used.size(); ++f) {
    if (!used[f]) continue;
    auto& own = bounds[f];
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    const std::size_t width = a.n_values[f] > 0 ? static_cast<std::size_t>(a.n_values[f]) : own.size() + 1;
    number[f] = features_.size();
    features_.push_back({static_cast<std::int32_t>(f), n_slots_, std::move(own), a.n_values[f], n_slots_ + width});
    n_slots_ += width + 1;
  }
  ranges_.resize(a.feature.size());
  first_value_.resize(a.feature.size(), 0);
  for (std::size_t c = 0; c < a.feature.size(); ++c) {
    const Feature& feature = features_[number[a.feature[c]]];
    Range& range = ranges_[c];
    range.missing = a.accepts_missing[c] ? feature.missing_slot : 0;
    if (feature.n_values > 0) {
      first_value_[c] = feature.first_slot;
      continue;
    }
    const auto at_most = [&](double bound) -> std::size_t {
      if (bound == -std::numeric_limits<double>::infinity()) return 0;
      return feature.first_slot + (std::isfinite(bound) ? place_of(feature.bounds, bound) : feature.bounds.size());
    };
    range.upper = at_most(a.high[c]);
    range.lower = at_most(a.low[c]);
  }
}

void ConditionBits::place_numbers(const Feature& feature, const table::Column& column, std::size_t begin, std::size_t n,
                                  RowBits* slots) const {
  double values[RowBits::kRows];
  std::uint32_t rank[RowBits::kRows];
  for (std::size_t i = 0; i < n; ++i) values[i] = column.number(begin + i);
  ranks(feature.bounds, values, n, rank);
  RowBits* own = slots + feature.first_slot;
  for (std::size_t i = 0; i < n; ++i) {
    if (std::isnan(values[i])) {
      slots[feature.missing_slot].set(i);
    } else {
      own[rank[i]].set(i);
    }
  }
  for (std::size_t b = 0; b < feature.bounds.size(); ++b) own[b + 1] |= own[b];
}

void ConditionBits::place_codes(const Feature& feature, const table::Column& column, std::size_t begin, std::size_t n,
                                RowBits* slots) const {
  for (std::size_t i = 0; i < n; ++i) {
    const std::int32_t code = column.code(begin + i);
    const bool known = code >= 0 && code < feature.n_values;
    slots[known ? feature.first_slot + static_cast<std::size_t>(code) : feature.missing_slot].set(i);
  }
}

void ConditionBits::evaluate(const table::Columns& rows, std::size_t begin, std::size_t end, Block& block) const {
  block.slots.assign(n_slots_, RowBits{});
  block.holds.resize(ranges_.size());
  for (const Feature& feature : features_) {
    const table::Column& column = rows[static_cast<std::size_t>(feature.feature)];
    if (feature.n_values > 0) {
      place_codes(feature, column, begin, end - begin, block.slots.data());
    } else {
      place_numbers(feature, column, begin, end - begin, block.slots.data());
    }
  }
  const RowBits* slots = block.slots.data();
  for (std::size_t c = 0; c < ranges_.size(); ++c) {
    const Range& range = ranges_[c];
    if (first_value_[c] == 0) {
      block.holds[c] = (slots[range.upper] & ~slots[range.lower]) | slots[range.missing];
      continue;
    }
    RowBits any = slots[range.missing];
    for (const std::int32_t code : rules_.categories(static_cast<std::int32_t>(c))) any |= slots[first_value_[c] + code];
    block.holds[c] = any;
  }
}

void condition_matrix(const RuleSet& rules, const table::Columns& rows, runtime::StopPoll& poll, std::uint8_t* holds) {
  const ConditionBits conditions(rules);
  const std::size_t width = rules.n_conditions();
  std::fill(holds, holds + rows.n_rows() * width, std::uint8_t{0});
  ConditionBits::Block block;
  for (std::size_t begin = 0; begin < rows.n_rows(); begin += RowBits::kRows) {
    poll();
    conditions.evaluate(rows, begin, std::min(rows.n_rows(), begin + RowBits::kRows), block);
    for (std::size_t c = 0; c < width; ++c) {
      block.holds[c].for_each([&](std::size_t i) { holds[(begin + i) * width + c] = 1; });
    }
  }
}

}  // namespace sightline::model
