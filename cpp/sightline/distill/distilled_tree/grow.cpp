#include "sightline/distill/distilled_tree/grow.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>

#include "sightline/runtime/parallel.hpp"

namespace sightline::distill::distilled_tree {
namespace {

constexpr double kMinGain = 1e-9;
// Below this many additions a thread costs more than it saves.
constexpr std::size_t kWorthThreads = 400'000;

struct Split {
  double gain = kMinGain;
  std::int32_t feature = -1;
  std::int32_t cut = -1;
  CodeSet to_yes;
};

// The targets of which some row of a leaf has a part: of a thousand classes a small leaf has a few.
class LeafTargets {
 public:
  // For the rows of any leaf.
  explicit LeafTargets(const DistillationRows& rows) : rows_(rows), index_(rows.n_targets(), kAbsent) {
    if (!rows.has_full_targets()) return;
    list_.resize(rows.n_targets());
    std::iota(list_.begin(), list_.end(), std::size_t{0});
    std::iota(index_.begin(), index_.end(), std::size_t{0});
  }

  void find(std::span<const std::uint32_t> of) {
    if (is_every()) return;
    for (const std::size_t k : list_) index_[k] = kAbsent;
    list_.clear();
    for (const std::uint32_t row : of) {
      rows_.target(row).for_each([&](std::size_t k, float) {
        if (index_[k] == kAbsent) list_.push_back(k);
        index_[k] = 0;
      });
    }
    std::sort(list_.begin(), list_.end());
    for (std::size_t i = 0; i < list_.size(); ++i) index_[list_[i]] = i;
  }

  // Rows with their zeros have a part of every target.
  bool is_every() const { return rows_.has_full_targets(); }
  std::size_t size() const { return list_.size(); }
  std::size_t operator[](std::size_t i) const { return list_[i]; }
  std::size_t index_of(std::size_t target) const { return index_[target]; }

 private:
  static constexpr std::size_t kAbsent = std::numeric_limits<std::size_t>::max();

  const DistillationRows& rows_;
  std::vector<std::size_t> list_;   // ascending
  std::vector<std::size_t> index_;  // in the list, per target
};

// Per bin of one feature: importance times target, then the weight of the training rows and the
// importance of all rows.
class Histogram {
 public:
  Histogram(const DistillationRows& rows, const LeafTargets& targets, std::size_t feature, std::span<const std::uint32_t> of)
      : width_(targets.size() + 2), n_bins_(rows.bins()[feature].n_bins), cells_((n_bins_ + 1) * width_, 0.0) {
    if (targets.is_every()) {
      fill(rows, feature, of, [](std::size_t k) { return k; });
    } else {
      fill(rows, feature, of, [&](std::size_t k) { return targets.index_of(k); });
    }
  }

  std::span<const double> operator[](std::size_t bin) const { return {cells_.data() + index(bin) * width_, width_}; }
  double weight(std::size_t bin) const { return cells_[index(bin) * width_ + width_ - 1]; }

 private:
  template <class IndexOf>
  void fill(const DistillationRows& rows, std::size_t feature, std::span<const std::uint32_t> of, IndexOf index_of) {
    const Code* codes = rows.codes(feature);
    for (const std::uint32_t row : of) {
      double* cell = cells_.data() + index(codes[row]) * width_;
      const double importance = rows.importance(row);
      rows.target(row).for_each([&](std::size_t k, float target) { cell[index_of(k)] += importance * target; });
      cell[width_ - 2] += rows.is_artificial(row) ? 0 : rows.weight(row);
      cell[width_ - 1] += importance;
    }
  }

  // Missing values come after the known bins: leaves are small, and clearing cells is expensive.
  std::size_t index(std::size_t bin) const { return std::min(bin, n_bins_); }

  std::size_t width_;
  std::size_t n_bins_;
  std::vector<double> cells_;
};

void add(std::vector<double>& to, std::span<const double> what) {
  for (std::size_t k = 0; k < what.size(); ++k) to[k] += what[k];
}

// The best test of one feature for the rows of one leaf.
class FeatureScan {
 public:
  FeatureScan(const DistillationRows& rows, const LeafTargets& targets, const GrowthOptions& options, std::size_t feature,
              std::span<const std::uint32_t> of)
      : bins_(rows.bins()[feature]),
        options_(options),
        feature_(static_cast<std::int32_t>(feature)),
        targets_(targets),
        histogram_(rows, targets, feature, of),
        objective_(rows.objective()),
        min_leaf_(rows.limits().min_leaf),
        n_targets_(rows.n_targets()),
        width_(targets.size() + 2),
        total_(width_, 0.0),
        yes_(width_),
        no_(width_) {
    for (std::size_t bin = 0; bin < bins_.n_bins; ++bin) add(total_, histogram_[bin]);
    add(total_, histogram_[kMissingBin]);
    base_ = score(total_);
  }

