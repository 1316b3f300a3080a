#include "sightline/model/ensemble.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

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
}

const std::vector<FlatTree>& Ensemble::flat() const {
  std::call_once(is_flat_, [&] { flat_ = {parts_.trees.begin(), parts_.trees.end()}; });
  return flat_;
}

std::size_t Ensemble::n_nodes() const {
  std::size_t total = 0;
  for (const TreePtr& tree : parts_.trees) total += tree->n_nodes();
  return total;
}

void Ensemble::add_values(std::size_t t, NumberRow<double> values, double* scores) const {
  const double weight = parts_.tree_weight[t];
  const auto add = [&](std::size_t k, double value) {
    scores[k] += value;
    if (parts_.single_precision[k]) scores[k] = static_cast<float>(scores[k]);
  };
  if (parts_.combine == Combine::kVote) {
    const std::size_t vote = argmax(values, parts_.tie_tolerance);
    for (std::size_t k = 0; k < n_scores(); ++k) add(k, k == vote ? weight : parts_.vote_against[t]);
  } else if (parts_.tree_score[t] >= 0) {
    add(parts_.tree_score[t], weight * values[0]);
  } else if (rounds_any_) {
    for (std::size_t k = 0; k < n_scores(); ++k) add(k, weight * values[k]);
  } else {
    values.for_each([&](std::size_t k, double value) { scores[k] += weight * value; });
  }
}

// The common case of add_values, with every question asked once per tree and not per row.
void Ensemble::add_outputs(std::size_t t, std::size_t n_rows, const NodeId* leaves, double* scores) const {
  const Tree& tree = *parts_.trees[t];
  const double weight = parts_.tree_weight[t];
  double* score = scores + std::max(parts_.tree_score[t], 0);
  for (std::size_t i = 0; i < n_rows; ++i, score += n_scores()) {
    tree.output(leaves[i]).for_each([&](std::size_t k, double value) { score[k] += weight * value; });
  }
}

void Ensemble::add_tree(std::size_t t, const double* block, std::size_t n_rows, const NodeId* leaves, double* scores) const {
  const Tree& tree = *parts_.trees[t];
  if (leaves != nullptr && parts_.combine == Combine::kOutput && !rounds_any_) {
    return add_outputs(t, n_rows, leaves, scores);
  }
  if (leaves != nullptr) {
    for (std::size_t i = 0; i < n_rows; ++i) add_values(t, tree.output(leaves[i]), scores + i * n_scores());
    return;
  }
  std::vector<FlatTree::Pending> pending;
  std::vector<double> values(tree.n_outputs());
  for (std::size_t i = 0; i < n_rows; ++i) {
    std::fill(values.begin(), values.end(), 0.0);
    flat()[t].add_output(block + i * n_features(), values.data(), pending);
    add_values(t, values, scores + i * n_scores());
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
  for_each_block(rows, n_threads, poll, [&](std::size_t begin, std::size_t end, const double* block, bool any_missing) {
    NodeId leaves[kBlockRows];
    double* out = scores + begin * n_scores();
    for (std::size_t i = begin; i < end; ++i) begin_scores(scores + i * n_scores());
    for (std::size_t t = 0; t < n_trees(); ++t) {
      if (!any_missing) flat()[t].find_leaves(block, end - begin, leaves);
      add_tree(t, block, end - begin, any_missing ? nullptr : leaves, out);
    }
    for (std::size_t i = begin; i < end; ++i) end_scores(scores + i * n_scores());
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
    flat()[t].add_output(row, scratch.values.data(), scratch.pending);
    add_values(t, scratch.values, scores);
  }
  end_scores(scores);
}

void Ensemble::tree_outputs(const table::Columns& rows, int n_threads, runtime::StopPoll& poll, double* outputs) const {
  const std::size_t width = parts_.trees[0]->n_outputs();
  for_each_block(rows, n_threads, poll, [&](std::size_t begin, std::size_t end, const double* block, bool) {
    std::vector<FlatTree::Pending> pending;
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t t = 0; t < n_trees(); ++t) {
        double* out = outputs + (i * n_trees() + t) * width;
        std::fill(out, out + width, 0.0);
        flat()[t].add_output(block + (i - begin) * n_features(), out, pending);
      }
    }
  });
}

void Ensemble::tree_outputs(const double* row, double* outputs, Scratch& scratch) const {
  for (std::size_t t = 0; t < n_trees(); ++t) {
    outputs[t] = 0;
    flat()[t].add_output(row, outputs + t, scratch.pending);
  }
}

void Ensemble::find_leaves(const table::Columns& rows, int n_threads, runtime::StopPoll& poll, NodeId* leaves) const {
  for_each_block(rows, n_threads, poll, [&](std::size_t begin, std::size_t end, const double* block, bool any_missing) {
    NodeId found[kBlockRows];
    for (std::size_t t = 0; t < n_trees(); ++t) {
      if (!any_missing) flat()[t].find_leaves(block, end - begin, found);
      for (std::size_t i = begin; i < end; ++i) {
        const double* row = block + (i - begin) * n_features();
        leaves[i * n_trees() + t] = any_missing ? flat()[t].find_leaf(row) : found[i - begin];
      }
    }
  });
}

}  // namespace sightline::model
