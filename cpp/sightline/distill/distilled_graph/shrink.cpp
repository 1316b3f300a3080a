#include "sightline/distill/distilled_graph/shrink.hpp"

#include <algorithm>
#include <limits>

#include "sightline/distill/distilled_graph/sharing.hpp"

namespace sightline::distill::distilled_graph {
namespace {

using distilled_tree::LeafFit;
using distilled_tree::loss_in;
using distilled_tree::loss_of;
using distilled_tree::NodeRows;
using distilled_tree::SmallNode;

constexpr model::NodeId kNewLeaf = -1;
// Losses of every row from every node, at most. Beyond it every second row is passed over, and so on.
constexpr std::size_t kMaxLosses = std::size_t{1} << 22;

// A square table: which nodes each node leads to, itself included.
class Reach {
 public:
  explicit Reach(const SmallTree& graph) : n_(graph.n_nodes()), leads_(n_ * n_, false) {
    for (std::size_t v = n_; v-- > 0;) {
      char* own = leads_.data() + v * n_;
      own[v] = true;
      const SmallNode& node = graph[static_cast<model::NodeId>(v)];
      if (node.is_leaf()) continue;
      for (const model::NodeId child : {node.yes, node.no}) {
        const char* below = leads_.data() + static_cast<std::size_t>(child) * n_;
        for (std::size_t t = v; t < n_; ++t) own[t] |= below[t];
      }
    }
  }
  bool operator()(model::NodeId from, model::NodeId to) const {
    return leads_[static_cast<std::size_t>(from) * n_ + static_cast<std::size_t>(to)] != 0;
  }

 private:
  std::size_t n_;
  std::vector<char> leads_;
};

struct Change {
  double price = std::numeric_limits<double>::infinity();
  model::NodeId node = 0;
  model::NodeId to = kNewLeaf;
  std::size_t freed = 0;
};

class Round {
 public:
  Round(SmallTree& graph, const DistillationRows& rows, std::size_t excess, runtime::StopPoll& poll)
      : graph_(graph),
        rows_(rows),
        n_nodes_(static_cast<model::NodeId>(graph.n_nodes())),
        excess_(excess),
        poll_(poll),
        node_rows_(graph.node_rows(rows)),
        fit_(rows),
        reach_(graph) {
    step_ = 1 + graph.n_nodes() * rows.n_rows() / kMaxLosses;
    find_losses();
    find_depths();
  }

  void run() {
    std::vector<Change> changes;
    for (model::NodeId v = 0; v < n_nodes_; ++v) {
      poll_();
      if (!graph_[v].is_leaf()) changes.push_back(cheapest(v));
    }
    std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.price < b.price; });
    apply_apart(changes, (excess_ + 1) / 2);
    join_equal(graph_);
    graph_.refit(rows_);
  }

 private:
  std::size_t n_priced() const { return (rows_.n_rows() + step_ - 1) / step_; }
  const float* losses_from(model::NodeId v) const { return loss_.data() + static_cast<std::size_t>(v) * n_priced(); }

  // What every row would lose from every node on, children first.
  void find_losses() {
    loss_.resize(graph_.n_nodes() * n_priced());
    for (model::NodeId v = n_nodes_; v-- > 0;) {
      poll_();
      const SmallNode& node = graph_[v];
      float* own = loss_.data() + static_cast<std::size_t>(v) * n_priced();
      for (std::size_t i = 0; i < n_priced(); ++i) {
        const auto row = static_cast<std::uint32_t>(i * step_);
        if (node.is_leaf()) {
          own[i] = static_cast<float>(loss_of(rows_, row, node));
        } else {
          own[i] = losses_from(node.to_yes.contains(rows_.codes(node.feature)[row]) ? node.yes : node.no)[i];
        }
      }
    }
  }

  // The longest ways to every node, and from it to a leaf.
  void find_depths() {
    depth_.assign(graph_.n_nodes(), 0);
    height_.assign(graph_.n_nodes(), 0);
    for (model::NodeId v = 0; v < n_nodes_; ++v) {
      if (graph_[v].is_leaf()) continue;
      for (const model::NodeId child : {graph_[v].yes, graph_[v].no}) depth_[child] = std::max(depth_[child], depth_[v] + 1);
    }
    for (model::NodeId v = n_nodes_; v-- > 0;) {
      if (!graph_[v].is_leaf()) height_[v] = 1 + std::max(height_[graph_[v].yes], height_[graph_[v].no]);
    }
  }

  bool is_too_deep(model::NodeId v, model::NodeId to) const {
    const std::size_t max_depth = rows_.limits().max_depth;
    return max_depth > 0 && depth_[v] + height_[to] > max_depth;
  }

