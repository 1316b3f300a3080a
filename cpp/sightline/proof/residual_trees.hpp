// The rest of voting trees after some features are known.
#pragma once

#include <cstdint>
#include <vector>

#include "sightline/model/hash_consed_nodes.hpp"
#include "sightline/proof/voting_trees.hpp"

namespace sightline::proof {

// A feature cut into cells by all thresholds that some tree compares it with, or by its
// declared values; the last cell is that of missing values. No tree tells rows of the
// same cell apart.
struct FeatureCells {
  std::int32_t feature = -1;
  std::int32_t n_values = 0;       // 0: numeric
  std::vector<double> thresholds;  // numeric, ascending: cell i ends with the i-th
  std::size_t size() const { return (n_values > 0 ? n_values : thresholds.size() + 1) + 1; }
  std::size_t missing() const { return size() - 1; }
  // A value of a cell that is not that of missing ones.
  double value(std::size_t cell) const;
  // The cell with which the missing values of most tests go.
  std::size_t usual_for_missing = 0;
};

// Trees in which a test has one branch per cell of its feature. Equal ones are one, so
// that states of the graph's construction are comparable; what a restriction gives is
// kept, whatever order of features asks for it.
class ResidualTrees {
 public:
  using Id = model::HashConsedNodes::Id;

  explicit ResidualTrees(const VotingTrees& trees);

  // The features that some tree tests: indexes in the cells, not numbers of columns.
  const std::vector<FeatureCells>& features() const { return features_; }
  // How many trees test a feature.
  std::size_t n_uses(std::size_t index) const { return n_uses_[index]; }
  const std::vector<Id>& roots() const { return roots_; }

  bool is_leaf(Id id) const { return shared_.is_leaf(id); }
  // Of a leaf: the class it votes for, or -1, and the points of its vote.
  std::int32_t vote(Id leaf) const { return leaves_[shared_.leaf_kind(leaf)].vote; }
  // The points of the vote in all leaves of a tree.
  std::int64_t points(Id id) const { return points_[id]; }
  // The tree for rows whose feature is in a cell.
  Id restricted(Id id, std::size_t index, std::size_t cell);

 private:
  struct Leaf {
    std::int32_t vote;
    std::int64_t points;
  };

  void find_cells();
  void find_usual(FeatureCells& cells);
  Id converted(std::size_t tree);
  Id leaf(std::int32_t vote, std::int64_t points);
  Id node(std::size_t index, const std::vector<Id>& children);
  std::vector<Id>& memory(std::size_t index, std::size_t cell);

  const VotingTrees& trees_;
  std::vector<FeatureCells> features_;
  std::vector<std::int32_t> index_of_;  // per column, -1: not tested
  std::vector<std::size_t> n_uses_;
  model::HashConsedNodes shared_;
  std::vector<Leaf> leaves_;
  std::vector<std::int64_t> points_;  // per node
  std::vector<Id> roots_;
  std::vector<std::vector<std::vector<Id>>> restricted_;  // per feature, cell and node; -1: not yet known
  std::vector<Id> waiting_, children_;
};

}  // namespace sightline::proof
