#include "sightline/learn/c45/grow.hpp"

#include <memory>
#include <numeric>

#include "sightline/learn/c45/branches.hpp"
#include "sightline/learn/c45/row_stacks.hpp"
#include "sightline/learn/c45/split.hpp"
#include "sightline/learn/midpoint.hpp"

namespace sightline::learn::c45 {
namespace {

class Grower {
 public:
  Grower(const TrainingSet& training, const GrowOptions& options, const table::Orders* orders, runtime::StopPoll& poll)
      : training_(training),
        options_(options),
        orders_(orders),
        poll_(poll),
        features_(training.features()),
        value_splits_(value_splits(training, features_, options)),
        stacks_(training, orders, poll),
        row_weight_(std::make_unique_for_overwrite<double[]>(training.size())),
        finder_(options, training.n_classes, training.label, {row_weight_.get(), training.size()}, training.weight) {
    partition_.branch.resize(training.size());
    tree_.clear(training.n_classes);
    tree_.rows.reserve(training.size());
    copy_codes();
    double weight_of_all = static_cast<double>(training.size());
    if (!training.weight.empty()) weight_of_all = std::accumulate(training.weight.begin(), training.weight.end(), 0.0);
    counts_in_average_ = features_in_average(*training.columns, features_, value_splits_, weight_of_all);
  }

  GrownTree grow() {
    waiting_.push_back({-1, 0, 0});
    while (!waiting_.empty()) {
      poll_();
      const Waiting next = waiting_.back();
      waiting_.pop_back();
      const model::NodeId node = add_node(next);
      const std::int32_t chosen = may_split(next.depth) ? find_test() : -1;
      if (chosen < 0) {
        make_leaf(node);
      } else {
        split(node, features_[chosen], candidates_[chosen], next.depth);
      }
    }
    settle_thresholds();
    return std::move(tree_);
  }

 private:
  static constexpr std::size_t kCellsBetweenPolls = 10'000;

  struct Waiting {
    model::NodeId parent;
    std::size_t branch;
    std::int32_t depth;
  };

  // Copies the codes of nominal columns in the order of the training rows.
  void copy_codes() {
    const table::Columns& columns = *training_.columns;
    codes_.resize(columns.size());
    for (const std::uint32_t f : features_) {
      if (!columns[f].is_nominal()) continue;
      poll_();
      codes_[f].reserve(training_.size());
      for (std::uint32_t row = 0; row < training_.size(); ++row) {
        const std::int32_t code = training_.code(f, row);
        codes_[f].push_back(code >= 0 && code < columns[f].n_values() ? code : table::kMissingCode);
      }
    }
  }

  model::NodeId add_node(const Waiting& waiting) {
    class_counts_.assign(training_.n_classes, 0.0);
    const auto rows = stacks_.rows();
    if (stacks_.unit_weights()) {
      for (const std::uint32_t row : rows) class_counts_[training_.label[row]] += 1;
    } else {
      const auto weights = stacks_.weights();
      for (std::size_t i = 0; i < rows.size(); ++i) {
        class_counts_[training_.label[rows[i]]] += weights[i];
        row_weight_[rows[i]] = weights[i];
      }
    }
    counts_.set(class_counts_);
    const model::NodeId node = tree_.add_node(counts_.per_class, counts_.weight);
    if (waiting.parent >= 0) tree_.set_child(waiting.parent, waiting.branch, node);
    return node;
  }

  bool may_split(std::int32_t depth) const {
    return (options_.max_depth < 0 || depth < options_.max_depth) &&
           !pure_or_small(counts_.per_class, counts_.weight, options_.min_leaf);
  }

  // The index of the best test among the features, or -1 for a leaf.
  std::int32_t find_test() {
    const table::Columns& columns = *training_.columns;
    const bool unit = stacks_.unit_weights();
    candidates_.clear();
    for (const std::uint32_t f : features_) {
      candidates_.push_back(
          columns[f].is_nominal()
              ? finder_.nominal(codes_[f], columns[f].n_values(), value_splits_[f], stacks_.rows(), counts_, unit)
              : finder_.numeric({stacks_.sorted_values(f), stacks_.sorted_rows(f)}, stacks_.rows().size(), counts_, unit));
      // Reading the clock takes as long as scanning a few rows.
      n_cells_since_poll_ += stacks_.rows().size();
      if (n_cells_since_poll_ < kCellsBetweenPolls) continue;
      n_cells_since_poll_ = 0;
      poll_();
    }
    return choose(candidates_, counts_in_average_);
  }

  void make_leaf(model::NodeId node) {
    const auto rows = stacks_.rows();
    const std::size_t first = tree_.rows.size();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      tree_.rows.push_back({rows[i], stacks_.unit_weights() ? 1.0 : stacks_.weights()[i]});
    }
    tree_.close_leaf(node, first);
    stacks_.pop();
  }

