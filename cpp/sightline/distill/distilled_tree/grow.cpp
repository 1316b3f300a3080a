#include "sightline/distill/distilled_tree/grow.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <numeric>
#include <queue>

#include "sightline/runtime/parallel.hpp"

namespace sightline::distill::distilled_tree {
namespace {

// Below this many additions a thread costs more than it saves.
constexpr std::size_t kWorthThreads = 400'000;

// The targets with nonzero parts in some row of a leaf: of a thousand classes a small leaf has a few.
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

// Calls work<width>() for numbers, two classes and three classes, else work<0>(): loops of known length are faster.
template <class Work>
auto with_width(std::size_t width, Work work) {
  switch (width) {
    case 3:
      return work.template operator()<3>();
    case 4:
      return work.template operator()<4>();
    case 5:
      return work.template operator()<5>();
    default:
      return work.template operator()<0>();
  }
}

// Per bin of one feature: importance times target, then the weight of the training rows and the
// importance of all rows.
class Histogram {
 public:
  Histogram(std::size_t n_bins, std::size_t width) : width_(width), n_bins_(n_bins), cells_((n_bins + 1) * width, 0.0) {}

  // Missing values come after the known bins: leaves are small, and clearing cells is expensive.
  double* cell(std::size_t bin) { return cells_.data() + std::min(bin, n_bins_) * width_; }
  std::span<const double> operator[](std::size_t bin) const { return {cells_.data() + std::min(bin, n_bins_) * width_, width_}; }
  double weight(std::size_t bin) const { return (*this)[bin][width_ - 1]; }

 private:
  std::size_t width_;
  std::size_t n_bins_;
  std::vector<double> cells_;
};

// The rows of a leaf, and what each adds to its bin of any feature.
class LeafRows {
 public:
  // Features whose histograms are filled at once. An addition waits for the one before it in the same cell, and
  // columns with two bins have nothing but such neighbors.
  static constexpr std::size_t kTogether = 4;

  LeafRows(const DistillationRows& rows, const LeafTargets& targets, std::span<const std::uint32_t> of)
      : rows_(rows), targets_(targets), of_(of), width_(targets.size() + 2) {
    if (!targets.is_every() || width_ > kMaxWidth) return;
    parts_.resize(of.size() * width_);
    double* part = parts_.data();
    for (const std::uint32_t row : of) {
      add(row, part, [](std::size_t k) { return k; });
      part += width_;
    }
  }

  // Of at most kTogether features.
  std::vector<Histogram> histograms(std::span<const std::size_t> features) const {
    std::vector<Histogram> found;
    for (const std::size_t f : features) found.emplace_back(rows_.bins()[f].n_bins, width_);
    if (!parts_.empty() && found.size() == kTogether) {
      with_width(width_, [&]<std::size_t kWidth> { fill_together<kWidth>(features, found); });
    } else {
      for (std::size_t i = 0; i < features.size(); ++i) fill(features[i], found[i]);
    }
    return found;
  }

 private:
  // With more targets the parts of all rows would take more memory than it saves time.
  static constexpr std::size_t kMaxWidth = 8;

  template <class IndexOf>
  void add(std::uint32_t row, double* cell, IndexOf index_of) const {
    const double importance = rows_.importance(row);
    rows_.target(row).for_each([&](std::size_t k, float target) { cell[index_of(k)] += importance * target; });
    cell[width_ - 2] += rows_.is_artificial(row) ? 0 : rows_.weight(row);
    cell[width_ - 1] += importance;
  }

  void fill(std::size_t feature, Histogram& histogram) const {
    const Code* codes = rows_.codes(feature);
    for (const std::uint32_t row : of_) {
      double* cell = histogram.cell(codes[row]);
      if (targets_.is_every()) {
        add(row, cell, [](std::size_t k) { return k; });
      } else {
        add(row, cell, [&](std::size_t k) { return targets_.index_of(k); });
      }
    }
  }

  template <std::size_t kWidth>
  void fill_together(std::span<const std::size_t> features, std::vector<Histogram>& to) const {
    const std::size_t width = kWidth > 0 ? kWidth : width_;
    std::array<const Code*, kTogether> codes;
    for (std::size_t j = 0; j < kTogether; ++j) codes[j] = rows_.codes(features[j]);
    const double* part = parts_.data();
    for (const std::uint32_t row : of_) {
      for (std::size_t j = 0; j < kTogether; ++j) {
        double* cell = to[j].cell(codes[j][row]);
        for (std::size_t k = 0; k < width; ++k) cell[k] += part[k];
      }
      part += width;
    }
  }

