// SET-GEN: evaluates feature sets by cross-validation of their C4.5 trees.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "sightline/learn/c45/growth_cache.hpp"
#include "sightline/learn/c45/prune.hpp"
#include "sightline/learn/c45/pruning_cache.hpp"
#include "sightline/learn/training_set.hpp"
#include "sightline/model/tree.hpp"
#include "sightline/runtime/stop.hpp"
#include "sightline/table/orders.hpp"

namespace sightline::learn::setgen {

// Fitness is accuracy * A + (1 - accuracy) * (1 - (size * S + (1 - size) * F)), where A is the mean accuracy, S the
// number of nodes per training row, and F the share of all features that are in the set.
struct FitnessWeights {
  double accuracy = 0.75;
  double size = 0.5;
  bool ratio_of_means = false;  // S is mean nodes over mean rows, as in the paper, not the mean of the folds' ratios
};

struct Evaluation {
  std::size_t n_folds = 0;  // folds done; if some are missing, the other members are optimistic bounds
  double accuracy = 0;
  double nodes = 0;   // mean over the trees
  double leaves = 0;  // mean over the trees
  double fitness = 0;
};

// When to abandon the evaluation of a set: it can no longer reach `fitness`, and a rival is at least as good in accuracy,
// nodes and features, whatever the remaining folds give.
struct Abandonment {
  struct Rival {
    double accuracy;
    double nodes;
    double n_features;
  };
  double fitness;
  std::vector<Rival> rivals;
};

// The buffers of one thread, reused from tree to tree.
struct Workspace {
  c45::GrownTree tree;
  c45::Trimmer trimmer;
  std::vector<model::RowPart> pending;
  std::vector<double> output;
};

// The folds are fixed, so a set always has the same fitness. Thread-safe.
class CrossValidation {
 public:
  // The columns must outlive this object. Every fold must leave a training row. When the caches of a fold exceed its
  // part of `cache_bytes`, they are cleared.
  CrossValidation(const table::Columns& columns, std::span<const std::int32_t> labels, std::int32_t n_classes,
                  std::span<const std::int32_t> fold_of_row, std::size_t n_folds, const c45::GrowOptions& options,
                  const FitnessWeights& weights, std::size_t cache_bytes, runtime::StopPoll& poll);
  // Returns the memory of the caches to the system; kept in the process, it would look like a leak.
  ~CrossValidation();

  std::size_t n_features() const { return columns_.size(); }

  // The features of each set must ascend; `abandonment` may be null. All sets are evaluated on one fold before the next,
  // because the cache of a fold is large and similar sets use the same part of it.
  std::vector<Evaluation> evaluate(std::span<const std::vector<std::uint32_t>> sets, const c45::PruneOptions& pruning,
                                   const Abandonment* abandonment, runtime::StopPoll& poll) const;

  // One evaluation per pruning. The trees are grown once for all of them.
  std::vector<Evaluation> evaluate_prunings(const std::vector<std::uint32_t>& features,
                                            std::span<const c45::PruneOptions> prunings, runtime::StopPoll& poll) const;

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
    std::mutex access;
    // Absent if the table is too large for a cache.
    std::optional<c45::GrowthCache> growth_cache;
    // The pruning that the cache and the outcomes belong to.
    std::optional<c45::PruneOptions> pruning;
    std::optional<c45::PruningCache> pruning_cache;
    std::unordered_map<std::uint32_t, Outcome> outcomes;
  };

  void rank_by_strength(runtime::StopPoll& poll);
  std::vector<std::size_t> similar_together(std::span<const std::vector<std::uint32_t>> sets) const;
  Outcome try_fold(Fold& fold, const std::vector<std::uint32_t>& features, const c45::PruneOptions& pruning, Workspace& workspace,
                   runtime::StopPoll& poll) const;
  // Both work on the tree in the workspace, which is already collapsed.
  Outcome prune_and_score(const Fold& fold, const c45::PruneOptions& pruning, Workspace& workspace,
                          runtime::StopPoll& poll) const;
  Outcome score(const Fold& fold, Workspace& workspace) const;
  Evaluation summary(std::span<const Outcome> done, std::size_t n_features) const;

  const table::Columns& columns_;
  std::int32_t n_classes_;
  c45::GrowOptions options_;
  FitnessWeights weights_;
  table::Orders orders_;
  std::size_t fold_bytes_;
  mutable std::vector<Fold> folds_;
  std::vector<std::uint32_t> rank_;  // per feature; the strongest has rank 0
};

}  // namespace sightline::learn::setgen
