#include "sightline/distill/distilled_tree/small_leaves.hpp"

#include <compare>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace sightline::distill::distilled_tree {
namespace {

class SmallLeaves {
 public:
  SmallLeaves(SmallTree& tree, const DistillationRows& rows)
      : tree_(tree), rows_(rows), parent_(tree.n_nodes(), -1), support_(tree.n_nodes(), 0.0), training_(tree.n_nodes()) {
    const NodeRows node_rows = tree.node_rows(rows);
    for (model::NodeId v = 0; v < static_cast<model::NodeId>(tree.n_nodes()); ++v) {
      if (!tree[v].is_leaf()) {
        parent_[tree[v].yes] = parent_[tree[v].no] = v;
        continue;
      }
      for (const std::uint32_t row : node_rows.of(v)) {
        if (!rows.is_artificial(row)) receive(v, row);
      }
      enter(v);
    }
  }

  void remove() {
    while (!waiting_.empty()) {
      const model::NodeId leaf = waiting_.begin()->leaf;
      waiting_.erase(waiting_.begin());
      remove(leaf);
    }
    tree_.compact();
  }

 private:
  // Ties go to the parent that comes first, and to its yes branch. Numbers of nodes stay in depth-first order: what
  // replaces a parent takes its number.
  struct Entry {
    double support;
    model::NodeId parent;
    bool is_no;
    model::NodeId leaf;
    auto operator<=>(const Entry&) const = default;
  };

  Entry entry(model::NodeId leaf) const { return {support_[leaf], parent_[leaf], tree_[parent_[leaf]].no == leaf, leaf}; }
  void enter(model::NodeId leaf) {
    if (parent_[leaf] >= 0 && support_[leaf] < rows_.limits().min_leaf) waiting_.insert(entry(leaf));
  }
  void leave(model::NodeId leaf) { waiting_.erase(entry(leaf)); }
  void receive(model::NodeId leaf, std::uint32_t row) {
    training_[leaf].push_back(row);
    support_[leaf] += rows_.weight(row);
  }

  void remove(model::NodeId leaf) {
    const model::NodeId v = parent_[leaf];
    const model::NodeId sibling = tree_[v].yes == leaf ? tree_[v].no : tree_[v].yes;
    if (tree_[sibling].is_leaf()) {
      leave(sibling);
    } else {
      leave_children(sibling);
    }
    const SmallNode kept = tree_[sibling];
    tree_[v] = kept;
    training_[v] = std::move(training_[sibling]);
    support_[v] = support_[sibling];
    if (kept.is_leaf()) {
      for (const std::uint32_t row : training_[leaf]) receive(v, row);
      enter(v);
      return;
    }
    parent_[kept.yes] = parent_[kept.no] = v;
    for (const model::NodeId child : {kept.yes, kept.no}) {
      if (tree_[child].is_leaf()) enter(child);
    }
    for (const std::uint32_t row : training_[leaf]) {
      const model::NodeId to = tree_.leaf_of(rows_, v, row);
      leave(to);
      receive(to, row);
      enter(to);
    }
  }

  void leave_children(model::NodeId v) {
    for (const model::NodeId child : {tree_[v].yes, tree_[v].no}) {
      if (tree_[child].is_leaf()) leave(child);
    }
  }

  SmallTree& tree_;
  const DistillationRows& rows_;
  std::vector<model::NodeId> parent_;
  std::vector<double> support_;
  std::vector<std::vector<std::uint32_t>> training_;  // rows of leaves
  std::set<Entry> waiting_;                           // leaves that are too small, each with a parent
};

}  // namespace

void remove_small_leaves(SmallTree& tree, const DistillationRows& rows) { SmallLeaves(tree, rows).remove(); }

}  // namespace sightline::distill::distilled_tree
