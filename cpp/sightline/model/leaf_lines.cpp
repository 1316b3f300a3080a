#include "sightline/model/leaf_lines.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "sightline/model/row_blocks.hpp"

namespace sightline::model {
namespace {

[[noreturn]] void fail(NodeId node, const std::string& what) {
  throw std::invalid_argument("node " + std::to_string(node) + ": " + what);
}

void check_term(const Tree& tree, const LineArrays& a, NodeId v, std::size_t term) {
  const std::int32_t feature = a.feature[term];
  if (feature < 0 || static_cast<std::size_t>(feature) >= tree.n_features()) fail(v, "a line uses a feature that does not exist");
  if (tree.arrays().n_values[feature] != 0) fail(v, "a line uses a feature that is not numeric");
  if (!std::isfinite(a.slope[term]) || !std::isfinite(a.center[term])) fail(v, "slopes and centers must be finite");
}

void check_node(const Tree& tree, const LineArrays& a, NodeId v) {
  if (a.term_begin[v] > a.term_begin[v + 1]) fail(v, "the array 'term_begin' decreases here");
  if (a.term_begin[v] == a.term_begin[v + 1]) return;
  if (!tree.is_leaf(v)) fail(v, "only a leaf has a line");
  const double output = tree.output(v)[0];
  if (!std::isfinite(a.low[v]) || !std::isfinite(a.high[v]) || !(a.low[v] <= output && output <= a.high[v])) {
    fail(v, "the output must lie between the bounds of the line");
  }
  for (auto term = a.term_begin[v]; term < a.term_begin[v + 1]; ++term) {
    check_term(tree, a, v, static_cast<std::size_t>(term));
    // Each term alone determines where a line is highest.
    for (auto other = a.term_begin[v]; other < term; ++other) {
      if (a.feature[other] == a.feature[term]) fail(v, "a line uses a feature twice");
    }
  }
}

}  // namespace

LeafLines::LeafLines(TreePtr tree, LineArrays arrays) : tree_(std::move(tree)), a_(std::move(arrays)) { check(); }

void LeafLines::check() const {
  const std::size_t n = tree_->n_nodes();
  const std::size_t n_terms = a_.feature.size();
  if (tree_->n_outputs() != 1) throw std::invalid_argument("only a tree of numbers has lines in its leaves");
  if (a_.term_begin.size() != n + 1 || a_.low.size() != n || a_.high.size() != n || a_.slope.size() != n_terms ||
      a_.center.size() != n_terms) {
    throw std::invalid_argument("the arrays of the lines do not match the tree");
  }
  if (a_.term_begin.front() != 0 || a_.term_begin.back() != static_cast<std::int64_t>(n_terms)) {
    throw std::invalid_argument("the array 'term_begin' must run from 0 to " + std::to_string(n_terms));
  }
  for (NodeId v = 0; v < static_cast<NodeId>(n); ++v) {
    if (a_.term_begin[v + 1] > static_cast<std::int64_t>(n_terms)) fail(v, "the array 'term_begin' leaves its range here");
    check_node(*tree_, a_, v);
  }
}

double LeafLines::sum(NodeId leaf, const double* row) const {
  double sum = tree_->output(leaf)[0];
  for (auto term = a_.term_begin[leaf]; term < a_.term_begin[leaf + 1]; ++term) {
    double x = row[a_.feature[term]];
    if (std::isnan(x)) continue;
    // Tables hold infinity as the largest number. A line takes it for what it is, as exported ones do.
    if (std::abs(x) == std::numeric_limits<double>::max()) x *= 2;
    sum += a_.slope[term] * (x - a_.center[term]);
  }
  return sum;
}

double LeafLines::value(NodeId leaf, const double* row) const {
  const double output = tree_->output(leaf)[0];
  if (!has_terms(leaf)) return output;
  const double exact = sum(leaf, row);
  return std::isnan(exact) ? output : std::min(std::max(exact, a_.low[leaf]), a_.high[leaf]);
}

double LeafLines::answer(const double* row, Scratch& scratch) const {
  const NodeId leaf = find_whole_leaf(*tree_, row);
  if (leaf >= 0) return value(leaf, row);
  scratch.passing.assign(tree_->n_nodes(), 0.0);
  add_passing(*tree_, row, 1.0, scratch.part, scratch.passing.data(), 1);
  double result = 0;
  for (NodeId v = 0; v < static_cast<NodeId>(tree_->n_nodes()); ++v) {
    if (tree_->is_leaf(v) && scratch.passing[v] > 0) result += scratch.passing[v] * value(v, row);
  }
  return result;
}

void LeafLines::outputs(const table::Columns& rows, int n_threads, runtime::StopPoll& poll, double* outputs) const {
  for_each_block(rows, n_threads, poll, [&](std::size_t begin, std::size_t end, const double* block, bool) {
    Scratch scratch;
    for (std::size_t i = begin; i < end; ++i) outputs[i] = answer(block + (i - begin) * tree_->n_features(), scratch);
  });
}

}  // namespace sightline::model
