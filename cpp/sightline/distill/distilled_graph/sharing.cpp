#include "sightline/distill/distilled_graph/sharing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace sightline::distill::distilled_graph {
namespace {

using distilled_tree::CodeSet;
using distilled_tree::SmallNode;

// Mean probabilities that differ by no more than this in any class are similar; of numbers, in units of the objective.
constexpr double kSimilar = 0.1;

// What is pooled into one leaf.
struct Pool {
  model::NodeId leaf;
  double weight = 0;
  double support = 0;        // of training rows
  std::vector<double> mean;  // answer
};

// Without rows, a leaf keeps the value of its parent; of the label alone if values are on another scale than answers.
std::vector<double> mean_of_empty(const SmallNode& leaf, const DistillationRows& rows) {
  if (!rows.has_own_targets() && !leaf.value.empty()) return leaf.value;
  std::vector<double> mean(rows.n_targets(), 0.0);
  if (rows.has_own_targets()) mean[leaf.label] = 1;
  return mean;
}

Pool pool_of(const SmallTree& graph, model::NodeId leaf, const DistillationRows& rows, std::span<const std::uint32_t> own) {
  Pool pool{leaf, 0, 0, std::vector<double>(rows.n_targets(), 0.0)};
  for (const std::uint32_t row : own) {
    rows.answer(row).for_each([&](std::size_t k, float answer) { pool.mean[k] += rows.importance(row) * answer; });
    pool.weight += rows.importance(row);
    if (!rows.is_artificial(row)) pool.support += rows.weight(row);
  }
  if (!(pool.weight > 0)) pool.mean = mean_of_empty(graph[leaf], rows);
  for (double& mean : pool.mean) mean /= pool.weight > 0 ? pool.weight : 1;
  return pool;
}

double distance(const Pool& a, const Pool& b) {
  double largest = 0;
  for (std::size_t k = 0; k < a.mean.size(); ++k) largest = std::max(largest, std::abs(a.mean[k] - b.mean[k]));
  return largest;
}

void pour(Pool& into, const Pool& from) {
  const double weight = into.weight + from.weight;
  for (std::size_t k = 0; k < into.mean.size() && weight > 0; ++k)
    into.mean[k] = (into.weight * into.mean[k] + from.weight * from.mean[k]) / weight;
  into.weight = weight;
  into.support += from.support;
}

class Pools {
 public:
  Pools(SmallTree& graph, const DistillationRows& rows) : graph_(graph), min_support_(rows.limits().min_leaf) {
    const distilled_tree::NodeRows node_rows = graph.node_rows(rows);
    for (const model::NodeId v : graph.order()) {
      if (graph[v].is_leaf()) pools_.push_back(pool_of(graph, v, rows, node_rows.of(v)));
    }
    into_.resize(graph.n_nodes());
    for (std::size_t v = 0; v < into_.size(); ++v) into_[v] = static_cast<model::NodeId>(v);
  }

  void run() {
    while (merge_closest(true) || merge_closest(false)) {
    }
    for (const model::NodeId v : graph_.order()) {
      if (graph_[v].is_leaf()) continue;
      graph_[v].yes = into_[graph_[v].yes];
      graph_[v].no = into_[graph_[v].no];
    }
  }

 private:
  // Whether two pools were merged: one with too few rows and its neighbor, or two that are similar.
  bool merge_closest(bool small_only) {
    double least = small_only ? std::numeric_limits<double>::infinity() : kSimilar;
    std::size_t first = pools_.size(), second = pools_.size();
    for (std::size_t i = 0; i < pools_.size(); ++i) {
      for (std::size_t j = i + 1; j < pools_.size(); ++j) {
        if (graph_[pools_[i].leaf].label != graph_[pools_[j].leaf].label) continue;
        if (small_only && std::min(pools_[i].support, pools_[j].support) >= min_support_) continue;
        const double now = distance(pools_[i], pools_[j]);
        if (now >= least) continue;
        least = now;
        first = i;
        second = j;
      }
    }
    if (first == pools_.size()) return false;
    pour(pools_[first], pools_[second]);
    for (model::NodeId& leaf : into_) leaf = leaf == pools_[second].leaf ? pools_[first].leaf : leaf;
    pools_.erase(pools_.begin() + static_cast<std::ptrdiff_t>(second));
    return true;
  }

  SmallTree& graph_;
  double min_support_;
  std::vector<Pool> pools_;
  std::vector<model::NodeId> into_;  // per leaf
};

}  // namespace

void join_equal(SmallTree& graph) {
  graph.compact();
  std::map<std::tuple<std::int32_t, CodeSet, model::NodeId, model::NodeId>, model::NodeId> known;
  std::vector<model::NodeId> same(graph.n_nodes());
  for (auto v = static_cast<model::NodeId>(graph.n_nodes()); v-- > 0;) {
    SmallNode& node = graph[v];
    same[v] = v;
    if (node.is_leaf()) continue;
    node.yes = same[node.yes];
    node.no = same[node.no];
    if (node.yes == node.no) {
      same[v] = node.yes;
    } else {
      same[v] = known.try_emplace({node.feature, node.to_yes, node.yes, node.no}, v).first->second;
    }
  }
  if (same[0] != 0) {
    const SmallNode only = graph[same[0]];
    graph[0] = only;
  }
  graph.compact();
}

void separate_leaves(SmallTree& graph) {
  graph.compact();
  std::vector<char> is_taken(graph.n_nodes(), false);
  const auto n_nodes = static_cast<model::NodeId>(graph.n_nodes());
  const auto own_leaf = [&](model::NodeId child) {
    if (!graph[child].is_leaf()) return child;
    if (!is_taken[child]) {
      is_taken[child] = true;
      return child;
    }
    const SmallNode copy = graph[child];
    const model::NodeId leaf = graph.add_leaf();
    graph[leaf] = copy;
    return leaf;
  };
  for (model::NodeId v = 0; v < n_nodes; ++v) {
    if (graph[v].is_leaf()) continue;
    const model::NodeId yes = own_leaf(graph[v].yes);
    const model::NodeId no = own_leaf(graph[v].no);
    graph[v].yes = yes;
    graph[v].no = no;
  }
  graph.compact();
}

void pool_leaves(SmallTree& graph, const DistillationRows& rows) {
  Pools(graph, rows).run();
  join_equal(graph);
  graph.refit(rows);
}

}  // namespace sightline::distill::distilled_graph
