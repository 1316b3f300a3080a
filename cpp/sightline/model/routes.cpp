#include "sightline/model/routes.hpp"

#include <cmath>
#include <functional>
#include <queue>
#include <unordered_map>

#include "sightline/model/row_blocks.hpp"

namespace sightline::model {
namespace {

struct Edge {
  NodeId node;
  std::int32_t branch;
  std::uint8_t missing;
  double part;
};

// Follows one row; the time grows with the nodes that it passes, not with all nodes.
class Walker {
 public:
  explicit Walker(const DecisionNodes& nodes) : nodes_(nodes), part_(nodes.n_nodes(), 0.0) {}

  const std::vector<Edge>& walk(const double* row) {
    edges_.clear();
    part_[0] = 1.0;
    waiting_.push(0);
    // Children have higher ids than parents: what the lowest waiting node receives is complete.
    while (!waiting_.empty()) {
      const NodeId v = waiting_.top();
      waiting_.pop();
      if (!nodes_.is_leaf(v)) hand_on(v, row[nodes_.feature(v)]);
      part_[v] = 0.0;
    }
    return edges_;
  }

 private:
  void hand_on(NodeId v, double value) {
    if (!std::isnan(value)) return take(v, static_cast<std::int32_t>(nodes_.branch(v, value)), false, part_[v]);
    if (nodes_.missing_branch(v) >= 0) return take(v, nodes_.missing_branch(v), true, part_[v]);
    const auto shares = nodes_.shares(v);
    for (std::size_t b = 0; b < shares.size(); ++b) {
      if (shares[b] > 0) take(v, static_cast<std::int32_t>(b), true, part_[v] * shares[b]);
    }
  }

  void take(NodeId v, std::int32_t branch, bool missing, double part) {
    if (part == 0) return;  // Too small for a double after many spreads.
    const NodeId child = nodes_.children(v)[branch];
    if (part_[child] == 0) waiting_.push(child);
    part_[child] += part;
    edges_.push_back({v, branch, static_cast<std::uint8_t>(missing), part});
  }

  const DecisionNodes& nodes_;
  std::vector<double> part_;
  std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> waiting_;
  std::vector<Edge> edges_;
};

// Parts follow from the rest, so that they need not be compared.
class RouteTable {
 public:
  explicit RouteTable(Routes& routes) : routes_(routes) {}

  std::int64_t index_of(const std::vector<Edge>& edges) {
    const std::uint64_t hash = hash_of(edges);
    const auto [first, last] = known_.equal_range(hash);
    for (auto it = first; it != last; ++it) {
      if (is_equal(it->second, edges)) return it->second;
    }
    const auto index = static_cast<std::int64_t>(routes_.size());
    for (const Edge& edge : edges) {
      routes_.node.push_back(edge.node);
      routes_.branch.push_back(edge.branch);
      routes_.missing.push_back(edge.missing);
      routes_.part.push_back(edge.part);
    }
    routes_.begin.push_back(static_cast<std::int64_t>(routes_.node.size()));
    known_.emplace(hash, index);
    return index;
  }

 private:
  static std::uint64_t hash_of(const std::vector<Edge>& edges) {
    std::uint64_t hash = 0x9e3779b97f4a7c15u;
    for (const Edge& edge : edges) {
      const auto step =
          (static_cast<std::uint64_t>(edge.node) << 32) ^ (static_cast<std::uint64_t>(edge.branch) << 1) ^ edge.missing;
      hash = (hash ^ step) * 0xff51afd7ed558ccdu;
      hash ^= hash >> 32;
    }
    return hash;
  }

  bool is_equal(std::int64_t route, const std::vector<Edge>& edges) const {
    const auto begin = static_cast<std::size_t>(routes_.begin[route]);
    if (static_cast<std::size_t>(routes_.begin[route + 1]) - begin != edges.size()) return false;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const Edge& edge = edges[i];
      if (routes_.node[begin + i] != edge.node || routes_.branch[begin + i] != edge.branch ||
          routes_.missing[begin + i] != edge.missing)
        return false;
    }
    return true;
  }

  Routes& routes_;
  std::unordered_multimap<std::uint64_t, std::int64_t> known_;
};

}  // namespace

Routes find_routes(const DecisionNodes& nodes, const table::Columns& rows, runtime::StopPoll& poll) {
  Routes routes;
  routes.route_of.resize(rows.n_rows());
  RouteTable table(routes);
  Walker walker(nodes);
  // One thread, so that routes are numbered by their first row.
  for_each_block(rows, 1, poll, [&](std::size_t begin, std::size_t end, const double* block, bool) {
    for (std::size_t i = begin; i < end; ++i) {
      routes.route_of[i] = table.index_of(walker.walk(block + (i - begin) * nodes.n_features()));
    }
  });
  return routes;
}

}  // namespace sightline::model
