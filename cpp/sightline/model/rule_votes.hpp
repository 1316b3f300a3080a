// Counts the votes of a rule set: full matches, and partial ones at several thresholds.
#pragma once

#include <cstdint>
#include <vector>

#include "sightline/model/condition_bits.hpp"
#include "sightline/model/rules.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::model {

// Slack for rounding errors: 3/5 of five conditions is three, even if 0.6 * 5 is slightly larger.
inline constexpr double kShareRounding = 1e-9;

// Satisfied conditions that a rule of this length needs for a share of at least `pc`.
std::size_t conditions_needed(double pc, std::size_t length);

// Restricts rules to their out-of-bag rows: a rule judges a row only if at least one of its source
// trees was not trained on it. A (trees, rows) matrix of bytes; null: every rule judges every row.
struct OutOfBagRows {
  const std::uint8_t* of_tree = nullptr;
  std::size_t n_rows = 0;
  std::size_t n_trees = 0;

  explicit operator bool() const { return of_tree != nullptr; }
  // Per tree: its out-of-bag rows in [begin, end).
  void gather(std::size_t begin, std::size_t end, std::vector<RowBits>& of_trees) const;
};

// Rows of a block that are out of bag for some source tree of the rule.
RowBits judged_rows(const RuleSet& rules, std::size_t rule, const std::vector<RowBits>& of_trees);

// Counts votes. Rules of equal class, weight and length are counted together, as bits of
// 256 rows at a time, and turned into numbers once per group.
class RuleVotes {
 public:
  // A range of satisfied counts [from, to) and the level at which it begins to count.
  struct Bucket {
    std::size_t from, to, level;
  };

  // `levels`: shares from which partial matches count, ascending.
  RuleVotes(const RuleSet& rules, std::vector<double> levels);

  // full: (row, class), the weights of the rules that hold. partial: (level, row, class),
  // of the rules that do not, but whose satisfied share reaches the level: weight times share.
  void count(const table::Columns& rows, const OutOfBagRows& out_of_bag, int n_threads, runtime::StopPoll& poll, double* full,
             double* partial) const;

 private:
  // Rules of one class, weight and length: members_[begin, end).
  struct Group {
    std::int32_t label;
    double weight;
    std::size_t length, begin, end;
    std::vector<Bucket> buckets;
    bool closes_weight;   // the last group of this class and weight
    std::size_t n_alike;  // rules of this class and weight
  };
  struct Scratch;

  std::vector<Bucket> buckets_of(std::size_t length) const;
  void count_block(const table::Columns& rows, const OutOfBagRows& out_of_bag, std::size_t begin, std::size_t end,
                   Scratch& scratch, double* full, double* partial) const;
  void count_group(const Group& group, const RowBits& all, bool masked, Scratch& scratch) const;
  void flush(const Group& group, std::size_t begin, std::size_t n, std::size_t n_rows, Scratch& scratch, double* full,
             double* partial) const;

  const RuleSet& rules_;
  ConditionBits conditions_;
  std::vector<double> levels_;
  std::vector<std::size_t> members_;
  std::vector<Group> groups_;
};

}  // namespace sightline::model