  Split best() {
    if (bins_.nominal) {
      one_value_against_the_rest();
      values_in_order();
    } else {
      numeric();
    }
    return best_;
  }

 private:
  double score(const std::vector<double>& sums) const {
    const double weight = sums[width_ - 1];
    if (!(weight > 0)) return 0;
    double squares = 0;
    for (std::size_t k = 0; k + 2 < width_; ++k) squares += sums[k] * sums[k];
    const double mixed = options_.criterion == Criterion::kMixed ? objective_.label * worth(sums) : 0;
    return std::max(1.0, objective_.target) * squares / weight + mixed;
  }

  // Of the best label.
  double worth(const std::vector<double>& sums) const {
    if (objective_.worth.empty()) return std::max(0.0, *std::max_element(sums.begin(), sums.end() - 2));
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < n_targets_; ++c) {
      double own = 0;
      for (std::size_t i = 0; i < targets_.size(); ++i) own += sums[i] * objective_.worth[targets_[i] * n_targets_ + c];
      most = std::max(most, own);
    }
    return most;
  }

  bool is_large_enough(const std::vector<double>& sums) const {
    return sums[width_ - 1] >= options_.min_weight && sums[width_ - 2] >= min_leaf_;
  }

  // Tries `known` as the yes side, with the missing values on either side.
  void consider(const std::vector<double>& known, std::int32_t cut, std::span<const Code> values) {
    const bool any_missing = histogram_.weight(kMissingBin) > 0;
    for (const bool missing_yes : {false, true}) {
      if (missing_yes && !any_missing) return;
      yes_ = known;
      if (missing_yes) add(yes_, histogram_[kMissingBin]);
      for (std::size_t k = 0; k < width_; ++k) no_[k] = total_[k] - yes_[k];
      if (!is_large_enough(yes_) || !is_large_enough(no_)) continue;
      const double gain = score(yes_) + score(no_) - base_;
      if (!(gain > best_.gain)) continue;
      best_.gain = gain;
      best_.feature = feature_;
      best_.cut = cut;
      best_.to_yes = cut >= 0 ? CodeSet::up_to(static_cast<Code>(cut)) : CodeSet();
      for (const Code value : values) best_.to_yes.insert(value);
      // If no value is missing here, missing values follow the larger side.
      const bool larger_yes = 2 * yes_[width_ - 1] >= total_[width_ - 1];
      if (any_missing ? missing_yes : larger_yes) best_.to_yes.insert(kMissingBin);
    }
  }

  void numeric() {
    std::vector<double> known(width_, 0.0);
    for (std::size_t bin = 0; bin + 1 < bins_.n_bins; ++bin) {
      if (histogram_.weight(bin) == 0) continue;
      add(known, histogram_[bin]);
      consider(known, static_cast<std::int32_t>(bin), {});
    }
  }

  void one_value_against_the_rest() {
    for (std::size_t bin = 0; bin < bins_.n_bins; ++bin) {
      if (histogram_.weight(bin) == 0) continue;
      const auto cell = histogram_[bin];
      const Code code = static_cast<Code>(bin);
      consider({cell.begin(), cell.end()}, -1, {&code, 1});
    }
  }

  // Values sorted by the share of the most probable class, or by the mean number. With two classes
  // or numbers, the best set is a prefix of that order (Breiman et al. 1984, theorem 4.5).
  void values_in_order() {
    const std::size_t top = std::max_element(total_.begin(), total_.end() - 2) - total_.begin();
    std::vector<Code> values;
    for (std::size_t bin = 0; bin < bins_.n_bins; ++bin) {
      if (histogram_.weight(bin) > 0) values.push_back(static_cast<Code>(bin));
    }
    std::stable_sort(values.begin(), values.end(), [&](Code a, Code b) {
      return histogram_[a][top] / histogram_.weight(a) < histogram_[b][top] / histogram_.weight(b);
    });
    std::vector<double> known(width_, 0.0);
    for (std::size_t i = 0; i + 1 < values.size(); ++i) {
      add(known, histogram_[values[i]]);
      if (i > 0) consider(known, -1, {values.data(), i + 1});
    }
  }

