#include "sightline/proof/smallest/tree_diagrams.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sightline::proof::smallest {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

TreeDiagrams::TreeDiagrams(BoxedEnsemble& model, const Atoms& atoms, runtime::StopPoll& poll)
    : model_(model),
      atoms_(atoms),
      diagram_(atoms),
      n_axes_(model.n_axes()),
      has_pairs_(n_axes_ > 1 && !model.has_formula()),
      width_(has_pairs_ ? n_axes_ * n_axes_ : 2 * n_axes_),
      poll_(poll) {
  for (const model::TreePtr& tree : model.ensemble().parts().trees) {
    bool spreads = false;
    for (model::NodeId v = 0; v < static_cast<model::NodeId>(tree->n_nodes()); ++v) {
      spreads = spreads ||
                (!tree->is_leaf(v) && tree->missing_branch(v) < 0 && atoms.level(atoms.level_of(tree->feature(v))).missing_apart);
    }
    spreads_.push_back(spreads);
  }
}

std::optional<std::vector<Diagram::Id>> TreeDiagrams::convert(std::span<const Step> steps, const BuildLimits& limits) {
  budget_.emplace(std::numeric_limits<std::int64_t>::max(), limits.max_seconds, poll_);
  max_size_ = diagram_.size() + static_cast<std::size_t>(limits.max_states);
  max_bytes_ = limits.max_bytes;
  std::vector<Id> roots;
  for (std::size_t t = 0; t < model_.ensemble().n_trees(); ++t) {
    Id root = converted(t);
    if (is_full()) return std::nullopt;
    for (const Step& step : steps) root = diagram_.outcome(root, step.test, step.outcome);
    roots.push_back(root);
  }
  bound_new_nodes();
  return roots;
}

// Children lie behind their parents in the contracted forest, so one pass backwards does.
Diagram::Id TreeDiagrams::converted(std::size_t t) {
  const ContractedForest& forest = model_.forest();
  const auto range = forest.tree(t);
  const model::DecisionNodes& nodes = forest.nodes(t);
  leaves_.clear();
  mixed_.clear();
  mixed_bytes_ = 0;
  std::vector<Id> id(range.size);
  for (std::int32_t i = range.size; i-- > 0;) {
    const ContractedForest::Entry& entry = forest[range.begin + static_cast<std::size_t>(i)];
    if (entry.is_leaf()) {
      id[i] = terminal(t, {entry.node});
      continue;
    }
    // What no row of the box takes repeats another part: steps that lead to the box take it away.
    std::vector<Id> parts(nodes.children(entry.node).size(), id[i + 1]), spread;
    for (std::int32_t child = i + 1; child < i + entry.size; child += forest[range.begin + child].size) {
      const std::int32_t branch = forest[range.begin + child].branch;
      parts[branch] = id[child];
      if (nodes.takes_missing(entry.node, branch)) spread.push_back(id[child]);
    }
    const std::int32_t level = atoms_.level_of(entry.feature);
    std::vector<std::int32_t> part_of;
    for (const double value : atoms_.level(level).value) {
      std::int32_t part = Atoms::branch(nodes, entry.node, value);
      if (part < 0) {
        part = static_cast<std::int32_t>(parts.size());
        // Where a branch of it is gone, no value is missing in the box.
        const auto shares = nodes.shares(entry.node);
        const auto n_shares = std::count_if(shares.begin(), shares.end(), [](double share) { return share > 0; });
        parts.push_back(static_cast<std::ptrdiff_t>(spread.size()) < n_shares ? id[i + 1] : mixture(t, spread));
      }
      part_of.push_back(part);
    }
    joined_.clear();
    joined_bytes_ = 0;
    id[i] = joined(level, part_of, parts);
    spend();
    if (is_full()) return Diagram::kDead;
  }
  return id[0];
}

