#include "sightline/model/ensemble.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

#include "sightline/model/flat_trees.hpp"
#include "sightline/model/row_blocks.hpp"

namespace sightline::model {
namespace {

[[noreturn]] void fail(std::size_t tree, const std::string& what) {
  throw std::invalid_argument("tree " + std::to_string(tree) + ": " + what);
}

void check_length(const char* name, std::size_t length, std::size_t expected) {
  if (length != expected) {
    throw std::invalid_argument("the ensemble's '" + std::string(name) + "' has length " + std::to_string(length) +
                                "; expected " + std::to_string(expected));
  }
}

void check_tree(const EnsembleParts& parts, std::size_t t) {
  const Tree& tree = *parts.trees[t];
  if (tree.arrays().n_values != parts.trees[0]->arrays().n_values) fail(t, "its features differ from those of tree 0");
  if (!std::isfinite(parts.tree_weight[t])) fail(t, "the weight is not finite");
  const std::int32_t score = parts.tree_score[t];
  if (score >= static_cast<std::int32_t>(parts.n_scores) || score < -1) {
    fail(t, "score " + std::to_string(score) + " does not exist (there are " + std::to_string(parts.n_scores) + ")");
  }
  if (parts.combine == Combine::kVote && score != -1) fail(t, "a tree that votes must know every class");
  const std::size_t expected = score >= 0 ? 1 : parts.n_scores;
  if (tree.n_outputs() != expected) {
    fail(t, "it has " + std::to_string(tree.n_outputs()) + " outputs; expected " + std::to_string(expected));
  }
}

void check(const EnsembleParts& parts) {
  const std::size_t n = parts.trees.size();
  if (n == 0) throw std::invalid_argument("an ensemble needs at least one tree");
  if (parts.n_scores == 0) throw std::invalid_argument("an ensemble needs at least one score");
  check_length("tree_weight", parts.tree_weight.size(), n);
  check_length("tree_score", parts.tree_score.size(), n);
  check_length("vote_against", parts.vote_against.size(), parts.combine == Combine::kVote ? n : 0);
  check_length("base", parts.base.size(), parts.n_scores);
  check_length("base_last", parts.base_last.size(), parts.n_scores);
  check_length("single_precision", parts.single_precision.size(), parts.n_scores);
  for (const double value : parts.base) {
    if (!std::isfinite(value)) throw std::invalid_argument("the ensemble's 'base' is not finite");
  }
  if (!std::isfinite(parts.tie_tolerance) || parts.tie_tolerance < 0) {
    throw std::invalid_argument("the ensemble's 'tie_tolerance' must be finite and not negative");
  }
  for (const double value : parts.vote_against) {
    if (!std::isfinite(value)) throw std::invalid_argument("the ensemble's 'vote_against' is not finite");
  }
  for (std::size_t t = 0; t < n; ++t) check_tree(parts, t);
}

// With more scores, leaves have too many numbers to lay them out once more.
constexpr std::size_t kFewScores = 8;
// Fewer rows are predicted one by one: the trees need not be laid out for them.
constexpr std::size_t kFewRows = 32;

// What the leaves of a tree add to the scores, or to the one score of their tree. Equal rows are stored once: pure
// leaves have few different ones, which stay in the first cache.
class AddedRows {
 public:
  AddedRows(std::size_t width, std::size_t n_positions) : width_(width), index_at_(n_positions, 0), slots_(kFirstSlots, 0) {}

  void set(std::uint32_t position, std::span<const double> row) {
    if (2 * n_rows() >= slots_.size()) rehash();
    std::uint32_t& slot = slot_of(row);
    if (slot == 0) {
      rows_.insert(rows_.end(), row.begin(), row.end());
      slot = static_cast<std::uint32_t>(n_rows());
    }
    index_at_[position] = slot - 1;
  }
  // No row is set after this.
  void finish() { slots_ = {}; }

  bool empty() const { return width_ == 0; }
  std::size_t width() const { return width_; }
  const double* at(std::uint32_t position) const { return rows_.data() + index_at_[position] * width_; }

 private:
  static constexpr std::size_t kFirstSlots = 16;

