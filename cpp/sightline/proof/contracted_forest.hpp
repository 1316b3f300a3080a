// The trees of an ensemble without the nodes that the current box decides.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "sightline/model/ensemble.hpp"
#include "sightline/proof/box.hpp"
#include "sightline/proof/contraction.hpp"

namespace sightline::proof {

// A stack of levels, one per narrowing of a box. Each holds the live part of every tree in
// preorder; a level contracts the one before, never the whole forest, and looks only at
// nodes that test the narrowed feature. A tree that lost only upper nodes is a
// view into the level before.
class ContractedForest {
 public:
  struct Entry {
    model::NodeId node;
    std::int32_t size;     // entries of the subtree, this one included
    std::int32_t branch;   // of the live parent that leads here
    std::int32_t feature;  // tested; a leaf has ~ordinal, counted over all trees

    bool is_leaf() const { return feature < 0; }
    std::size_t leaf() const { return static_cast<std::size_t>(~feature); }
  };
  struct Range {
    std::size_t begin;
    std::int32_t size;
  };

  explicit ContractedForest(const model::Ensemble& ensemble);

  std::size_t n_leaves() const { return n_leaves_; }
  std::size_t memory() const { return entries_.capacity() * sizeof(Entry); }

  // The first level: contracts the whole forest by every side of the box.
  void start(const Box& box);
  // Contracts by one side; `changed` lists the trees that are not what they were.
  void enter(const Box& box, std::int32_t feature, std::vector<std::int32_t>& changed);
  void leave();

  Range tree(std::size_t t) const { return ranges_[ranges_.size() - n_trees_ + t]; }
  const Entry& operator[](std::size_t index) const { return entries_[index]; }
  const model::DecisionNodes& nodes(std::size_t t) const { return *trees_[t]; }
  // Whether some feature, or this one, can only be missing in the box.
  bool any_missing_only() const { return n_missing_only_ > 0; }
  bool missing_only(std::int32_t feature) const { return missing_only_[feature]; }

 private:
  struct Level {
    std::size_t entries;
    std::int32_t feature;
    bool was_missing_only;
  };
  struct Live;
  static constexpr std::size_t kNone = Contraction<Entry>::kNone;
  // Stands for every feature at once.
  static constexpr std::int32_t kEvery = std::numeric_limits<std::int32_t>::max();
  static bool concerns(const Entry& entry, std::int32_t feature) {
    return entry.feature == feature || (feature == kEvery && !entry.is_leaf());
  }

  void contract_all(const Box& box, std::int32_t feature, std::vector<std::int32_t>& changed);
  void set_missing_only(std::int32_t feature, bool value);
  Range contracted(std::size_t t, Range range, const Box& box, std::int32_t feature);
  Range without_decided_roots(const model::DecisionNodes& nodes, Range range, const Box& box, std::int32_t feature) const;
  bool stays(const model::DecisionNodes& nodes, std::size_t index, const Box& box) const;
  Range copied(const model::DecisionNodes& nodes, Range range, const Box& box, std::int32_t feature);
  // Where the only live child begins, or kNone where several branches are possible.
  std::size_t only_child(const model::DecisionNodes& nodes, std::size_t index, const Box& box) const;

  std::vector<model::TreePtr> trees_;
  std::size_t n_trees_;
  std::size_t n_leaves_ = 0;
  std::vector<Entry> entries_;
  std::vector<Range> ranges_;
  std::vector<Level> levels_;
  std::vector<bool> missing_only_;
  std::size_t n_missing_only_ = 0;
  Contraction<Entry> contraction_;
};

}  // namespace sightline::proof
