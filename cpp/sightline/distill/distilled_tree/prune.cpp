#include "sightline/distill/distilled_tree/prune.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "sightline/distill/distilled_tree/subtree_losses.hpp"

namespace sightline::distill::distilled_tree {
namespace {

enum class Change : std::uint8_t { kLeaf, kRaiseYes, kRaiseNo };

struct Operation {
  double price = std::numeric_limits<double>::infinity();
  model::NodeId node = 0;
  Change change = Change::kLeaf;
  std::size_t freed = 0;
};

void apply(SmallTree& tree, const Operation& operation) {
  SmallNode& node = tree[operation.node];
  if (operation.change == Change::kLeaf) {
    node.feature = -1;
    return;
  }
  const SmallNode kept = tree[operation.change == Change::kRaiseYes ? node.yes : node.no];
  node = kept;
}

// The loss of every subtree now and after each possible change.
class Prices {
 public:
  Prices(const SmallTree& tree, const DistillationRows& rows)
      : tree_(tree),
        rows_(rows),
        node_rows_(tree.node_rows(rows)),
        fit_(rows),
        below_(rows),
        loss_(tree.n_nodes(), 0),
        leaves_(tree.n_nodes(), 1) {}

  // The cheapest operation of every inner node, if `excess` leaves are too many.
  std::vector<Operation> cheapest(std::size_t excess, runtime::StopPoll& poll) {
    std::vector<Operation> operations;
    for (auto v = static_cast<model::NodeId>(tree_.n_nodes()); v-- > 0;) {
      poll();
      const SmallNode& node = tree_[v];
      const double as_leaf = loss_as_leaf(v);
      if (node.is_leaf()) {
        loss_[v] = as_leaf;
        continue;
      }
      leaves_[v] = leaves_[node.yes] + leaves_[node.no];
      loss_[v] = loss_[node.yes] + loss_[node.no];
      Operation best{.node = v};
      offer(best, as_leaf, Change::kLeaf, leaves_[v] - 1, excess);
      offer(best, loss_[node.yes] + passed_on(node.yes, node.no), Change::kRaiseYes, leaves_[node.no], excess);
      offer(best, loss_[node.no] + passed_on(node.no, node.yes), Change::kRaiseNo, leaves_[node.yes], excess);
      operations.push_back(best);
    }
    std::stable_sort(operations.begin(), operations.end(),
                     [](const Operation& a, const Operation& b) { return a.price < b.price; });
    return operations;
  }

 private:
  double loss_as_leaf(model::NodeId v) {
    const auto own = node_rows_.of(v);
    if (own.empty()) return 0;
    fit_(own, leaf_);
    return loss_in(rows_, own, leaf_);
  }

  // Loss of the rows of one child if the other child predicted them.
  double passed_on(model::NodeId to, model::NodeId from) {
    const auto losses = below_(tree_, to, node_rows_.of(from));
    return std::accumulate(losses.begin(), losses.end(), 0.0);
  }

  void offer(Operation& best, double loss_after, Change change, std::size_t freed, std::size_t excess) const {
    const double rise = std::max(0.0, loss_after - loss_[best.node]);
    const double price = rise / static_cast<double>(std::min(freed, excess));
    // Ties go to the smaller step, so that less is decided before prices are computed again.
    if (price < best.price || (price == best.price && freed < best.freed)) best = {price, best.node, change, freed};
  }

  const SmallTree& tree_;
  const DistillationRows& rows_;
  NodeRows node_rows_;
  LeafFit fit_;
  SubtreeLosses below_;
  SmallNode leaf_;
  std::vector<double> loss_;
  std::vector<std::size_t> leaves_;
};

// Applies operations in order, in disjoint subtrees, while they remove at most `budget`
// leaves; always applies the first.
void apply_apart(SmallTree& tree, const std::vector<Operation>& operations, std::size_t budget) {
  std::vector<model::NodeId> parent(tree.n_nodes(), -1);
  for (model::NodeId v = 0; v < static_cast<model::NodeId>(tree.n_nodes()); ++v) {
    if (!tree[v].is_leaf()) parent[tree[v].yes] = parent[tree[v].no] = v;
  }
  std::vector<char> touched(tree.n_nodes(), false);  // changed, or above a change
  std::vector<char> replaced(tree.n_nodes(), false);
  std::size_t freed = 0;
  for (const Operation& operation : operations) {
    if (freed > 0 && freed + operation.freed > budget) continue;
    bool free = !touched[operation.node];
    for (model::NodeId p = parent[operation.node]; p >= 0 && free; p = parent[p]) free = !replaced[p];
    if (!free) continue;
    apply(tree, operation);
    replaced[operation.node] = true;
    for (model::NodeId p = operation.node; p >= 0 && !touched[p]; p = parent[p]) touched[p] = true;
    freed += operation.freed;
  }
}

}  // namespace

void prune_to(SmallTree& tree, const DistillationRows& rows, std::size_t n_leaves, runtime::StopPoll& poll) {
  tree.compact();
  for (std::size_t have = tree.n_leaves(); have > n_leaves; have = tree.n_leaves()) {
    const std::size_t excess = have - n_leaves;
    const std::vector<Operation> operations = Prices(tree, rows).cheapest(excess, poll);
    apply_apart(tree, operations, (excess + 1) / 2);
    tree.compact();
    tree.refit(rows);
  }
}

}  // namespace sightline::distill::distilled_tree
