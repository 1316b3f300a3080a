// An ensemble: trees whose outputs or votes add up to scores.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "sightline/model/tree.hpp"
#include "sightline/runtime/stop.hpp"
#include "sightline/table/columns.hpp"

namespace sightline::model {

// What a tree adds to the scores of a row.
enum class Combine : std::uint8_t {
  kOutput = 0,  // tree_weight times its output: means of probabilities, additive margins
  kVote = 1,    // tree_weight to the class it votes for, vote_against to each other class
};

struct EnsembleParts {
  std::vector<TreePtr> trees;
  std::size_t n_scores = 0;
  Combine combine = Combine::kOutput;
  std::vector<double> tree_weight;
  std::vector<double> vote_against;      // per tree, kVote only
  std::vector<std::int32_t> tree_score;  // the one score that a single-output tree adds to; -1: all, in order
  std::vector<double> base;              // scores before the first tree
  // Per score: add the base behind the last tree instead, as libraries do that call it a bias.
  std::vector<std::uint8_t> base_last;
  // Per score: round to float after every addition, as libraries do that add in single precision.
  std::vector<std::uint8_t> single_precision;
  // Of a tree's outputs the first that exceeds all before it by more than this is its vote.
  double tie_tolerance = 0;
};

class Ensemble {
 public:
  // Throws std::invalid_argument naming the tree where the parts do not fit together.
  explicit Ensemble(EnsembleParts parts);

  const EnsembleParts& parts() const { return parts_; }
  std::size_t n_trees() const { return parts_.trees.size(); }
  std::size_t n_scores() const { return parts_.n_scores; }
  std::size_t n_features() const { return n_values_.size(); }
  const std::vector<std::int32_t>& n_values() const { return n_values_; }
  std::size_t n_nodes() const;

  // Scores of every row, row-major: base first (or last), then the trees in their order.
  void add_scores(const table::Columns& rows, int n_threads, runtime::StopPoll& poll, double* scores) const;
  // Scores of a row whose leaf in every tree is known.
  void scores_of_leaves(std::span<const NodeId> leaves, double* scores) const;
  // The same of one row, for kernels that ask about single rows.
  struct Scratch {
    std::vector<double> values;
    std::vector<RowPart> pending;
  };
  void add_scores(const double* row, double* scores, Scratch& scratch) const;
  // The output of every tree for one row: (tree, output), for trees of equal n_outputs.
  void tree_outputs(const double* row, double* outputs, Scratch& scratch) const;
  // Adds a tree's outputs for a row to the scores.
  void add_values(std::size_t tree, NumberRow<double> values, double* scores) const;
  // Output of every tree for every row: (row, tree, output), for trees of equal n_outputs.
  void tree_outputs(const table::Columns& rows, int n_threads, runtime::StopPoll& poll, double* outputs) const;
  // Leaf of every tree for every row: (row, tree).
  void find_leaves(const table::Columns& rows, int n_threads, runtime::StopPoll& poll, NodeId* leaves) const;

 private:
  // Data for predicting many rows, made on first use: many callers only inspect an ensemble.
  struct Flat;
  const Flat& flat(const table::Columns& rows) const;

  void begin_scores(double* scores) const;
  void end_scores(double* scores) const;
  // Calls visit(score, number) for whatever a tree adds by its outputs for a row.
  template <class Visit>
  void for_each_added(std::size_t tree, NumberRow<double> values, Visit visit) const;
  void add_number(std::size_t score, double number, double* scores) const;
  void add_tree(const Flat& flat, std::size_t tree, std::span<const std::uint32_t> positions, double* scores) const;

  EnsembleParts parts_;
  // For rows without and with missing values.
  mutable std::once_flag is_flat_[2];
  mutable std::shared_ptr<const Flat> flat_[2];
  std::vector<std::int32_t> n_values_;
  std::vector<std::int32_t> tested_;  // features that some tree tests
  bool rounds_any_ = false;           // whether some score is in single precision
};

using EnsemblePtr = std::shared_ptr<const Ensemble>;

// First index whose value exceeds all before it by more than `tolerance`.
std::size_t argmax(NumberRow<double> values, double tolerance);

}  // namespace sightline::model