  const FeatureBins& bins_;
  const GrowthOptions& options_;
  std::int32_t feature_;
  const LeafTargets& targets_;
  Histogram histogram_;
  const Objective& objective_;
  double min_leaf_;
  std::size_t n_targets_;
  std::size_t width_;
  std::vector<double> total_;
  std::vector<double> yes_;
  std::vector<double> no_;
  double base_ = 0;
  Split best_;
};

class Grower {
 public:
  Grower(SmallTree& tree, const DistillationRows& rows, const GrowthOptions& options, runtime::StopPoll& poll)
      : tree_(tree),
        rows_(rows),
        options_(options),
        poll_(poll),
        node_rows_(tree.node_rows(rows)),
        fit_(rows),
        targets_(rows),
        features_(rows.testable_features()),
        used_(tree, rows.limits(), rows.n_features()),
        depth_(tree.n_nodes(), 0) {
    for (model::NodeId v = 0; v < static_cast<model::NodeId>(tree.n_nodes()); ++v) set_depths(v);
  }

  void grow(std::size_t n_leaves) {
    std::size_t have = 0;
    for (model::NodeId v = 0; v < static_cast<model::NodeId>(tree_.n_nodes()); ++v) {
      if (!tree_[v].is_leaf()) continue;
      ++have;
      open(v);
    }
    while (have < n_leaves && !waiting_.empty()) {
      const model::NodeId v = waiting_.top().second;
      waiting_.pop();
      if (!used_.allows(splits_[v].feature)) {  // the last column that the tree may test was taken in between
        open(v);
        continue;
      }
      used_.use(splits_[v].feature);
      tree_.split(v, splits_[v].feature, splits_[v].cut, splits_[v].to_yes);
      node_rows_.divide(v, tree_[v], rows_);
      depth_.resize(tree_.n_nodes());
      set_depths(v);
      ++have;
      for (const model::NodeId child : {tree_[v].yes, tree_[v].no}) {
        if (!node_rows_.of(child).empty()) fit_(node_rows_.of(child), tree_[child]);
        if (have < n_leaves) open(child);
      }
    }
  }

 private:
  // Of the children; that of the node is known.
  void set_depths(model::NodeId v) {
    if (tree_[v].is_leaf()) return;
    for (const model::NodeId child : {tree_[v].yes, tree_[v].no}) depth_[child] = std::max(depth_[child], depth_[v] + 1);
  }

  void open(model::NodeId v) {
    if (splits_.size() < tree_.n_nodes()) splits_.resize(tree_.n_nodes());
    const std::size_t max_depth = rows_.limits().max_depth;
    if (node_rows_.of(v).size() < 2 || (max_depth > 0 && depth_[v] >= max_depth)) return;
    splits_[v] = best_split(node_rows_.of(v));
    if (splits_[v].feature >= 0) waiting_.push({splits_[v].gain, v});
  }

  Split best_split(std::span<const std::uint32_t> of) {
    if (features_.empty()) return {};
    std::vector<Split> best(features_.size());
    targets_.find(of);
    const bool worth = of.size() * features_.size() * (targets_.size() + 2) > kWorthThreads;
    runtime::parallel_blocks(features_.size(), 1, worth ? options_.n_threads : 1, poll_, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (used_.allows(features_[i])) best[i] = FeatureScan(rows_, targets_, options_, features_[i], of).best();
      }
    });
    // Ties go to the lower feature.
    const auto by_gain = [](const Split& a, const Split& b) { return a.gain < b.gain; };
    const Split& largest = *std::max_element(best.begin(), best.end(), by_gain);
    const auto by_preference = [&](const Split& a, const Split& b) { return preferred_gain(a) < preferred_gain(b); };
    const Split& preferred = *std::max_element(best.begin(), best.end(), by_preference);
    return preferred_gain(preferred) >= (1 - kNearlyEqual) * largest.gain ? preferred : largest;
  }

  double preferred_gain(const Split& split) const {
    return split.feature >= 0 && rows_.limits().prefers(split.feature) ? split.gain : 0;
  }

  struct LessUrgent {
    bool operator()(const std::pair<double, model::NodeId>& a, const std::pair<double, model::NodeId>& b) const {
      return a.first < b.first || (a.first == b.first && a.second > b.second);
    }
  };

  SmallTree& tree_;
  const DistillationRows& rows_;
  const GrowthOptions& options_;
  runtime::StopPoll& poll_;
  NodeRows node_rows_;
  LeafFit fit_;
  LeafTargets targets_;
  std::vector<std::size_t> features_;
  UsedColumns used_;
  std::vector<std::size_t> depth_;
  std::vector<Split> splits_;
  std::priority_queue<std::pair<double, model::NodeId>, std::vector<std::pair<double, model::NodeId>>, LessUrgent> waiting_;
};

}  // namespace

void grow(SmallTree& tree, const DistillationRows& rows, std::size_t n_leaves, const GrowthOptions& options,
          runtime::StopPoll& poll) {
  tree.compact();
  tree.refit(rows);
  Grower(tree, rows, options, poll).grow(n_leaves);
  tree.compact();
}

}  // namespace sightline::distill::distilled_tree