std::vector<double> TreeDiagrams::mixed_output(std::size_t t, const Leaves& leaves) const {
  const model::Tree& tree = *model_.ensemble().parts().trees[t];
  if (leaves.size() == 1) return tree.output(leaves[0]).in_full();
  // The leaves show where the row was spread: wherever more than one child leads to some of them.
  std::vector<char> reached(tree.n_nodes(), 0);
  for (const model::NodeId leaf : leaves) reached[leaf] = 1;
  std::vector<std::vector<double>> output(tree.n_nodes());
  for (auto v = static_cast<model::NodeId>(tree.n_nodes()); v-- > 0;) {
    if (tree.is_leaf(v)) {
      if (reached[v]) output[v] = tree.output(v).in_full();
      continue;
    }
    const auto children = tree.children(v);
    const auto n = std::count_if(children.begin(), children.end(), [&](model::NodeId child) { return reached[child] != 0; });
    reached[v] = n > 0;
    if (n == 0) continue;
    output[v].assign(tree.n_outputs(), 0.0);
    for (std::size_t b = 0; b < children.size(); ++b) {
      if (!reached[children[b]]) continue;
      const double share = n > 1 ? tree.shares(v)[b] : 1.0;
      for (std::size_t k = 0; k < tree.n_outputs(); ++k) output[v][k] += share * output[children[b]][k];
    }
  }
  return output[0];
}

Diagram::Id TreeDiagrams::terminal(std::size_t t, const Leaves& leaves) {
  const model::EnsembleParts& parts = model_.ensemble().parts();
  const model::Tree& tree = *parts.trees[t];
  Id* found = nullptr;
  if (spreads_[t]) {
    found = &mixtures_.emplace(std::pair(t, leaves), Diagram::kDead).first->second;
  } else {
    const std::vector<double> output = tree.output(leaves[0]).in_full();
    std::vector<double> key{parts.tree_weight[t], static_cast<double>(parts.tree_score[t])};
    if (parts.combine == model::Combine::kVote) {
      key.push_back(parts.vote_against[t]);
      key.push_back(static_cast<double>(model::argmax(output, parts.tie_tolerance)));
    } else {
      key.insert(key.end(), output.begin(), output.end());
    }
    found = &plain_.emplace(std::move(key), Diagram::kDead).first->second;
  }
  if (*found == Diagram::kDead) {
    *found = diagram_.add_terminal();
    bound_terminal(t, leaves, *found);
    if (spreads_[t]) mixture_bytes_ += bytes_of(leaves);
  }
  if (leaves_.emplace(*found, leaves).second) mixed_bytes_ += bytes_of(leaves);
  return *found;
}

void TreeDiagrams::include(const double* values, double* bounds) const {
  for (std::size_t a = 0; a < n_axes_; ++a) {
    if (!has_pairs_) {
      bounds[a] = std::min(bounds[a], values[a]);
      bounds[n_axes_ + a] = std::min(bounds[n_axes_ + a], -values[a]);
      continue;
    }
    for (std::size_t b = 0; b < n_axes_; ++b) {
      bounds[a * n_axes_ + b] = std::min(bounds[a * n_axes_ + b], values[a] - values[b]);
    }
  }
}

void TreeDiagrams::bound_terminal(std::size_t t, const Leaves& leaves, Id id) {
  bounds_.resize((static_cast<std::size_t>(id) + 1) * width_, kInfinity);
  values_.resize((static_cast<std::size_t>(id) + 1) * n_axes_, 0.0);
  double* values = values_.data() + static_cast<std::size_t>(id) * n_axes_;
  double* bounds = bounds_.data() + static_cast<std::size_t>(id) * width_;
  const model::EnsembleParts& parts = model_.ensemble().parts();
  const std::vector<double> output = mixed_output(t, leaves);
  if (leaves.size() == 1 || parts.combine != model::Combine::kVote) {
    model_.values_of(t, output, values);
    return include(values, bounds);
  }
  // Rounding may decide between votes that are close.
  double magnitude = parts.tie_tolerance;
  for (const double value : output) magnitude = std::max(magnitude, std::abs(value));
  const double n = static_cast<double>(parts.trees[t]->n_nodes()) + 4;
  const double close = parts.tie_tolerance + 16 * n * std::numeric_limits<double>::epsilon() * 2 * magnitude;
  const double top = *std::max_element(output.begin(), output.end());
  for (std::size_t k = 0; k < output.size(); ++k) {
    if (output[k] < top - close) continue;
    model_.values_of_vote(t, k, values);
    include(values, bounds);
  }
}

