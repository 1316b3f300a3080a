#include "sightline/distill/distilled_tree/refine.hpp"

#include <algorithm>
#include <numeric>

#include "sightline/distill/distilled_tree/alternate.hpp"
#include "sightline/distill/distilled_tree/grow.hpp"
#include "sightline/distill/distilled_tree/prune.hpp"
#include "sightline/model/ensemble.hpp"

namespace sightline::distill::distilled_tree {
namespace {

constexpr int kMaxPasses = 12;
constexpr int kMaxRegrowths = 8;

class Refinement {
 public:
  Refinement(const DistillationRows& rows, const Recipe& recipe, runtime::StopPoll& poll)
      : rows_(rows), recipe_(recipe), poll_(poll) {}

  SmallTree run() {
    SmallTree best;
    double best_loss = improved(best, Criterion::kSquares, kOverGrowth * recipe_.n_leaves);
    for (int round = 0; round < recipe_.search_rounds; ++round) {
      SmallTree tree = best;
      const double loss = improved(tree, Criterion::kMixed, over_grown(round));
      if (loss < best_loss) {
        best = std::move(tree);
        best_loss = loss;
      }
    }
    return best;
  }

 private:
  // A quarter more leaves, half more, twice and three times as many, then from the start.
  std::size_t over_grown(int round) const {
    const std::size_t n = recipe_.n_leaves;
    return n + std::max<std::size_t>(1, (n << (round % 4)) / 4);
  }

  // Overgrows a tree, optimizes and prunes it; returns its loss.
  double improved(SmallTree& tree, Criterion criterion, std::size_t over_grown) {
    grow_to(tree, criterion, over_grown);
    alternate(tree, rows_, kMaxPasses, recipe_.n_threads, poll_);
    prune_to(tree, rows_, recipe_.n_leaves, poll_);
    double loss = alternate(tree, rows_, kMaxPasses, recipe_.n_threads, poll_);
    for (int i = 0; i < kMaxRegrowths; ++i) {
      SmallTree next = tree;
      grow_to(next, Criterion::kMixed, recipe_.n_leaves);
      const double next_loss = alternate(next, rows_, kMaxPasses, recipe_.n_threads, poll_);
      if (!(next_loss < loss)) break;
      tree = std::move(next);
      loss = next_loss;
    }
    return loss;
  }

  void grow_to(SmallTree& tree, Criterion criterion, std::size_t n_leaves) {
    grow(tree, rows_, n_leaves, {.criterion = criterion, .n_threads = recipe_.n_threads}, poll_);
  }

