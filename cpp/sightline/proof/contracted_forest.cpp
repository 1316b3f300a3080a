#include "sightline/proof/contracted_forest.hpp"

namespace sightline::proof {

ContractedForest::ContractedForest(const model::Ensemble& ensemble)
    : trees_(ensemble.parts().trees), n_trees_(trees_.size()), missing_only_(ensemble.n_features(), false) {
  entries_.reserve(2 * ensemble.n_nodes());
  for (const model::TreePtr& tree : trees_) {
    const std::size_t begin = entries_.size();
    for (model::NodeId v = 0; v < static_cast<model::NodeId>(tree->n_nodes()); ++v) {
      const auto feature = tree->is_leaf(v) ? ~static_cast<std::int32_t>(n_leaves_++) : tree->feature(v);
      entries_.push_back({v, 1, 0, feature});
    }
    for (auto v = static_cast<model::NodeId>(tree->n_nodes()); v-- > 0;) {
      const auto children = tree->children(v);
      for (std::size_t b = 0; b < children.size(); ++b) {
        entries_[begin + children[b]].branch = static_cast<std::int32_t>(b);
        entries_[begin + v].size += entries_[begin + children[b]].size;
      }
    }
    ranges_.push_back({begin, static_cast<std::int32_t>(tree->n_nodes())});
  }
  levels_.push_back({0, 0, false});
}

void ContractedForest::start(const Box& box) {
  while (levels_.size() > 1) leave();
  levels_.push_back({entries_.size(), kEvery, false});
  for (std::size_t f = 0; f < box.n_features(); ++f) set_missing_only(static_cast<std::int32_t>(f), !box.may_be_known(f));
  std::vector<std::int32_t> changed;
  contract_all(box, kEvery, changed);
}

void ContractedForest::set_missing_only(std::int32_t feature, bool value) {
  n_missing_only_ += value;
  n_missing_only_ -= missing_only_[feature];
  missing_only_[feature] = value;
}

void ContractedForest::enter(const Box& box, std::int32_t feature, std::vector<std::int32_t>& changed) {
  levels_.push_back({entries_.size(), feature, missing_only_[feature]});
  set_missing_only(feature, !box.may_be_known(feature));
  contract_all(box, feature, changed);
}

void ContractedForest::contract_all(const Box& box, std::int32_t feature, std::vector<std::int32_t>& changed) {
  changed.clear();
  const std::size_t before = ranges_.size() - n_trees_;
  for (std::size_t t = 0; t < n_trees_; ++t) {
    const Range old = ranges_[before + t];
    const Range now = old.size == 1 ? old : contracted(t, old, box, feature);
    // A node that begins to mix changes its tree's output, though not its shape: it was copied.
    if (now.begin != old.begin) changed.push_back(static_cast<std::int32_t>(t));
    ranges_.push_back(now);
  }
}

void ContractedForest::leave() {
  const Level& level = levels_.back();
  if (level.feature != kEvery) set_missing_only(level.feature, level.was_missing_only);
  entries_.resize(level.entries);
  ranges_.resize(ranges_.size() - n_trees_);
  levels_.pop_back();
}

std::size_t ContractedForest::only_child(const model::DecisionNodes& nodes, std::size_t index, const Box& box) const {
  std::size_t found = kNone;
  const std::size_t end = index + entries_[index].size;
  for (std::size_t child = index + 1; child < end; child += entries_[child].size) {
    if (!box.branch_possible(nodes, entries_[index].node, entries_[child].branch)) continue;
    if (found != kNone) return kNone;
    found = child;
  }
  return found;
}

ContractedForest::Range ContractedForest::without_decided_roots(const model::DecisionNodes& nodes, Range range, const Box& box,
                                                                std::int32_t feature) const {
  while (concerns(entries_[range.begin], feature)) {
    const std::size_t child = only_child(nodes, range.begin, box);
    if (child == kNone) break;
    range = {child, entries_[child].size};
  }
  return range;
}

bool ContractedForest::stays(const model::DecisionNodes& nodes, std::size_t index, const Box& box) const {
  const model::NodeId node = entries_[index].node;
  if (nodes.missing_branch(node) < 0 && missing_only_[entries_[index].feature]) return false;
  const std::size_t end = index + entries_[index].size;
  for (std::size_t child = index + 1; child < end; child += entries_[child].size) {
    if (!box.branch_possible(nodes, node, entries_[child].branch)) return false;
  }
  // A multiway test of a feature with one value is decided before any test.
  return entries_[index].size > entries_[index + 1].size + 1;
}

ContractedForest::Range ContractedForest::contracted(std::size_t t, Range range, const Box& box, std::int32_t feature) {
  const model::DecisionNodes& nodes = *trees_[t];
  range = without_decided_roots(nodes, range, box, feature);
  const std::size_t end = range.begin + range.size;
  for (std::size_t i = range.begin; i < end; ++i) {
    if (concerns(entries_[i], feature) && !stays(nodes, i, box)) return copied(nodes, range, box, feature);
  }
  return range;
}

struct ContractedForest::Live {
  const ContractedForest& forest;
  const model::DecisionNodes& nodes;
  const Box& box;

  std::size_t only_child(std::size_t i) const { return forest.only_child(nodes, i, box); }
  bool enter(std::size_t parent, std::size_t child) const {
    return box.branch_possible(nodes, forest[parent].node, forest[child].branch);
  }
  void leave(std::size_t) const {}
  static void take_place(Entry& entry, const Entry& old) { entry.branch = old.branch; }
};

ContractedForest::Range ContractedForest::copied(const model::DecisionNodes& nodes, Range range, const Box& box,
                                                 std::int32_t feature) {
  const std::size_t begin = entries_.size();
  const auto concerned = [feature](const Entry& entry) { return concerns(entry, feature); };
  contraction_.copy(entries_, range.begin, range.begin + range.size, entries_, concerned, Live{*this, nodes, box});
  return {begin, static_cast<std::int32_t>(entries_.size() - begin)};
}

}  // namespace sightline::proof
