// Leaves that answer with a line instead of a number.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sightline/model/tree.hpp"
#include "sightline/runtime/stop.hpp"
#include "sightline/table/columns.hpp"

namespace sightline::model {

// The answer of leaf v is its output plus slope * (x - center) for each of its terms, no less than
// low[v] and no more than high[v]. A missing x adds nothing. Terms of node v are
// [term_begin[v], term_begin[v + 1]); a node without terms answers with its output.
struct LineArrays {
  std::vector<std::int64_t> term_begin;  // per node, and one more
  std::vector<std::int32_t> feature;     // per term, numeric
  std::vector<double> slope;
  std::vector<double> center;
  std::vector<double> low;  // per node; low <= output <= high where there are terms
  std::vector<double> high;
};

class LeafLines {
 public:
  // Throws std::invalid_argument naming the node where lines do not fit the tree, which has one
  // output.
  LeafLines(TreePtr tree, LineArrays arrays);

  const LineArrays& arrays() const { return a_; }
  const Tree& tree() const { return *tree_; }
  bool has_terms(NodeId node) const { return a_.term_begin[node] < a_.term_begin[node + 1]; }
  double value(NodeId leaf, const double* row) const;
  // The same before the bounds; NaN where terms overflow with opposite signs.
  double sum(NodeId leaf, const double* row) const;
  // The answer for one row, mixed over the branches wherever a tested value is missing.
  struct Scratch {
    std::vector<double> passing, part;
  };
  double answer(const double* row, Scratch& scratch) const;
  // The answer for every row, mixed over the branches wherever a tested value is missing.
  void outputs(const table::Columns& rows, int n_threads, runtime::StopPoll& poll, double* outputs) const;

 private:
  void check() const;

  TreePtr tree_;
  LineArrays a_;
};

using LeafLinesPtr = std::shared_ptr<const LeafLines>;

}  // namespace sightline::model
