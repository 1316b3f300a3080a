#include "sightline/learn/setgen/evaluation.hpp"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <algorithm>
#include <numeric>
#include <utility>

#include "sightline/learn/c45/grow.hpp"
#include "sightline/model/ensemble.hpp"

namespace sightline::learn::setgen {
namespace {

bool is_hopeless(const Evaluation& bound, std::size_t n_features, const Abandonment& abandonment) {
  if (bound.fitness >= abandonment.fitness) return false;
  return std::any_of(abandonment.rivals.begin(), abandonment.rivals.end(), [&](const Abandonment::Rival& rival) {
    return rival.accuracy >= bound.accuracy && rival.nodes <= bound.nodes && rival.n_features <= static_cast<double>(n_features);
  });
}

}  // namespace

CrossValidation::CrossValidation(const table::Columns& columns, std::span<const std::int32_t> labels, std::int32_t n_classes,
                                 std::span<const std::int32_t> fold_of_row, std::size_t n_folds, const c45::GrowOptions& options,
                                 const FitnessWeights& weights, std::size_t cache_bytes, runtime::StopPoll& poll)
    : columns_(columns),
      n_classes_(n_classes),
      options_(options),
      weights_(weights),
      orders_(columns, poll),
      fold_bytes_(cache_bytes / n_folds),
      folds_(n_folds) {
  for (Fold& fold : folds_) {
    fold.training.columns = &columns_;
    fold.training.n_classes = n_classes;
  }
  std::vector<double> row(columns.size());
  for (std::uint32_t i = 0; i < labels.size(); ++i) {
    for (std::size_t k = 0; k < n_folds; ++k) {
      if (static_cast<std::size_t>(fold_of_row[i]) == k) continue;
      folds_[k].training.table_row.push_back(i);
      folds_[k].training.label.push_back(labels[i]);
    }
    Fold& own = folds_[fold_of_row[i]];
    columns.gather(i, i + 1, row.data());
    own.rows.insert(own.rows.end(), row.begin(), row.end());
    own.label.push_back(labels[i]);
  }
  for (Fold& fold : folds_) {
    poll();
    std::vector<bool> is_incomplete(columns.size());
    for (std::size_t f = 0; f < columns.size(); ++f) is_incomplete[f] = fold.training.has_missing(f);
    fold.training.is_incomplete = std::move(is_incomplete);
    if (c45::GrowthCache::min_bytes(columns, fold.training.size()) > fold_bytes_) continue;
    fold.growth_cache.emplace(fold.training, options_, orders_, fold_bytes_);
  }
  rank_by_strength(poll);
}

CrossValidation::~CrossValidation() {
  folds_.clear();
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

void CrossValidation::rank_by_strength(runtime::StopPoll& poll) {
  std::vector<std::uint32_t> order(columns_.size());
  std::iota(order.begin(), order.end(), 0);
  if (!folds_.empty() && folds_[0].growth_cache) {
    const std::vector<double> gains = folds_[0].growth_cache->root_gains(poll);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t f, std::uint32_t g) { return gains[f] > gains[g]; });
  }
  rank_.resize(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) rank_[order[i]] = i;
}

// Orders sets so that those with the same strongest features follow each other: they use the same nodes while these are
// in the processor cache.
std::vector<std::size_t> CrossValidation::similar_together(std::span<const std::vector<std::uint32_t>> sets) const {
  std::vector<std::vector<std::uint32_t>> ranks(sets.begin(), sets.end());
  for (auto& set : ranks) {
    for (std::uint32_t& feature : set) feature = rank_[feature];
    std::sort(set.begin(), set.end());
  }
  std::vector<std::size_t> order(sets.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return ranks[i] < ranks[j]; });
  return order;
}

std::vector<Evaluation> CrossValidation::evaluate(std::span<const std::vector<std::uint32_t>> sets,
                                                  const c45::PruneOptions& pruning, const Abandonment* abandonment,
                                                  runtime::StopPoll& poll) const {
  Workspace workspace;
  std::vector<std::vector<Outcome>> done(sets.size());
  std::vector<bool> is_abandoned(sets.size(), false);
  const std::vector<std::size_t> order = similar_together(sets);
  for (std::size_t k = 0; k < folds_.size(); ++k) {
    for (const std::size_t i : order) {
      if (is_abandoned[i]) continue;
      done[i].push_back(try_fold(folds_[k], sets[i], pruning, workspace, poll));
      if (abandonment == nullptr || k + 1 == folds_.size()) continue;
      const std::size_t n_features = sets[i].size();
      is_abandoned[i] = is_hopeless(summary(done[i], n_features), n_features, *abandonment);
    }
  }
  std::vector<Evaluation> evaluations;
  for (std::size_t i = 0; i < sets.size(); ++i) evaluations.push_back(summary(done[i], sets[i].size()));
  return evaluations;
}

