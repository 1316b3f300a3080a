// The trees of an ensemble as diagrams over its atoms.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "sightline/proof/boxed_ensemble.hpp"
#include "sightline/proof/smallest/diagram.hpp"
#include "sightline/runtime/budget.hpp"

namespace sightline::proof::smallest {

// How much a diagram may take before it is given up.
struct BuildLimits {
  std::int64_t max_states = 0;
  std::size_t max_bytes = 0;
  double max_seconds = 0;
};

// Each tree becomes an ordered diagram. A terminal is what the tree adds to the scores: the output of a leaf, or
// a mixture of leaves where a missing value spreads the row. Rows with the same terminal of each tree
// get the same sum, bit by bit.
class TreeDiagrams {
 public:
  using Id = Diagram::Id;

  TreeDiagrams(BoxedEnsemble& model, const Atoms& atoms, runtime::StopPoll& poll);

  // The trees in the model's present box, to which these steps led. Nothing beyond the limits, where each node of a
  // diagram is a state: spread rows can make exponentially many mixtures.
  std::optional<std::vector<Id>> convert(std::span<const Step> steps, const BuildLimits& limits);

  const Diagram& diagram() const { return diagram_; }
  std::size_t memory() const { return diagram_.memory() + mixture_bytes_ + mixed_bytes_ + joined_bytes_; }
  // What the trees add along the axes of the model, as lower bounds of `width` numbers: with one axis, or a formula,
  // the values and their negatives; otherwise the lead of each class over each other one.
  const double* bounds(Id id) const { return bounds_.data() + static_cast<std::size_t>(id) * width_; }
  std::size_t width() const { return width_; }
  bool has_pairs() const { return has_pairs_; }
  // For a terminal that is not a mixture: what it adds along the axes.
  std::span<const double> values(Id terminal) const {
    return {values_.data() + static_cast<std::size_t>(terminal) * n_axes_, n_axes_};
  }
  // Whether missing values spread the rows of some tree.
  bool any_spreads() const { return std::find(spreads_.begin(), spreads_.end(), true) != spreads_.end(); }

 private:
  using Leaves = std::vector<model::NodeId>;

  Id converted(std::size_t tree);
  Id terminal(std::size_t tree, const Leaves& leaves);
  void bound_terminal(std::size_t tree, const Leaves& leaves, Id id);
  void include(const double* values, double* bounds) const;
  std::vector<double> mixed_output(std::size_t tree, const Leaves& leaves) const;
  // The function of `parts`, by the entry of `part_of` for each atom of a level.
  Id joined(std::int32_t level, const std::vector<std::int32_t>& part_of, const std::vector<Id>& parts);
  Id mixture(std::size_t tree, const std::vector<Id>& parts);
  // Splits functions by the highest level of theirs and puts what `combine` makes of the parts together.
  template <class Combine>
  Id apart(std::int32_t level, const std::vector<Id>& parts, Combine combine);
  void bound_new_nodes();
  // What an entry of a map takes, about.
  static std::size_t bytes_of(const std::vector<std::int32_t>& key) { return 96 + key.size() * sizeof(std::int32_t); }
  bool is_full() const { return budget_->exhausted(); }
  // Takes the time and memory of one step from the budget.
  void spend() {
    if (!budget_->spend()) return;
    if (diagram_.size() > max_size_ || memory() > max_bytes_) budget_->exhaust();
  }

  BoxedEnsemble& model_;
  const Atoms& atoms_;
  Diagram diagram_;
  std::size_t n_axes_;
  bool has_pairs_;
  std::size_t width_;
  runtime::StopPoll& poll_;
  std::optional<runtime::Budget> budget_;
  std::size_t max_size_ = 0, max_bytes_ = 0;
  std::size_t mixture_bytes_ = 0;            // of mixtures_
  std::size_t mixed_bytes_ = 0;              // of leaves_ and mixed_
  std::size_t joined_bytes_ = 0;             // of joined_
  std::vector<bool> spreads_;                // per tree: whether missing values spread some row
  std::map<std::vector<double>, Id> plain_;  // terminals by weight and output
  // Terminals of trees that spread rows. Which leaves a row reaches says how they are mixed, so none are one.
  std::map<std::pair<std::size_t, Leaves>, Id> mixtures_;
  std::map<Id, Leaves> leaves_;  // of terminals; those of the present tree
  std::map<std::vector<Id>, Id> joined_;
  std::map<std::vector<Id>, Id> mixed_;
  Id n_bounded_ = 0;
  std::vector<double> bounds_;  // per node
  std::vector<double> values_;  // per node
};

}  // namespace sightline::proof::smallest
