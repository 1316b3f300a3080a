// Tests one feature in every branch of a growing stump at once.
#pragma once

#include <cstdint>
#include <vector>

#include "sightline/learn/c45/measures.hpp"
#include "sightline/learn/stumps/rows.hpp"
#include "sightline/model/decision_nodes.hpp"

namespace sightline::learn::stumps {

struct StumpOptions {
  std::int32_t max_depth = 2;
  std::int32_t min_leaf = 2;    // rows on each side of a cut; in at least two branches of a multiway test
  bool binary_nominal = false;  // one value against the rest instead of one branch per value
};

// The parts into which the tests so far divide the training rows.
struct Parts {
  std::vector<std::int32_t> label;   // per part: its label as a leaf
  std::vector<std::int32_t> n_rows;  // per part
  std::vector<std::int32_t> weight;  // per part and class

  std::size_t size() const { return label.size(); }
  void clear() {
    label.clear();
    n_rows.clear();
    weight.clear();
  }
};

struct PartSplit {
  model::Test test = model::Test::kLeaf;  // kLeaf: not split; it is the part at first_child
  std::int32_t value = 0;                 // of a kSubset test
  std::int32_t missing_branch = 0;
  std::int32_t n_branches = 1;
  std::int32_t first_child = 0;  // index among the parts below; the other children follow
  double threshold = 0;
};

// A level of a stump: the split of every part by one feature, and the parts below.
struct Level {
  std::int32_t feature = -1;
  std::vector<PartSplit> split;  // per part above
  Parts below;
};

// Finds the cuts with the largest information gain in one scan of the column for all parts.
class StumpSplitter {
 public:
  // `weight`: how often each row counts.
  StumpSplitter(const StumpRows& rows, const StumpOptions& options, const std::vector<std::int32_t>& weight);

  // All rows in one part.
  Parts whole() const;
  // Splits every part that the feature can split; false if there is none.
  bool split(const Parts& parts, const std::vector<std::int32_t>& part_of, std::int32_t feature, Level& level);
  // Whether one path may test the feature twice.
  bool may_repeat(std::int32_t feature) const { return !rows_[feature].is_nominal || options_.binary_nominal; }
  // The part below that each row belongs to.
  void descend(const Level& level, const std::vector<std::int32_t>& part_of, std::vector<std::int32_t>& below) const;

 private:
  void find_known(const Parts& parts, const std::vector<std::int32_t>& part_of, const StumpColumn& column);
  template <bool kOnce>
  void find_cuts(const StumpColumn& column);
  void find_cut(std::size_t part, double below, double above);
  void count_values(const Parts& parts, const std::vector<std::int32_t>& part_of, const StumpColumn& column);
  void add_cut(const Parts& parts, std::size_t part, Level& level);
  void add_whole(const Parts& parts, std::size_t part, Level& level);
  void add_multiway(const Parts& parts, std::size_t part, std::int32_t n_values, Level& level);
  void add_one_value(const Parts& parts, std::size_t part, std::int32_t n_values, Level& level);
  void add_below(const Parts& parts, std::size_t part, const std::int32_t* known, std::int32_t n_rows, bool takes_missing,
                 Level& level);
  double disorder(const std::int32_t* weight, std::int32_t total) const;
  double disorder_without(const std::int32_t* all, std::int32_t total, const std::int32_t* weight, std::int32_t part_total) const;

  const StumpRows& rows_;
  const StumpOptions& options_;
  const std::vector<std::int32_t>& weight_;
  bool each_row_once_;
  std::size_t n_classes_;
  c45::XlogxTable xlogx_;

  // State of a scan: what lies to its left, per part.
  struct Scan {
    std::int32_t n_left, n_known;
    std::int32_t left_total, known_total;
    std::int32_t best_n_left;
    double last_value, best_score, threshold;
    bool found;
  };
  // Part and label of each row in one word, because a scan reads rows in random order.
  static constexpr int kLabelBits = 6;
  static_assert(1 << kLabelBits == kMaxClasses);
  std::vector<std::uint32_t> part_and_label_;
  std::vector<Scan> scan_;
  std::vector<std::int32_t> known_, left_, best_left_;  // per part and class
  // Per part, value and class; rows per part and value.
  std::vector<std::int32_t> value_weight_, value_rows_;
  std::vector<std::int32_t> rest_;
};

}  // namespace sightline::learn::stumps
