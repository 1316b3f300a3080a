// A tree laid out for prediction: each step reads 16 bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "sightline/model/tree.hpp"

namespace sightline::model {

// Siblings of binary tests are neighbours (branch 1 = branch 0 + 1) and a leaf leads to
// itself under an infinite threshold, so that a step is one comparison without a branch,
// several rows can take theirs together, and none has to ask whether it has arrived.
class FlatTree {
 public:
  explicit FlatTree(TreePtr tree);

  const Tree& tree() const { return *tree_; }

  // Leaf reached by each of the rows of a row-major block without missing values.
  void find_leaves(const double* block, std::size_t n_rows, NodeId* leaves) const;
  // Leaf reached by one row; a missing value follows the largest share, the first on ties.
  NodeId find_leaf(const double* row) const;
  // Adds scale * output to `sum`, mixed over the branches wherever a value is missing.
  // `pending` is scratch, kept by the caller so that rows share its memory.
  struct Pending {
    NodeId node;
    double share;
  };
  void add_output(const double* row, double* sum, std::vector<Pending>& pending) const;

 private:
  struct Step {
    double threshold;
    std::int32_t feature;
    std::int32_t next;
  };

  void find_leaves_together(const double* block, std::size_t n_rows, NodeId* leaves) const;

  TreePtr tree_;
  // Empty where a test is not numeric: then the tree's own arrays are walked.
  std::vector<Step> steps_;
  std::vector<NodeId> node_of_step_;
};

}  // namespace sightline::model
