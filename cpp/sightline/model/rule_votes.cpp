#include "sightline/model/rule_votes.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>

#include "sightline/runtime/parallel.hpp"

namespace sightline::model {
namespace {

// So few rules leave most bits of a block unset: adding the set ones is faster than
// expanding all numbers.
constexpr std::size_t kFewRules = 2;

void add_bits(const RowCounters& counters, double factor, std::size_t stride, double* votes) {
  for (const RowBits& plane : counters.planes()) {
    plane.for_each([&](std::size_t i) { votes[i * stride] += factor; });
    factor *= 2;
  }
}

// The planes of a sum stay in registers, so their number is a constant. Carries are not tested for zero: that takes
// longer than adding them.
template <std::size_t kPlanes>
void count_matches_in(std::span<const std::int32_t> conditions, const RowBits* holds, const RowBits& judged,
                      const std::vector<RuleVotes::Bucket>& buckets, RowCounters& n_full, RowCounters* n_part) {
  RowBits satisfied[kPlanes];
  for (const std::int32_t c : conditions) {
    RowBits carry = holds[c];
    for (RowBits& plane : satisfied) {
      const RowBits both = plane & carry;
      plane ^= carry;
      carry = both;
    }
  }
  std::size_t covered_from = conditions.size();
  RowBits above = at_least(satisfied, kPlanes, covered_from) & judged;
  n_full.add(above);
  for (std::size_t b = buckets.size(); b-- > 0;) {
    if (buckets[b].to != covered_from) above = at_least(satisfied, kPlanes, buckets[b].to) & judged;
    const RowBits reached = at_least(satisfied, kPlanes, buckets[b].from) & judged;
    n_part[b].add(satisfied, kPlanes, reached & ~above);
    above = reached;
    covered_from = buckets[b].from;
  }
}

// Counts the rows that satisfy all conditions of a rule, and those that satisfy as many as a bucket says.
void count_matches(std::span<const std::int32_t> conditions, const RowBits* holds, const RowBits& judged,
                   const std::vector<RuleVotes::Bucket>& buckets, RowCounters& n_full, RowCounters* n_part) {
  if (conditions.size() < 4) return count_matches_in<2>(conditions, holds, judged, buckets, n_full, n_part);
  if (conditions.size() < 8) return count_matches_in<3>(conditions, holds, judged, buckets, n_full, n_part);
  if (conditions.size() < 16) return count_matches_in<4>(conditions, holds, judged, buckets, n_full, n_part);
  if (conditions.size() < 256) return count_matches_in<8>(conditions, holds, judged, buckets, n_full, n_part);
  count_matches_in<32>(conditions, holds, judged, buckets, n_full, n_part);
}

}  // namespace

std::size_t conditions_needed(double pc, std::size_t length) {
  return static_cast<std::size_t>(std::max(0.0, std::ceil(pc * static_cast<double>(length) - kShareRounding)));
}

void OutOfBagRows::gather(std::size_t begin, std::size_t end, std::vector<RowBits>& of_trees) const {
  of_trees.assign(n_trees, RowBits{});
  for (std::size_t t = 0; t < n_trees; ++t) {
    const std::uint8_t* out_of_bag = of_tree + t * n_rows;
    for (std::size_t row = begin; row < end; ++row) {
      if (out_of_bag[row]) of_trees[t].set(row - begin);
    }
  }
}

RowBits judged_rows(const RuleSet& rules, std::size_t rule, const std::vector<RowBits>& of_trees) {
  RowBits judged;
  for (const std::int32_t tree : rules.sources(rule)) judged |= of_trees[tree];
  return judged;
}

struct RuleVotes::Scratch {
  ConditionBits::Block block;
  std::vector<RowBits> of_trees;
  RowCounters n_full;               // rules of one class and weight
  std::vector<RowCounters> n_part;  // per bucket: conditions satisfied, summed over a group
  std::uint32_t numbers[RowBits::kRows];
};

RuleVotes::RuleVotes(const RuleSet& rules, std::vector<double> levels)
    : rules_(rules), conditions_(rules), levels_(std::move(levels)), members_(rules.n_rules()) {
  const auto key = [&](std::size_t r) {
    return std::make_tuple(rules.arrays().label[r], rules.arrays().weight[r], rules.conditions(r).size());
  };
  for (std::size_t r = 0; r < members_.size(); ++r) members_[r] = r;
  std::stable_sort(members_.begin(), members_.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  std::size_t first_alike = 0;
  for (std::size_t begin = 0; begin < members_.size();) {
    const auto [label, weight, length] = key(members_[begin]);
    std::size_t end = begin;
    while (end < members_.size() && key(members_[end]) == key(members_[begin])) ++end;
    const auto alike = [&, label = label, weight = weight](std::size_t at) {
      const std::size_t r = members_[at];
      return rules.arrays().label[r] == label && rules.arrays().weight[r] == weight;
    };
    if (!alike(first_alike)) first_alike = begin;
    const bool closes = end == members_.size() || !alike(end);
    groups_.push_back({label, weight, length, begin, end, buckets_of(length), closes, end - first_alike});
    begin = end;
  }
  // The first group of a weight must know how many rules will be counted with it.
  for (std::size_t g = groups_.size(); g-- > 1;) {
    if (!groups_[g - 1].closes_weight) groups_[g - 1].n_alike = groups_[g].n_alike;
  }
}

std::vector<RuleVotes::Bucket> RuleVotes::buckets_of(std::size_t length) const {
  std::vector<Bucket> buckets;
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const std::size_t from = std::max<std::size_t>(1, conditions_needed(levels_[level], length));
    const std::size_t next = level + 1 < levels_.size() ? conditions_needed(levels_[level + 1], length) : length;
    const std::size_t to = std::min(length, std::max(next, from));
    if (from < to) buckets.push_back({from, to, level});
  }
  return buckets;
}

void RuleVotes::count(const table::Columns& rows, const OutOfBagRows& out_of_bag, int n_threads, runtime::StopPoll& poll,
                      double* full, double* partial) const {
  const std::size_t matrix = rows.n_rows() * rules_.n_classes();
  std::fill(full, full + matrix, 0.0);
  std::fill(partial, partial + matrix * levels_.size(), 0.0);
  runtime::parallel_blocks(rows.n_rows(), RowBits::kRows, n_threads, poll, [&](std::size_t begin, std::size_t end) {
    thread_local Scratch scratch;
    count_block(rows, out_of_bag, begin, end, scratch, full, partial);
  });
}

void RuleVotes::count_block(const table::Columns& rows, const OutOfBagRows& out_of_bag, std::size_t begin, std::size_t end,
                            Scratch& scratch, double* full, double* partial) const {
  conditions_.evaluate(rows, begin, end, scratch.block);
  if (out_of_bag) out_of_bag.gather(begin, end, scratch.of_trees);
  const RowBits all = RowBits::first(end - begin);
  bool opens_weight = true;
  for (const Group& group : groups_) {
    if (opens_weight) scratch.n_full.reset(group.n_alike);
    opens_weight = group.closes_weight;
    count_group(group, all, static_cast<bool>(out_of_bag), scratch);
    flush(group, begin, end - begin, rows.n_rows(), scratch, full, partial);
  }
  // What reaches a level reaches all lower ones.
  const std::size_t n_classes = rules_.n_classes();
  const std::size_t matrix = rows.n_rows() * n_classes;
  for (std::size_t level = levels_.size(); level-- > 1;) {
    const double* above = partial + level * matrix;
    double* below = partial + (level - 1) * matrix;
    for (std::size_t i = begin * n_classes; i < end * n_classes; ++i) below[i] += above[i];
  }
}

void RuleVotes::count_group(const Group& group, const RowBits& all, bool masked, Scratch& scratch) const {
  const std::vector<RowBits>& holds = scratch.block.holds;
  scratch.n_part.resize(std::max(scratch.n_part.size(), group.buckets.size()));
  for (std::size_t b = 0; b < group.buckets.size(); ++b) {
    scratch.n_part[b].reset((group.end - group.begin) * (group.buckets[b].to - 1));
  }
  for (std::size_t m = group.begin; m < group.end; ++m) {
    const std::size_t rule = members_[m];
    const RowBits judged = masked ? judged_rows(rules_, rule, scratch.of_trees) & all : all;
    if (group.buckets.empty()) {
      RowBits full = judged;
      for (const std::int32_t c : rules_.conditions(rule)) full &= holds[c];
      scratch.n_full.add(full);
      continue;
    }
    count_matches(rules_.conditions(rule), holds.data(), judged, group.buckets, scratch.n_full, scratch.n_part.data());
  }
}

void RuleVotes::flush(const Group& group, std::size_t begin, std::size_t n, std::size_t n_rows, Scratch& scratch, double* full,
                      double* partial) const {
  const std::size_t n_classes = rules_.n_classes();
  const auto add = [&](const RowCounters& counters, std::size_t n_rules, double factor, double* votes) {
    double* vote = votes + begin * n_classes + static_cast<std::size_t>(group.label);
    if (n_rules <= kFewRules) return add_bits(counters, factor, n_classes, vote);
    counters.expand(scratch.numbers);
    for (std::size_t i = 0; i < n; ++i, vote += n_classes) *vote += factor * scratch.numbers[i];
  };
  if (group.closes_weight) add(scratch.n_full, group.n_alike, group.weight, full);
  for (std::size_t b = 0; b < group.buckets.size(); ++b) {
    add(scratch.n_part[b], group.end - group.begin, group.weight / static_cast<double>(group.length),
        partial + group.buckets[b].level * n_rows * n_classes);
  }
}

}  // namespace sightline::model