std::vector<Evaluation> CrossValidation::evaluate_prunings(const std::vector<std::uint32_t>& features,
                                                           std::span<const c45::PruneOptions> prunings,
                                                           runtime::StopPoll& poll) const {
  std::vector<std::vector<Outcome>> done(prunings.size());
  Workspace workspace;
  for (const Fold& fold : folds_) {
    TrainingSet training = fold.training;
    training.candidates = features;
    c45::GrownTree grown = c45::grow(training, options_, &orders_, poll);
    if (options_.collapse) workspace.trimmer.collapse(grown, fold.training);
    for (std::size_t i = 0; i < prunings.size(); ++i) {
      workspace.tree = grown;
      done[i].push_back(prune_and_score(fold, prunings[i], workspace, poll));
    }
  }
  std::vector<Evaluation> evaluations;
  for (const auto& outcomes : done) evaluations.push_back(summary(outcomes, features.size()));
  return evaluations;
}

CrossValidation::Outcome CrossValidation::try_fold(Fold& fold, const std::vector<std::uint32_t>& features,
                                                   const c45::PruneOptions& pruning, Workspace& workspace,
                                                   runtime::StopPoll& poll) const {
  if (!fold.growth_cache) {
    TrainingSet training = fold.training;
    training.candidates = features;
    workspace.tree = c45::grow(training, options_, &orders_, poll);
    if (options_.collapse) workspace.trimmer.collapse(workspace.tree, fold.training);
    return prune_and_score(fold, pruning, workspace, poll);
  }
  // Threads rarely wait for each other: one of them is soon a fold ahead.
  const std::lock_guard lock(fold.access);
  if (fold.pruning_cache && fold.growth_cache->used() + fold.pruning_cache->used() > fold_bytes_) {
    fold.growth_cache->clear();
    fold.pruning_cache.reset();
  }
  if (!fold.pruning_cache || fold.pruning != pruning) {
    fold.outcomes.clear();
    fold.pruning = pruning;
    fold.pruning_cache.emplace(fold.training, *fold.growth_cache, options_.collapse, pruning);
  }
  const std::uint32_t pruned = fold.pruning_cache->prune(features, poll);
  const auto known = fold.outcomes.find(pruned);
  if (known != fold.outcomes.end()) return known->second;
  fold.pruning_cache->build(pruned, workspace.tree);
  workspace.trimmer.limit_leaves(workspace.tree, fold.training, pruning);
  return fold.outcomes[pruned] = score(fold, workspace);
}

CrossValidation::Outcome CrossValidation::prune_and_score(const Fold& fold, const c45::PruneOptions& pruning,
                                                          Workspace& workspace, runtime::StopPoll& poll) const {
  workspace.trimmer.prune(workspace.tree, fold.training, pruning, poll);
  return score(fold, workspace);
}

CrossValidation::Outcome CrossValidation::score(const Fold& fold, Workspace& workspace) const {
  const model::TreePtr tree = c45::to_tree(workspace.tree, columns_, false);
  auto& output = workspace.output;
  std::size_t n_right = 0;
  for (std::size_t i = 0; i < fold.label.size(); ++i) {
    output.assign(n_classes_, 0.0);
    model::add_output(*tree, fold.rows.data() + i * columns_.size(), workspace.pending, output.data());
    n_right += model::argmax(output, c45::kTolerance) == static_cast<std::size_t>(fold.label[i]);
  }
  return {static_cast<double>(n_right) / static_cast<double>(fold.label.size()), static_cast<double>(tree->n_nodes()),
          static_cast<double>(tree->n_leaves())};
}

// Missing folds count as error-free trees of one leaf. Sums run over all folds in order and rounding is monotone, so the
// bound is never below the complete evaluation.
Evaluation CrossValidation::summary(std::span<const Outcome> done, std::size_t n_features) const {
  Evaluation result;
  double size = 0;
  double n_rows = 0;
  for (std::size_t k = 0; k < folds_.size(); ++k) {
    const Outcome outcome = k < done.size() ? done[k] : Outcome{1, 1, 1};
    result.accuracy += outcome.accuracy;
    result.nodes += outcome.nodes;
    result.leaves += outcome.leaves;
    size += outcome.nodes / static_cast<double>(folds_[k].training.size());
    n_rows += static_cast<double>(folds_[k].training.size());
  }
  if (weights_.ratio_of_means) size = result.nodes / n_rows * static_cast<double>(folds_.size());
  const auto n = static_cast<double>(folds_.size());
  result.n_folds = done.size();
  result.accuracy /= n;
  result.nodes /= n;
  result.leaves /= n;
  const double features = columns_.size() == 0 ? 0 : static_cast<double>(n_features) / static_cast<double>(columns_.size());
  const double simplicity = 1 - (weights_.size * (size / n) + (1 - weights_.size) * features);
  result.fitness = weights_.accuracy * result.accuracy + (1 - weights_.accuracy) * simplicity;
  return result;
}

}  // namespace sightline::learn::setgen