  std::size_t n_rows() const { return rows_.size() / width_; }
  // The one with this row, or the free one in which it belongs.
  std::uint32_t& slot_of(std::span<const double> row) {
    std::uint64_t hash = 0;
    for (const double number : row) hash = (hash ^ std::bit_cast<std::uint64_t>(number)) * 0x9e3779b97f4a7c15u;
    std::size_t at = (hash >> 32) & (slots_.size() - 1);
    while (slots_[at] != 0 && std::memcmp(rows_.data() + (slots_[at] - 1) * width_, row.data(), width_ * sizeof(double)) != 0) {
      at = (at + 1) & (slots_.size() - 1);
    }
    return slots_[at];
  }
  void rehash() {
    slots_.assign(2 * slots_.size(), 0);
    for (std::uint32_t k = 0; k < n_rows(); ++k) slot_of({rows_.data() + k * width_, width_}) = k + 1;
  }

  std::size_t width_;
  std::vector<std::uint32_t> index_at_;  // per position
  std::vector<double> rows_;
  std::vector<std::uint32_t> slots_;  // one more than the index of a row, by its hash; 0: free
};

// Adds to each row of scores what the leaf at its position adds. The width is known when this is compiled, or 0.
template <std::size_t kWidth>
void add_rows(const AddedRows& added, std::span<const std::uint32_t> positions, double* scores, std::size_t stride) {
  const std::size_t width = kWidth > 0 ? kWidth : added.width();
  for (const std::uint32_t position : positions) {
    const double* row = added.at(position);
    for (std::size_t k = 0; k < width; ++k) scores[k] += row[k];
    scores += stride;
  }
}

std::vector<std::int32_t> tested_features(const std::vector<TreePtr>& trees) {
  // From -1 on, the feature of leaves: these are half of the nodes, and no branch can predict which.
  std::vector<char> is_tested(trees[0]->n_features() + 1, false);
  for (const TreePtr& tree : trees) {
    for (const std::int32_t feature : tree->arrays().feature) is_tested[feature + 1] = true;
  }
  std::vector<std::int32_t> tested;
  for (std::size_t feature = 0; feature + 1 < is_tested.size(); ++feature) {
    if (is_tested[feature + 1]) tested.push_back(static_cast<std::int32_t>(feature));
  }
  return tested;
}

// In blocks, because the columns of a row-major matrix share their cache lines.
bool any_missing(const table::Columns& rows, std::span<const std::int32_t> features) {
  for (std::size_t begin = 0; begin < rows.n_rows(); begin += kBlockRows) {
    const std::size_t end = std::min(begin + kBlockRows, rows.n_rows());
    for (const std::int32_t feature : features) {
      bool any = false;
      for (std::size_t row = begin; row < end; ++row) any |= rows[feature].is_missing(row);
      if (any) return true;
    }
  }
  return false;
}

// Calls work(i, row) for every row as numbers, on this thread.
template <class Work>
void for_each_row(const table::Columns& rows, runtime::StopPoll& poll, Work work) {
  for_each_block(rows, 1, poll, [&](std::size_t begin, std::size_t end, const double* block, bool) {
    for (std::size_t i = begin; i < end; ++i) work(i, block + (i - begin) * rows.size());
  });
}

}  // namespace

std::size_t argmax(NumberRow<double> values, double tolerance) {
  std::size_t best = 0;
  double highest = values[0];
  std::size_t next = 1;  // the first that was not looked at
  const auto look = [&](std::size_t k, double value) {
    if (!(value - highest > tolerance)) return;
    best = k;
    highest = value;
  };
  values.for_each([&](std::size_t k, double value) {
    if (k > next) look(next, 0.0);  // of zeros that were left out only the first can be the best
    if (k > 0) look(k, value);
    next = k + 1;
  });
  if (next < values.size()) look(next, 0.0);
  return best;
}

Ensemble::Ensemble(EnsembleParts parts) : parts_(std::move(parts)) {
  check(parts_);
  n_values_ = parts_.trees[0]->arrays().n_values;
  const auto& single = parts_.single_precision;
  rounds_any_ = std::find(single.begin(), single.end(), 1) != single.end();
  tested_ = tested_features(parts_.trees);
}

std::size_t Ensemble::n_nodes() const {
  std::size_t total = 0;
  for (const TreePtr& tree : parts_.trees) total += tree->n_nodes();
  return total;
}

template <class Visit>
void Ensemble::for_each_added(std::size_t t, NumberRow<double> values, Visit visit) const {
  const double weight = parts_.tree_weight[t];
  if (parts_.combine == Combine::kVote) {
    const std::size_t vote = argmax(values, parts_.tie_tolerance);
    for (std::size_t k = 0; k < n_scores(); ++k) visit(k, k == vote ? weight : parts_.vote_against[t]);
  } else if (parts_.tree_score[t] >= 0) {
    visit(static_cast<std::size_t>(parts_.tree_score[t]), weight * values[0]);
  } else if (rounds_any_) {
    for (std::size_t k = 0; k < n_scores(); ++k) visit(k, weight * values[k]);
  } else {
    values.for_each([&](std::size_t k, double value) { visit(k, weight * value); });
  }
}

void Ensemble::add_number(std::size_t score, double number, double* scores) const {
  scores[score] += number;
  if (parts_.single_precision[score]) scores[score] = static_cast<float>(scores[score]);
}

void Ensemble::add_values(std::size_t t, NumberRow<double> values, double* scores) const {
  for_each_added(t, values, [&](std::size_t k, double number) { add_number(k, number, scores); });
}

struct Ensemble::Flat {
  Flat(const Ensemble& ensemble, bool any_missing) : trees(ensemble.parts_.trees, any_missing) {
    for (std::size_t t = 0; t < trees.size(); ++t) added.push_back(added_by(ensemble, t));
  }