// Children have lower numbers than parents.
void TreeDiagrams::bound_new_nodes() {
  bounds_.resize(diagram_.size() * width_, kInfinity);
  values_.resize(diagram_.size() * n_axes_, 0.0);
  for (; n_bounded_ < static_cast<Id>(diagram_.size()); ++n_bounded_) {
    const Id id = n_bounded_;
    double* own = bounds_.data() + static_cast<std::size_t>(id) * width_;
    if (diagram_.is_terminal(id)) continue;
    for (const Diagram::Run& run : diagram_.runs(id)) {
      if (run.child == Diagram::kDead) continue;
      for (std::size_t a = 0; a < width_; ++a) own[a] = std::min(own[a], bounds(run.child)[a]);
    }
  }
}

// Recursion goes down by at least one level at a time.
template <class Combine>
Diagram::Id TreeDiagrams::apart(std::int32_t level, const std::vector<Id>& parts, Combine combine) {
  std::vector<std::int32_t> ends;
  for (const Id part : parts) {
    if (diagram_.level(part) != level) continue;
    for (const Diagram::Run& run : diagram_.runs(part)) ends.push_back(run.last);
  }
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  std::vector<Diagram::Run> runs;
  std::vector<Id> below(parts.size());
  for (const std::int32_t end : ends) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      below[i] = diagram_.level(parts[i]) == level ? diagram_.child(parts[i], end) : parts[i];
    }
    runs.push_back({combine(below), end});
    spend();
    if (is_full()) return parts[0];
  }
  return diagram_.node(level, runs);
}

Diagram::Id TreeDiagrams::joined(std::int32_t level, const std::vector<std::int32_t>& part_of, const std::vector<Id>& parts) {
  const auto known = joined_.find(parts);
  if (known != joined_.end()) return known->second;
  std::int32_t top = level;
  for (const Id part : parts) top = std::min(top, diagram_.level(part));
  Id result;
  if (top < level) {
    result = apart(top, parts, [&](const std::vector<Id>& below) { return joined(level, part_of, below); });
  } else {
    std::vector<Diagram::Run> runs;
    for (std::size_t atom = 0; atom < part_of.size(); ++atom) {
      const Id part = parts[part_of[atom]];
      const auto at = static_cast<std::int32_t>(atom);
      runs.push_back({diagram_.level(part) == level ? diagram_.child(part, at) : part, at});
    }
    result = diagram_.node(level, runs);
  }
  joined_.emplace(parts, result);
  joined_bytes_ += bytes_of(parts);
  return result;
}

Diagram::Id TreeDiagrams::mixture(std::size_t tree, const std::vector<Id>& parts) {
  const auto known = mixed_.find(parts);
  if (known != mixed_.end()) return known->second;
  std::int32_t top = static_cast<std::int32_t>(atoms_.n_levels());
  for (const Id part : parts) top = std::min(top, diagram_.level(part));
  Id result;
  if (top < static_cast<std::int32_t>(atoms_.n_levels())) {
    result = apart(top, parts, [&](const std::vector<Id>& below) { return mixture(tree, below); });
  } else {
    Leaves all;
    for (const Id part : parts) {
      const Leaves& some = leaves_.at(part);
      all.insert(all.end(), some.begin(), some.end());
    }
    std::sort(all.begin(), all.end());
    result = terminal(tree, all);
  }
  mixed_.emplace(parts, result);
  mixed_bytes_ += bytes_of(parts);
  return result;
}

}  // namespace sightline::proof::smallest
