#include "sightline/learn/c45/pruner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sightline/learn/c45/branches.hpp"
#include "sightline/learn/c45/measures.hpp"
#include "sightline/learn/c45/prune.hpp"

namespace sightline::learn::c45 {

void Pruner::prune(GrownTree& tree, const TrainingSet& training, const ErrorEstimate& estimate, bool subtree_raising,
                   RowGatherer& gatherer, runtime::StopPoll& poll) {
  gatherer.start(tree, training);
  start_store(tree, training, estimate, subtree_raising, gatherer);
  poll_ = &poll;
  source_ = nullptr;
  make_room(0);
  find_missing(0);
  settle_below(0);
}

void Pruner::start_store(GrownTree& store, const TrainingSet& training, const ErrorEstimate& estimate, bool subtree_raising,
                         RowGatherer& gatherer) {
  tree_ = &store;
  training_ = &training;
  estimate_ = &estimate;
  subtree_raising_ = subtree_raising;
  gatherer_ = &gatherer;
  errors_.clear();
  may_repeat_.clear();
}

void Pruner::add_leaf(model::NodeId leaf) {
  make_room(leaf);
  errors_[leaf] = (*estimate_)(tree_->counts_of(leaf));
}

bool Pruner::add_and_prune(model::NodeId node, const RowSource& rows, runtime::StopPoll& poll) {
  poll_ = &poll;
  source_ = &rows;
  make_room(node);
  find_missing(node);
  poll_stop(1);
  const bool is_raised = settle(node);
  source_ = nullptr;
  if (!is_raised) return false;
  settle_below(node);
  // Shared copies keep their rows elsewhere.
  for (auto v = static_cast<std::size_t>(node); v < tree_->nodes.size(); ++v) tree_->nodes[v].n_rows = tree_->nodes[v].room = 0;
  tree_->rows.clear();
  return true;
}

// Enters a node before its children and leaves it after them.
void Pruner::settle_below(model::NodeId root) {
  stack_.assign(1, {root, false});
  while (!stack_.empty()) {
    const auto [v, sons_done] = stack_.back();
    stack_.pop_back();
    if (tree_->nodes[v].is_leaf()) {
      errors_[v] = (*estimate_)(tree_->counts_of(v));
    } else if (!sons_done) {
      stack_.emplace_back(v, true);
      for (const model::NodeId child : tree_->children_of(v)) stack_.emplace_back(child, false);
    } else {
      poll_stop(1);
      // After raising, visit the node and its new children again.
      if (settle(v)) stack_.emplace_back(v, false);
    }
  }
}

// Reading the clock is expensive compared with a small node.
void Pruner::poll_stop(std::size_t n_rows) {
  constexpr std::size_t kRowsBetween = 10'000;
  n_rows_passed_ += n_rows;
  if (n_rows_passed_ < kRowsBetween) return;
  n_rows_passed_ = 0;
  (*poll_)();
}

// For the nodes from `first` on; earlier nodes may exist.
void Pruner::make_room(model::NodeId first) {
  errors_.resize(first);
  errors_.resize(tree_->nodes.size(), 0.0);
  may_repeat_.resize(first);
  may_repeat_.resize(tree_->nodes.size(), false);
}

// For the nodes from `first` on. Their children follow them or are known already.
void Pruner::find_missing(model::NodeId first) {
  if (!gatherer_->fragments_repeat()) return;
  for (auto v = static_cast<model::NodeId>(tree_->nodes.size()); v-- > first;) {
    if (tree_->nodes[v].is_leaf()) continue;
    may_repeat_[v] = gatherer_->is_incomplete(tree_->nodes[v].feature);
    for (const model::NodeId child : tree_->children_of(v)) may_repeat_[v] = may_repeat_[v] || may_repeat_[child];
  }
}

// Prunes a node whose children are pruned. Returns whether a branch was raised.
bool Pruner::settle(model::NodeId v) {
  const double as_leaf = (*estimate_)(tree_->counts_of(v));
  double as_tree = 0;
  for (const model::NodeId child : tree_->children_of(v)) as_tree += errors_[child];
  const model::NodeId largest = largest_branch(v);
  const double as_branch = errors_as_branch(v, largest, as_leaf, as_tree);
  if (at_most(as_leaf, as_tree + kSlack) && at_most(as_leaf, as_branch + kSlack)) {
    gatherer_->make_leaf(*tree_, v);
    errors_[v] = as_leaf;
    return false;
  }
  if (at_most(as_branch, as_tree + kSlack)) {
    raise(v, largest);
    return true;
  }
  errors_[v] = as_tree;
  return false;
}

// On ties, the last one.
model::NodeId Pruner::largest_branch(model::NodeId v) const {
  const auto children = tree_->children_of(v);
  model::NodeId largest = children[0];
  for (const model::NodeId child : children) {
    if (at_least(tree_->nodes[child].weight, tree_->nodes[largest].weight)) largest = child;
  }
  return largest;
}

double Pruner::errors_as_branch(model::NodeId v, model::NodeId branch, double as_leaf, double as_tree) {
  if (!subtree_raising_) return std::numeric_limits<double>::infinity();
  if (tree_->nodes[branch].is_leaf()) return as_leaf;
  // Counts are only compared here, so if no row is in two leaves they may be summed in a different order.
  counts_add_up_ = !may_repeat_[v];
  gather_rows_for(v, branch);
  // With more errors than this the branch is neither raised nor better than a leaf, so counting can stop. A leaf that is
  // worse than the tree does not matter.
  enough_ = (as_leaf > as_tree + 2 * kSlack ? as_tree : std::max(as_leaf, as_tree)) + 2 * kSlack;
  return pass_down(branch, false);
}

void Pruner::raise(model::NodeId v, model::NodeId branch) {
  if (source_ != nullptr) branch = copy_of(branch);
  // The leaves of a copy hold no rows.
  counts_add_up_ = source_ == nullptr && !gatherer_->fragments_repeat();
  gather_rows_for(v, branch);
  enough_ = std::numeric_limits<double>::infinity();
  pass_down(branch, true);
  tree_->nodes[v] = tree_->nodes[branch];
  may_repeat_[v] = may_repeat_[branch];
}

model::NodeId Pruner::copy_of(model::NodeId branch) {
  copied_.clear(tree_->n_classes);
  copier_.copy(*tree_, branch, copied_);
  const auto first = static_cast<model::NodeId>(tree_->nodes.size());
  copier_.copy(copied_, 0, *tree_);
  make_room(first);
  find_missing(first);
  return first;
}

// Gathers the rows that the branch would have to take. Without missing values its own rows stay where they are and counts
// add up, so only the rows of the other branches are needed.
void Pruner::gather_rows_for(model::NodeId v, model::NodeId branch) {
  const auto children = tree_->children_of(v);
  if (source_ != nullptr) {
    std::optional<std::size_t> without;
    if (counts_add_up_) without = std::find(children.begin(), children.end(), branch) - children.begin();
    source_->gather(without, rows_);
    return;
  }
  sources_.assign(children.begin(), children.end());
  if (counts_add_up_) std::erase(sources_, branch);
  gatherer_->gather(*tree_, sources_, !counts_add_up_, rows_);
}

// Expected errors of a subtree after passing the gathered rows down; `keep` applies the change.
double Pruner::pass_down(model::NodeId root, bool keep) {
  double sum = counts_add_up_ ? errors_[root] : 0;
  passing_.clear();
  passing_.push_back({root, take_list()});
  std::swap(passing_.back().rows, rows_);
  while (!passing_.empty()) {
    poll_stop(passing_.back().rows.size() + 1);
    Passing here = std::move(passing_.back());
    passing_.pop_back();
    const bool is_leaf = tree_->nodes[here.node].is_leaf();
    if (is_leaf || keep) count(here.node, here.rows);
    if (is_leaf) {
      sum += (*estimate_)(counts_);
      if (counts_add_up_) sum -= errors_[here.node];
    } else {
      divide(here.node, here.rows);
    }
    if (keep) take_over(here.node, here.rows);
    free_lists_.push_back(std::move(here.rows));
    if (sum > enough_) break;
  }
  for (Passing& rest : passing_) free_lists_.push_back(std::move(rest.rows));
  return sum;
}

// Moves the rows of a leaf to the end of the list, where there is room for more.
void Pruner::take_over(model::NodeId v, const std::vector<Fragment>& rows) {
  tree_->set_counts(v, counts_);
  GrownNode& node = tree_->nodes[v];
  node.weight = std::accumulate(counts_.begin(), counts_.end(), 0.0);
  if (!node.is_leaf()) return;
  auto& all = tree_->rows;
  const std::size_t first = all.size();
  const std::size_t n_kept = counts_add_up_ ? node.n_rows : 0;
  all.reserve(all.size() + n_kept + rows.size());
  for (std::size_t i = 0; i < n_kept; ++i) all.push_back(all[node.first_row + i]);
  all.insert(all.end(), rows.begin(), rows.end());
  tree_->close_leaf(v, first);
}

void Pruner::count(model::NodeId v, const std::vector<Fragment>& rows) {
  if (counts_add_up_) {
    counts_.resize(tree_->n_classes);
    tree_->counts_of(v).copy_to(counts_.data());
  } else {
    counts_.assign(tree_->n_classes, 0.0);
  }
  for (const Fragment& fragment : rows) counts_[training_->label[fragment.row]] += fragment.weight;
}

// Distributes the known values first, then the missing ones in proportion.
void Pruner::divide(model::NodeId v, const std::vector<Fragment>& rows) {
  const GrownNode& node = tree_->nodes[v];
  const std::size_t first = passing_.size();
  const std::size_t n_branches = node.n_children;
  for (const model::NodeId child : tree_->children_of(v)) passing_.push_back({child, take_list()});
  known_.assign(n_branches, 0.0);
  missing_.clear();
  distribute(node, rows, first);
  if (missing_.empty() && counts_add_up_) return drop_empty(first);
  const double total = std::accumulate(known_.begin(), known_.end(), 0.0);
  for (std::size_t b = 0; b < n_branches; ++b) {
    const double share = equal(total, 0) ? 1.0 / static_cast<double>(n_branches) : known_[b] / total;
    if (!greater(share, 0)) continue;
    for (const Fragment& fragment : missing_) passing_[first + b].rows.push_back({fragment.row, fragment.weight * share});
  }
}

void Pruner::drop_empty(std::size_t first) {
  for (std::size_t i = passing_.size(); i-- > first;) {
    if (!passing_[i].rows.empty()) continue;
    std::swap(passing_[i], passing_.back());
    free_lists_.push_back(std::move(passing_.back().rows));
    passing_.pop_back();
  }
}

// Appends rows to the lists that begin at `first`, and rows with a missing value to `missing_`.
void Pruner::distribute(const GrownNode& node, const std::vector<Fragment>& rows, std::size_t first) {
  const table::Column& column = (*training_->columns)[node.feature];
  const std::uint32_t* table_row = training_->table_row.data();
  const auto append = [&](const Fragment& fragment, std::int32_t branch) {
    passing_[first + branch].rows.push_back(fragment);
    known_[branch] += fragment.weight;
  };
  if (node.test == model::Test::kThreshold) {
    for (const Fragment& fragment : rows) {
      const double value = column.number(table_row[fragment.row]);
      std::isnan(value) ? missing_.push_back(fragment) : append(fragment, !(value <= node.threshold));
    }
    return;
  }
  const auto values = tree_->values_of(node);
  for (const Fragment& fragment : rows) {
    const std::int32_t code = column.code(table_row[fragment.row]);
    if (code < 0 || code >= column.n_values()) {
      missing_.push_back(fragment);
    } else {
      append(fragment, node.test == model::Test::kMultiway ? code : !is_among(values, code));
    }
  }
}

std::vector<Fragment> Pruner::take_list() {
  if (free_lists_.empty()) return {};
  std::vector<Fragment> list = std::move(free_lists_.back());
  free_lists_.pop_back();
  list.clear();
  return list;
}

}  // namespace sightline::learn::c45