  FlatTrees trees;
  std::vector<AddedRows> added;  // per tree; empty if scores are many

 private:
  AddedRows added_by(const Ensemble& ensemble, std::size_t t) const;
};

AddedRows Ensemble::Flat::added_by(const Ensemble& ensemble, std::size_t t) const {
  const bool is_one = ensemble.parts_.tree_score[t] >= 0;
  if (!is_one && ensemble.n_scores() > kFewScores) return {0, 0};
  const FlatTree& tree = trees[t];
  AddedRows rows(is_one ? 1 : ensemble.n_scores(), tree.n_positions());
  std::vector<double> row(rows.width());
  for (std::uint32_t position = 0; position < tree.n_positions(); ++position) {
    const NodeId v = tree.node(position);
    if (!tree.tree().is_leaf(v)) continue;
    std::fill(row.begin(), row.end(), 0.0);
    ensemble.for_each_added(t, tree.tree().output(v), [&](std::size_t k, double number) { row[is_one ? 0 : k] = number; });
    rows.set(position, row);
  }
  rows.finish();
  return rows;
}

const Ensemble::Flat& Ensemble::flat(const table::Columns& rows) const {
  const bool is_missing = any_missing(rows, tested_);
  std::call_once(is_flat_[is_missing], [&] { flat_[is_missing] = std::make_shared<const Flat>(*this, is_missing); });
  return *flat_[is_missing];
}

void Ensemble::add_tree(const Flat& flat, std::size_t t, std::span<const std::uint32_t> positions, double* scores) const {
  const AddedRows& added = flat.added[t];
  const FlatTree& tree = flat.trees[t];
  if (added.empty()) {
    for (const std::uint32_t position : positions) {
      add_values(t, tree.tree().output(tree.node(position)), scores);
      scores += n_scores();
    }
    return;
  }
  const std::size_t first = std::max(parts_.tree_score[t], 0);
  if (rounds_any_) {
    for (const std::uint32_t position : positions) {
      const double* row = added.at(position);
      for (std::size_t k = 0; k < added.width(); ++k) add_number(first + k, row[k], scores);
      scores += n_scores();
    }
  } else if (added.width() == 1) {
    add_rows<1>(added, positions, scores + first, n_scores());
  } else if (added.width() == 2) {
    add_rows<2>(added, positions, scores, n_scores());
  } else {
    add_rows<0>(added, positions, scores, n_scores());
  }
}

void Ensemble::begin_scores(double* scores) const {
  for (std::size_t k = 0; k < n_scores(); ++k) scores[k] = parts_.base_last[k] ? 0.0 : parts_.base[k];
}

void Ensemble::end_scores(double* scores) const {
  for (std::size_t k = 0; k < n_scores(); ++k) {
    if (!parts_.base_last[k]) continue;
    scores[k] += parts_.base[k];
    if (parts_.single_precision[k]) scores[k] = static_cast<float>(scores[k]);
  }
}

void Ensemble::add_scores(const table::Columns& rows, int n_threads, runtime::StopPoll& poll, double* scores) const {
  if (rows.n_rows() < kFewRows) {
    Scratch scratch;
    return for_each_row(rows, poll, [&](std::size_t i, const double* row) { add_scores(row, scores + i * n_scores(), scratch); });
  }
  const Flat& laid_out = flat(rows);
  laid_out.trees.for_each_block(rows, n_threads, poll, [&](FlatTrees::Block& block) {
    double* out = scores + block.begin() * n_scores();
    for (std::size_t i = 0; i < block.n_rows(); ++i) begin_scores(out + i * n_scores());
    for (std::size_t t = 0; t < n_trees(); ++t) add_tree(laid_out, t, block.find_leaves(t), out);
    for (std::size_t i = 0; i < block.n_rows(); ++i) end_scores(out + i * n_scores());
    Scratch scratch;
    for (const std::uint32_t i : block.spread()) add_scores(block.spread_row(i), out + i * n_scores(), scratch);
  });
}

void Ensemble::scores_of_leaves(std::span<const NodeId> leaves, double* scores) const {
  begin_scores(scores);
  for (std::size_t t = 0; t < n_trees(); ++t) add_values(t, parts_.trees[t]->output(leaves[t]), scores);
  end_scores(scores);
}

void Ensemble::add_scores(const double* row, double* scores, Scratch& scratch) const {
  begin_scores(scores);
  for (std::size_t t = 0; t < n_trees(); ++t) {
    scratch.values.assign(parts_.trees[t]->n_outputs(), 0.0);
    add_output(*parts_.trees[t], row, scratch.pending, scratch.values.data());
    add_values(t, scratch.values, scores);
  }
  end_scores(scores);
}

void Ensemble::tree_outputs(const double* row, double* outputs, Scratch& scratch) const {
  const std::size_t width = parts_.trees[0]->n_outputs();
  std::fill(outputs, outputs + n_trees() * width, 0.0);
  for (std::size_t t = 0; t < n_trees(); ++t) add_output(*parts_.trees[t], row, scratch.pending, outputs + t * width);
}

void Ensemble::tree_outputs(const table::Columns& rows, int n_threads, runtime::StopPoll& poll, double* outputs) const {
  const std::size_t width = parts_.trees[0]->n_outputs();
  const std::size_t stride = n_trees() * width;
  if (rows.n_rows() < kFewRows) {
    Scratch scratch;
    return for_each_row(rows, poll, [&](std::size_t i, const double* row) { tree_outputs(row, outputs + i * stride, scratch); });
  }
  const FlatTrees& trees = flat(rows).trees;
  trees.for_each_block(rows, n_threads, poll, [&](FlatTrees::Block& block) {
    double* out = outputs + block.begin() * stride;
    for (std::size_t t = 0; t < n_trees(); ++t) {
      const FlatTree& tree = trees[t];
      double* row = out + t * width;
      for (const std::uint32_t position : block.find_leaves(t)) {
        tree.tree().output(tree.node(position)).copy_to(row);
        row += stride;
      }
    }
    Scratch scratch;
    for (const std::uint32_t i : block.spread()) tree_outputs(block.spread_row(i), out + i * stride, scratch);
  });
}

void Ensemble::find_leaves(const table::Columns& rows, int n_threads, runtime::StopPoll& poll, NodeId* leaves) const {
  if (rows.n_rows() < kFewRows) {
    return for_each_row(rows, poll, [&](std::size_t i, const double* row) {
      for (std::size_t t = 0; t < n_trees(); ++t) leaves[i * n_trees() + t] = find_leaf(*parts_.trees[t], row);
    });
  }
  const FlatTrees& trees = flat(rows).trees;
  trees.for_each_block(rows, n_threads, poll, [&](FlatTrees::Block& block) {
    for (std::size_t t = 0; t < n_trees(); ++t) {
      const FlatTree& tree = trees[t];
      NodeId* leaf = leaves + block.begin() * n_trees() + t;
      for (const std::uint32_t position : block.find_leaves(t)) {
        *leaf = tree.node(position);
        leaf += n_trees();
      }
    }
  });
}

}  // namespace sightline::model
