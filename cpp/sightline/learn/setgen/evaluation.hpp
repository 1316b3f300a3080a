// SET-GEN: how good a set of features is, by cross-validated C4.5 trees that may test nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "sightline/learn/c45/growth_cache.hpp"
#include "sightline/learn/c45/prune.hpp"
#include "sightline/learn/c45/pruning_cache.hpp"
#include "sightline/learn/training_set.hpp"
#include "sightline/model/flat_tree.hpp"
#include "sightline/runtime/stop.hpp"
#include "sightline/table/orders.hpp"

namespace sightline::learn::setgen {

// Fitness is accuracy * A + (1 - accuracy) * (1 - (size * S + (1 - size) * F)), where A is the mean accuracy, S the
// mean of nodes over training rows, and F the share of the features that are in the set.
struct FitnessWeights {
  double accuracy = 0.75;
  double size = 0.5;
};

struct Evaluation {
  std::size_t n_folds = 0;  // folds done. Where some are left, the rest of this is as good as it can still become
  double accuracy = 0;
  double nodes = 0;   // mean of the trees
  double leaves = 0;  // mean of the trees
  double fitness = 0;
};

// Where the evaluation of a set is given up: it can no longer reach `fitness`, and one of the rivals is at least as
// good in accuracy, nodes and features, whatever the folds that are left say.
struct Abandonment {
  struct Rival {
    double accuracy;
    double nodes;
    double n_features;
  };
  double fitness;
  std::vector<Rival> rivals;
};

// What one thread needs to make and judge trees, kept from one to the next.
struct Workspace {
  c45::GrownTree tree;
  c45::Trimmer trimmer;
  std::vector<model::FlatTree::Pending> pending;
  std::vector<double> output;
};

// The folds are fixed, so that a set is always worth the same. Safe to use from several threads.
class CrossValidation {
 public:
  // The columns must outlive this. Every fold must leave a row to learn from. `memory` is what may be remembered, in
  // bytes: beyond it a fold forgets everything and finds it again.
  CrossValidation(const table::Columns& columns, std::span<const std::int32_t> labels, std::int32_t n_classes,
                  std::span<const std::int32_t> fold_of_row, std::size_t n_folds, const c45::Options& options,
                  const FitnessWeights& weights, std::size_t memory, runtime::StopPoll& poll);
  // Gives what was remembered back to the system: kept by the process, it looks like a leak to whoever watches workers.
  ~CrossValidation();

  std::size_t n_features() const { return columns_.size(); }

  // The features of each set must ascend; `abandonment` may be null. All sets are tried on one fold before the next:
  // what is remembered of a fold is large, and sets that follow each other meet much the same of it.
  std::vector<Evaluation> evaluate(std::span<const std::vector<std::uint32_t>> sets, const c45::PruneOptions& finish,
                                   const Abandonment* abandonment, runtime::StopPoll& poll) const;

  // One evaluation per way to finish the trees, which are grown once for all of them.
  std::vector<Evaluation> evaluate_levels(const std::vector<std::uint32_t>& features, std::span<const c45::PruneOptions> levels,
                                          runtime::StopPoll& poll) const;

 private:
  struct Outcome {
    double accuracy;
    double nodes;
    double leaves;
  };
  struct Fold {
    TrainingSet training;
    std::vector<std::int32_t> label;  // of the rows held out
    std::vector<double> rows;         // these rows, row-major
    // What was found before. The table may be too large for it; then it is not there.
    std::mutex access;
    std::optional<c45::GrowthCache> memory;
    // For one way to finish trees, with the outcomes of what it gave.
    std::optional<c45::PruneOptions> finish;
    std::optional<c45::PruningCache> pruning;
    std::unordered_map<std::uint32_t, Outcome> outcomes;
  };

  void rank_by_strength(runtime::StopPoll& poll);
  std::vector<std::size_t> alike_together(std::span<const std::vector<std::uint32_t>> sets) const;
  Outcome try_fold(Fold& fold, const std::vector<std::uint32_t>& features, const c45::PruneOptions& finish, Workspace& workspace,
                   runtime::StopPoll& poll) const;
  // Both of the tree in the workspace, which is collapsed.
  Outcome finish_and_judge(const Fold& fold, const c45::PruneOptions& finish, Workspace& workspace,
                           runtime::StopPoll& poll) const;
  Outcome judge(const Fold& fold, Workspace& workspace) const;
  Evaluation summary(std::span<const Outcome> done, std::size_t n_features) const;

  const table::Columns& columns_;
  std::int32_t n_classes_;
  c45::Options options_;
  FitnessWeights weights_;
  table::Orders orders_;
  std::size_t fold_memory_;
  mutable std::vector<Fold> folds_;
  std::vector<std::uint32_t> rank_;  // per feature, the strongest first
};

}  // namespace sightline::learn::setgen
