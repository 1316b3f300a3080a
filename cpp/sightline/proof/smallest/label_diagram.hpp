// The label of an ensemble as one canonical diagram.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sightline/proof/boxed_ensemble.hpp"
#include "sightline/proof/smallest/tree_diagrams.hpp"
#include "sightline/runtime/budget.hpp"

namespace sightline::proof::smallest {

// Takes the diagrams of all trees apart together, level by level. A state is one function of each tree. It becomes a
// terminal where bounds of the scores leave one label, with the slack of certificates, or where every tree is
// down to a terminal: then the ensemble's own sum of one row is that of all.
class LabelDiagram {
 public:
  using Id = Diagram::Id;

  LabelDiagram(BoxedEnsemble& model, const Atoms& atoms, std::size_t n_labels, runtime::StopPoll& poll);

  // The label in the model's present box, to which these steps led; nothing beyond the limits.
  std::optional<Id> build(const Box& box, std::span<const Step> steps, const BuildLimits& limits);

  // Terminals come first: the number of one is its label.
  Diagram& diagram() { return diagram_; }
  std::size_t memory() const;

 private:
  // Sums of leaf values that never round: then ties are decided as the label rule does, without slack.
  bool sums_are_exact() const;
  std::int32_t verdict(std::span<const Id> state);
  std::int32_t pair_verdict();
  bool leads(std::size_t winner, std::size_t other, double margin) const;
  Id labeled(std::span<const Id> state);
  void make_key(std::span<const Id> state);
  std::size_t slot_of_key() const;
  void grow();
  Id expanded(std::vector<Id> state);
  void place(const Level& level, std::int32_t first, std::int32_t last);

  BoxedEnsemble& model_;
  const Atoms& atoms_;
  TreeDiagrams trees_;
  Diagram diagram_;
  runtime::StopPoll& poll_;
  bool is_exact_ = false;
  double slack_ = 0;
  std::vector<double> base_;  // per axis
  std::vector<double> sums_;  // of the present state
  std::vector<ScoreBounds> total_;
  std::vector<double> row_;                 // some row of the present state
  std::vector<std::vector<char>> is_live_;  // per level and atom: whether the box has rows of it

  // States that are known, by what decides their label: see make_key.
  struct Known {
    std::uint64_t hash;
    std::size_t begin;
    std::uint32_t size;
    Id result;
  };
  std::vector<std::int32_t> key_;
  std::vector<std::int32_t> keys_;  // one behind the other
  std::vector<Known> known_;
  std::vector<std::int32_t> slots_;
  std::optional<runtime::Budget> budget_;
  std::size_t max_bytes_ = 0;
};

}  // namespace sightline::proof::smallest