  const DistillationRows& rows_;
  const LeafTargets& targets_;
  std::span<const std::uint32_t> of_;
  std::size_t width_;
  std::vector<double> parts_;  // per row; empty: added up again for every feature
};

// The best test of one feature for the rows of one leaf.
template <std::size_t kWidth>
class FeatureScan {
 public:
  FeatureScan(const DistillationRows& rows, const LeafTargets& targets, const GrowthOptions& options, std::size_t feature,
              const Histogram& histogram)
      : bins_(rows.bins()[feature]),
        options_(options),
        feature_(static_cast<std::int32_t>(feature)),
        targets_(targets),
        histogram_(histogram),
        objective_(rows.objective()),
        min_leaf_(rows.limits().min_leaf),
        n_targets_(rows.n_targets()),
        n_sums_(targets.size() + 2),
        total_(width(), 0.0),
        yes_(width()),
        no_(width()) {
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
  std::size_t width() const { return kWidth > 0 ? kWidth : n_sums_; }

  void add(std::vector<double>& to, std::span<const double> what) const {
    for (std::size_t k = 0; k < width(); ++k) to[k] += what[k];
  }

  double score(const std::vector<double>& sums) const {
    const double weight = sums[width() - 1];
    if (!(weight > 0)) return 0;
    double squares = 0;
    for (std::size_t k = 0; k + 2 < width(); ++k) squares += sums[k] * sums[k];
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
    return sums[width() - 1] >= options_.min_weight && sums[width() - 2] >= min_leaf_;
  }

  // Tries `known` as the yes side, with the missing values on either side.
  void consider(const std::vector<double>& known, std::int32_t cut, std::span<const Code> values) {
    const bool any_missing = histogram_.weight(kMissingBin) > 0;
    for (const bool missing_yes : {false, true}) {
      if (missing_yes && !any_missing) return;
      std::copy_n(known.begin(), width(), yes_.begin());
      if (missing_yes) add(yes_, histogram_[kMissingBin]);
      for (std::size_t k = 0; k < width(); ++k) no_[k] = total_[k] - yes_[k];
      if (!is_large_enough(yes_) || !is_large_enough(no_)) continue;
      const double gain = score(yes_) + score(no_) - base_;
      if (!(gain > best_.gain)) continue;
      best_.gain = gain;
      best_.feature = feature_;
      best_.cut = cut;
      best_.to_yes = cut >= 0 ? CodeSet::up_to(static_cast<Code>(cut)) : CodeSet();
      for (const Code value : values) best_.to_yes.insert(value);
      // If no value is missing here, missing values follow the larger side.
      const bool larger_yes = 2 * yes_[width() - 1] >= total_[width() - 1];
      if (any_missing ? missing_yes : larger_yes) best_.to_yes.insert(kMissingBin);
    }
  }

  void numeric() {
    std::vector<double> known(width(), 0.0);
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
    std::vector<double> known(width(), 0.0);
    for (std::size_t i = 0; i + 1 < values.size(); ++i) {
      add(known, histogram_[values[i]]);
      if (i > 0) consider(known, -1, {values.data(), i + 1});
    }
  }

  const FeatureBins& bins_;
  const GrowthOptions& options_;
  std::int32_t feature_;
  const LeafTargets& targets_;
  const Histogram& histogram_;
  const Objective& objective_;
  double min_leaf_;
  std::size_t n_targets_;
  std::size_t n_sums_;
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
    splits_[v] = known_split(node_rows_.of(v));
    if (splits_[v].feature >= 0) waiting_.push({splits_[v].gain, v});
  }

  Split known_split(std::span<const std::uint32_t> of) {
    // Where columns are limited, the best test depends on the rest of the tree.
    if (features_.size() < kWorthCache || rows_.limits().max_columns > 0) return best_split(of);
    const LeafKey key(of, static_cast<std::uint8_t>(options_.criterion), options_.min_weight, rows_.limits().min_leaf);
    if (const auto known = rows_.splits().find(key)) return *known;
    const Split split = best_split(of);
    rows_.splits().insert(key, split);
    return split;
  }

  Split best_split(std::span<const std::uint32_t> of) {
    std::vector<std::size_t> features;
    std::copy_if(features_.begin(), features_.end(), std::back_inserter(features),
                 [&](std::size_t f) { return used_.allows(f); });
    if (features.empty()) return {};
    std::vector<Split> best(features.size());
    targets_.find(of);
    const LeafRows leaf(rows_, targets_, of);
    const bool worth = of.size() * features.size() * (targets_.size() + 2) > kWorthThreads;
    const auto scan = [&](std::size_t begin, std::size_t end) {
      const auto histograms = leaf.histograms(std::span(features).subspan(begin, end - begin));
      for (std::size_t i = begin; i < end; ++i) {
        best[i] = with_width(targets_.size() + 2, [&]<std::size_t kWidth> {
          return FeatureScan<kWidth>(rows_, targets_, options_, features[i], histograms[i - begin]).best();
        });
      }
    };
    runtime::parallel_blocks(features.size(), LeafRows::kTogether, worth ? options_.n_threads : 1, poll_, scan);
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