  void split(model::NodeId node, std::uint32_t feature, const Candidate& chosen, std::int32_t depth) {
    GrownNode& grown = tree_.nodes[node];
    const table::Column& column = (*training_.columns)[feature];
    grown.feature = static_cast<std::int32_t>(feature);
    std::size_t n_branches = 2;
    if (!column.is_nominal()) {
      grown.test = model::Test::kThreshold;
      grown.threshold = midpoint(chosen.below, chosen.above);
    } else if (value_splits_[feature] != ValueSplit::kEach) {
      tree_.set_values(node, chosen.values);
    } else {
      grown.test = model::Test::kMultiway;
      n_branches = column.n_values();
    }
    assign_branches(grown, chosen, n_branches);
    tree_.open(node, n_branches);
    for (std::size_t b = n_branches; b-- > 0;) waiting_.push_back({node, b, depth + 1});
    stacks_.split(partition_);
  }

  void assign_branches(const GrownNode& grown, const Candidate& chosen, std::size_t n_branches) {
    const auto rows = stacks_.rows();
    auto& branch = partition_.branch;
    if (grown.test == model::Test::kThreshold) {
      const auto sorted = stacks_.sorted_rows(grown.feature);
      if (sorted.size() < rows.size()) {
        for (const std::uint32_t row : rows) branch[row] = kEveryBranch;
      }
      for (std::size_t i = 0; i < sorted.size(); ++i) branch[sorted[i]] = i >= chosen.cut;
    } else {
      const auto& code = codes_[grown.feature];
      for (const std::uint32_t row : rows) {
        if (code[row] < 0) {
          branch[row] = kEveryBranch;
        } else {
          branch[row] = grown.test == model::Test::kMultiway ? code[row] : !is_among(chosen.values, code[row]);
        }
      }
    }
    share_missing(n_branches);
  }

  void share_missing(std::size_t n_branches) {
    const std::span<const double> weight(row_weight_.get(), stacks_.unit_weights() ? 0 : training_.size());
    const std::size_t n_classes = training_.n_classes;
    shares_.find(stacks_.rows(), partition_.branch, training_.label, weight, n_branches, n_classes);
    partition_.missing_share = shares_.share;
    partition_.shares_rows = shares_.shares_rows;
    partition_.keeps_order.resize(n_branches);
    NodeCounts child;
    for (std::size_t b = 0; b < n_branches; ++b) {
      child.set({shares_.counts.data() + b * n_classes, n_classes});
      partition_.keeps_order[b] = !pure_or_small(child.per_class, child.weight, options_.min_leaf);
    }
  }

  // Moves every threshold down to the next value of the whole training set. This is done at the end, one column at a time,
  // because keeping the sorted values would double the memory.
  void settle_thresholds() {
    for (const std::uint32_t f : features_) {
      std::vector<double> values;
      for (GrownNode& node : tree_.nodes) {
        if (node.test != model::Test::kThreshold || node.feature != static_cast<std::int32_t>(f)) continue;
        if (values.empty()) values = sorted_values(f);
        poll_();
        node.threshold = settled(node.threshold, values);
      }
    }
  }

  std::vector<double> sorted_values(std::size_t feature) const {
    const table::Column& column = (*training_.columns)[feature];
    std::vector<bool> used(training_.columns->n_rows(), false);
    for (const std::uint32_t row : training_.table_row) used[row] = true;
    table::ColumnSorter sorter;
    const std::size_t n_rows = training_.columns->n_rows();
    const auto& order = orders_ == nullptr ? sorter.ascending_rows(column, n_rows) : (*orders_)[feature];
    std::vector<double> values;
    for (const std::uint32_t row : order) {
      const double value = column.number(row) + 0.0;
      if (used[row] && (values.empty() || values.back() < value)) values.push_back(value);
    }
    return values;
  }

  const TrainingSet& training_;
  const GrowOptions& options_;
  const table::Orders* orders_;
  runtime::StopPoll& poll_;
  std::vector<std::uint32_t> features_;
  std::vector<ValueSplit> value_splits_;  // per feature
  RowStacks stacks_;
  // Written only for the rows of nodes that have weights, so other memory is never touched.
  std::unique_ptr<double[]> row_weight_;
  SplitFinder finder_;
  RowStacks::Partition partition_;
  std::vector<std::vector<std::int32_t>> codes_;
  std::vector<bool> counts_in_average_;  // per index in features_

  GrownTree tree_;
  std::vector<Waiting> waiting_;
  NodeCounts counts_;
  std::vector<Candidate> candidates_;  // per index in features_
  std::vector<double> class_counts_;
  BranchShares shares_;
  std::size_t n_cells_since_poll_ = 0;
};

}  // namespace

GrownTree grow(const TrainingSet& training, const GrowOptions& options, const table::Orders* orders, runtime::StopPoll& poll) {
  return Grower(training, options, orders, poll).grow();
}

}  // namespace sightline::learn::c45