  const DistillationRows& rows_;
  const Recipe& recipe_;
  runtime::StopPoll& poll_;
};

// What the finished tree stores for one node.
struct NodeSummary {
  double weight = 0;    // of all rows
  double missing = 0;   // of those whose tested value is missing
  double observed = 0;  // of training rows
  double yes = 0;       // of those that take the yes branch
};

// Moves probability from the most probable class to the label until the label is the most probable.
void put_first(std::vector<double>& probability, std::size_t label) {
  constexpr double kLead = 1e-6;
  for (std::size_t top = model::argmax(probability, 0); top != label; top = model::argmax(probability, 0)) {
    const double middle = (probability[top] + probability[label]) / 2;
    const double lead = std::min(kLead, middle);
    probability[label] = middle + lead;
    probability[top] = middle - lead;
  }
}

NodeSummary summary_of(const SmallNode& node, const DistillationRows& rows, std::span<const std::uint32_t> own,
                       std::size_t n_yes) {
  NodeSummary summary;
  for (const std::uint32_t row : own.first(n_yes)) summary.yes += rows.weight(row);
  for (const std::uint32_t row : own) {
    const double weight = rows.weight(row);
    summary.weight += weight;
    if (!node.is_leaf() && rows.codes(node.feature)[row] == kMissingBin) summary.missing += weight;
    if (!rows.is_artificial(row)) summary.observed += weight;
  }
  return summary;
}

// Of training rows, by their own labels.
std::vector<double> class_counts(const DistillationRows& rows, std::span<const std::uint32_t> own) {
  std::vector<double> counts(static_cast<std::size_t>(rows.n_classes()), 0.0);
  for (const std::uint32_t row : own) {
    if (!rows.is_artificial(row)) counts[rows.observed(row)] += rows.weight(row);
  }
  return counts;
}

std::vector<double> mean_probabilities(const SmallNode& node, const DistillationRows& rows, std::span<const std::uint32_t> own) {
  std::vector<double> mean(rows.n_targets(), 0.0);
  for (const std::uint32_t row : own) {
    rows.answer(row).for_each([&](std::size_t c, float probability) { mean[c] += rows.weight(row) * probability; });
  }
  const double total = std::accumulate(mean.begin(), mean.end(), 0.0);
  if (!(total > 0)) mean[node.label] = 1;
  for (double& probability : mean) probability /= total > 0 ? total : 1;
  return mean;
}

std::vector<double> deciding_probabilities(const SmallNode& node, const DistillationRows& rows,
                                           std::span<const std::uint32_t> own) {
  std::vector<double> mean = mean_probabilities(node, rows, own);
  put_first(mean, node.label);
  return mean;
}

// Of the numbers themselves: those on the scale of the objective are rounded. Not of the value
// alone if there is no row: then it is that of the parent.
std::vector<double> mean_number(const SmallNode& node, const DistillationRows& rows, std::span<const std::uint32_t> own) {
  const Objective& objective = rows.objective();
  if (own.empty() || objective.absolute) return {objective.center + objective.scale * node.value[0]};
  double sum = 0;
  double weight = 0;
  for (const std::uint32_t row : own) {
    sum += rows.weight(row) * rows.number(row);
    weight += rows.weight(row);
  }
  return {sum / weight};
}

}  // namespace

SmallTree distill(const DistillationRows& rows, const Recipe& recipe, runtime::StopPoll& poll) {
  if (recipe.refine && recipe.n_leaves > 1) return Refinement(rows, recipe, poll).run();
  SmallTree tree;
  grow(tree, rows, recipe.n_leaves, {.n_threads = recipe.n_threads}, poll);
  return tree;
}

model::TreePtr finished(const SmallTree& tree, const DistillationRows& rows) { return model::build_tree(arrays_of(tree, rows)); }

model::TreeArrays arrays_of(const SmallTree& tree, const DistillationRows& rows) {
  const NodeRows node_rows = tree.node_rows(rows);
  const auto n_nodes = static_cast<model::NodeId>(tree.n_nodes());
  std::vector<NodeSummary> summary;
  for (model::NodeId v = 0; v < n_nodes; ++v) {
    summary.push_back(summary_of(tree[v], rows, node_rows.of(v), tree[v].is_leaf() ? 0 : node_rows.n_yes(v)));
  }
  model::TreeArrays a;
  a.n_values = rows.bins().n_values();
  a.n_outputs = rows.n_targets();
  a.reserve(tree.n_nodes());
  for (model::NodeId v = 0; v < n_nodes; ++v) {
    const SmallNode& node = tree[v];
    const NodeSummary& here = summary[v];
    if (!rows.has_numbers()) a.counts.add(class_counts(rows, node_rows.of(v)));
    a.output.add(rows.has_numbers() ? mean_number(node, rows, node_rows.of(v))
                                    : deciding_probabilities(node, rows, node_rows.of(v)));
    if (node.is_leaf()) {
      a.add_node(model::Test::kLeaf, -1, 0, here.observed);
      continue;
    }
    const FeatureBins& bins = rows.bins()[node.feature];
    a.add_node(bins.nominal ? model::Test::kSubset : model::Test::kThreshold, node.feature,
               bins.nominal ? 0 : bins.cuts[node.cut], here.observed);
    for (std::size_t value = 0; value < bins.bin_of_value.size(); ++value) {
      if (node.to_yes.contains(bins.bin_of_value[value])) a.add_category(static_cast<std::int32_t>(value));
    }
    // Rows with a missing value went one way. If there were none, missing values follow the
    // shares of the other rows.
    double yes = node.to_yes.contains(kMissingBin) ? 1 : 0;
    if (here.missing == 0 && here.weight > 0) yes = here.yes / here.weight;
    a.add_branch(node.yes, yes);
    a.add_branch(node.no, 1 - yes);
  }
  return a;
}

std::vector<double> probabilities(const SmallTree& tree, const DistillationRows& rows) {
  const NodeRows node_rows = tree.node_rows(rows);
  std::vector<double> all;
  for (model::NodeId v = 0; v < static_cast<model::NodeId>(tree.n_nodes()); ++v) {
    const std::vector<double> own = mean_probabilities(tree[v], rows, node_rows.of(v));
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

}  // namespace sightline::distill::distilled_tree