  // Marks the nodes to which every path leads through v, v included.
  void find_dominated(model::NodeId v) {
    dominated_.assign(graph_.n_nodes(), true);
    if (v == 0) return;
    dominated_[0] = false;
    for (model::NodeId u = 0; u < n_nodes_; ++u) {
      // A node is free of v if some parent is; parents come first.
      if (dominated_[u] || graph_[u].is_leaf()) continue;
      for (const model::NodeId child : {graph_[u].yes, graph_[u].no}) dominated_[child] = dominated_[child] && child == v;
    }
  }

  std::size_t n_freed(model::NodeId to) const {
    std::size_t n = 0;
    for (model::NodeId u = 0; u < n_nodes_; ++u) {
      n += dominated_[u] && !graph_[u].is_leaf() && (to == kNewLeaf || !reach_(to, u));
    }
    return n;
  }

  Change cheapest(model::NodeId v) {
    find_dominated(v);
    priced_.clear();
    for (const std::uint32_t row : node_rows_.of(v)) {
      if (row % step_ == 0) priced_.push_back(static_cast<std::uint32_t>(row / step_));
    }
    double now = 0;
    for (const std::uint32_t i : priced_) now += losses_from(v)[i];
    Change best{.node = v};
    offer(best, loss_as_leaf(v), now, kNewLeaf);
    for (model::NodeId to = 0; to < n_nodes_; ++to) {
      if (reach_(to, v) || is_too_deep(v, to)) continue;
      double then = 0;
      for (const std::uint32_t i : priced_) then += losses_from(to)[i];
      offer(best, then, now, to);
    }
    return best;
  }

  double loss_as_leaf(model::NodeId v) {
    const auto own = node_rows_.of(v);
    if (own.empty()) return 0;
    fit_(own, leaf_);
    return loss_in(rows_, own, leaf_) / static_cast<double>(step_);
  }

  void offer(Change& best, double then, double now, model::NodeId to) const {
    const std::size_t freed = n_freed(to);  // The node itself, at least: no candidate leads to it.
    const double price = std::max(0.0, then - now) / static_cast<double>(std::min(freed, excess_));
    // Ties go to the smaller step, so that less is decided before prices are computed again.
    if (price < best.price || (price == best.price && freed < best.freed)) best = {price, best.node, to, freed};
  }

  void apply_apart(const std::vector<Change>& changes, std::size_t budget) {
    std::vector<char> touched(graph_.n_nodes(), false);
    std::size_t freed = 0;
    for (const Change& change : changes) {
      if (freed > 0 && freed + change.freed > budget) continue;
      if (touched[change.node] || (change.to != kNewLeaf && touched[change.to])) continue;
      for (model::NodeId u = 0; u < n_nodes_; ++u) {
        const bool near = reach_(u, change.node) || reach_(change.node, u) || (change.to != kNewLeaf && reach_(change.to, u));
        touched[u] = touched[u] || near;
      }
      apply(change);
      freed += change.freed;
    }
  }

  void apply(const Change& change) {
    if (change.to == kNewLeaf) {
      graph_[change.node].feature = -1;
    } else if (change.node == 0) {
      const SmallNode kept = graph_[change.to];
      graph_[0] = kept;
    }
    for (model::NodeId u = 0; u < n_nodes_ && change.to != kNewLeaf; ++u) {
      if (graph_[u].is_leaf()) continue;
      if (graph_[u].yes == change.node) graph_[u].yes = change.to;
      if (graph_[u].no == change.node) graph_[u].no = change.to;
    }
  }

  SmallTree& graph_;
  const DistillationRows& rows_;
  model::NodeId n_nodes_;
  std::size_t excess_;
  runtime::StopPoll& poll_;
  NodeRows node_rows_;
  LeafFit fit_;
  SmallNode leaf_;
  Reach reach_;
  std::size_t step_;         // the stride of rows with a price
  std::vector<float> loss_;  // per node and priced row
  std::vector<std::size_t> depth_, height_;
  std::vector<char> dominated_;
  std::vector<std::uint32_t> priced_;  // of one node
};

}  // namespace

void shrink_to(SmallTree& graph, const DistillationRows& rows, std::size_t n_tests, runtime::StopPoll& poll) {
  join_equal(graph);
  graph.refit(rows);
  for (std::size_t have = graph.n_tests(); have > n_tests; have = graph.n_tests()) {
    Round(graph, rows, have - n_tests, poll).run();
  }
}

}  // namespace sightline::distill::distilled_graph
