#include "sightline/learn/c45_memory.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

namespace sightline::c45 {

GrowthMemory::GrowthMemory(const TrainingSet& training, const Options& options, const Orders& orders, std::size_t budget)
    : training_(training),
      options_(options),
      orders_(orders),
      budget_(budget),
      row_weight_(training.size(), 1.0),
      finder_(options, training.n_classes, training.label, row_weight_, training.weight),
      known_(training.columns->size()),
      branch_(training.size()),
      mark_(training.size(), 0) {
  weight_of_all_ = static_cast<double>(training.size());
  if (!training.weight.empty()) weight_of_all_ = std::accumulate(training.weight.begin(), training.weight.end(), 0.0);
  start_again();
}

std::size_t GrowthMemory::least_budget(const Columns& columns, std::size_t n_rows) {
  constexpr std::size_t kBytesPerNumber = 2 * sizeof(double) + 2 * sizeof(std::uint32_t);
  std::size_t bytes = 0;
  for (std::size_t f = 0; f < columns.size(); ++f) {
    bytes += n_rows * (columns[f].is_nominal() ? sizeof(std::int32_t) : kBytesPerNumber);
  }
  return bytes;
}

void GrowthMemory::start_again() {
  nodes_.clear();
  n_findings_ = 0;
  counts_.clear();
  rows_.resize(training_.size());
  std::iota(rows_.begin(), rows_.end(), 0);
  weights_.assign(training_.size(), 1.0);
  if (!training_.weight.empty()) weights_ = training_.weight;
  add_node(0, 0);
}

std::size_t GrowthMemory::used() const {
  return nodes_.size() * sizeof(Node) + n_findings_ * sizeof(Finding) + rows_.size() * sizeof(std::uint32_t) +
         (weights_.size() + counts_.size()) * sizeof(double);
}

// Makes a node of the last rows and weights; the weights go again where all are 1.
GrowthMemory::NodeIndex GrowthMemory::add_node(std::size_t rows_begin, std::size_t weights_begin) {
  Node node{rows_begin, weights_begin, counts_.size(), static_cast<std::uint32_t>(rows_.size() - rows_begin), true, false, 0, 0, {}};
  counts_.resize(counts_.size() + training_.n_classes, 0.0);
  double* counts = counts_.data() + node.counts_begin;
  for (std::size_t i = 0; i < node.n_rows; ++i) {
    const double weight = weights_[weights_begin + i];
    counts[training_.label[rows_[rows_begin + i]]] += weight;
    node.unit_weights &= weight == 1.0;
  }
  if (node.unit_weights) weights_.resize(weights_begin);
  node_counts_.set(counts_of(node));
  node.weight = node_counts_.weight;
  node.sum_xlogx = node_counts_.sum_xlogx;
  node.is_final = node_counts_.pure_or_small(options_.min_leaf);
  nodes_.push_back(std::move(node));
  return static_cast<NodeIndex>(nodes_.size() - 1);
}

std::vector<std::uint32_t> GrowthMemory::decide(std::span<const std::uint32_t> features, StopPoll& poll) {
  if (used() > budget_) start_again();
  const std::vector<bool> in_average = features_in_average(*training_.columns, features, weight_of_all_);
  std::vector<std::uint32_t> decisions;
  std::vector<std::pair<NodeIndex, std::int32_t>> waiting{{0, 0}};
  while (!waiting.empty()) {
    const auto [node, depth] = waiting.back();
    waiting.pop_back();
    std::int32_t chosen = -1;
    if (may_split(nodes_[node], depth)) {
      const std::size_t n_before = n_findings_;
      look_at(node, features);
      if (n_findings_ > n_before) poll();
      chosen = choose(candidates_, in_average);
    }
    if (chosen < 0) {
      decisions.push_back(kLeaf);
      continue;
    }
    const std::uint32_t feature = features[chosen];
    decisions.push_back(feature);
    NodeIndex first = finding_of(nodes_[node], feature).first_branch;
    if (first == 0) {
      first = split(node, finding_of(nodes_[node], feature));
      finding_of(nodes_[node], feature).first_branch = first;
    }
    for (std::size_t b = n_branches(feature); b-- > 0;) waiting.emplace_back(first + static_cast<NodeIndex>(b), depth + 1);
  }
  return decisions;
}

GrownTree GrowthMemory::build(std::span<const std::uint32_t> decisions) {
  GrownTree tree;
  tree.nodes.reserve(decisions.size());
  struct Waiting {
    NodeIndex node;
    NodeId parent;
    std::size_t branch;
  };
  std::vector<Waiting> waiting{{0, -1, 0}};
  for (const std::uint32_t feature : decisions) {
    const Waiting place = waiting.back();
    waiting.pop_back();
    Node& node = nodes_[place.node];
    const auto id = static_cast<NodeId>(tree.nodes.size());
    GrownNode& grown = tree.nodes.emplace_back();
    if (place.parent >= 0) tree.nodes[place.parent].children[place.branch] = id;
    grown.weight = node.weight;
    grown.counts.assign(counts_of(node).begin(), counts_of(node).end());
    if (feature == kLeaf) {
      const auto rows = rows_of(node);
      const auto weights = weights_of(node);
      grown.rows.reserve(rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) grown.rows.push_back({rows[i], weights.empty() ? 1.0 : weights[i]});
      continue;
    }
    const Finding& finding = finding_of(node, feature);
    const bool is_nominal = (*training_.columns)[feature].is_nominal();
    grown.test = !is_nominal ? Test::kThreshold : options_.binary_splits ? Test::kSubset : Test::kMultiway;
    grown.feature = static_cast<std::int32_t>(feature);
    grown.threshold = finding.threshold;
    if (grown.test == Test::kSubset) grown.value = finding.test.value;
    grown.children.assign(n_branches(feature), -1);
    for (std::size_t b = grown.children.size(); b-- > 0;) {
      waiting.push_back({finding.first_branch + static_cast<NodeIndex>(b), id, b});
    }
  }
  return tree;
}

bool GrowthMemory::may_split(const Node& node, std::int32_t depth) const {
  return !node.is_final && (options_.max_depth < 0 || depth < options_.max_depth);
}

GrowthMemory::Finding& GrowthMemory::finding_of(Node& node, std::uint32_t feature) {
  return *std::lower_bound(node.findings.begin(), node.findings.end(), feature,
                           [](const Finding& finding, std::uint32_t f) { return finding.feature < f; });
}

// Puts the best test on each feature into `candidates_`. Both lists ascend, so that one walk finds what is known.
void GrowthMemory::look_at(NodeIndex index, std::span<const std::uint32_t> features) {
  Node& node = nodes_[index];
  candidates_.clear();
  if (node.findings.empty()) node.findings.reserve(features.size());
  std::size_t at = 0;
  for (const std::uint32_t feature : features) {
    while (at < node.findings.size() && node.findings[at].feature < feature) ++at;
    if (at == node.findings.size() || node.findings[at].feature != feature) {
      node.findings.insert(node.findings.begin() + static_cast<std::ptrdiff_t>(at), find(node, feature));
      ++n_findings_;
    }
    candidates_.push_back(node.findings[at].test);
  }
}

GrowthMemory::Finding GrowthMemory::find(const Node& node, std::uint32_t feature) {
  make_known(feature);
  const auto rows = rows_of(node);
  const auto weights = weights_of(node);
  for (std::size_t i = 0; i < weights.size(); ++i) row_weight_[rows[i]] = weights[i];
  node_counts_.weight = node.weight;
  node_counts_.sum_xlogx = node.sum_xlogx;
  node_counts_.per_class.assign(counts_of(node).begin(), counts_of(node).end());
  const Column& column = (*training_.columns)[feature];
  Finding finding{feature, 0, 0, {}};
  if (column.is_nominal()) {
    finding.test = finder_.nominal(known_[feature].code, column.n_values(), rows, node_counts_, node.unit_weights);
    return finding;
  }
  finding.test = finder_.numeric(sorted_rows(node, feature), rows.size(), node_counts_, node.unit_weights);
  if (finding.test.valid) {
    finding.threshold = settled(midpoint(finding.test.below, finding.test.above), known_[feature].distinct);
  }
  return finding;
}

// A few rows are sorted by their ranks; many are picked out of the order of all.
SortedRows GrowthMemory::sorted_rows(const Node& node, std::uint32_t feature) {
  const Known& known = known_[feature];
  const auto rows = rows_of(node);
  const std::size_t m = rows.size();
  sorted_row_.clear();
  sorted_value_.clear();
  if (m * std::bit_width(m) < known.ascending.size()) {
    by_rank_.clear();
    for (const std::uint32_t row : rows) {
      if (known.rank[row] < known.ascending.size()) by_rank_.push_back(std::uint64_t{known.rank[row]} << 32 | row);
    }
    std::sort(by_rank_.begin(), by_rank_.end());
    for (const std::uint64_t entry : by_rank_) sorted_row_.push_back(static_cast<std::uint32_t>(entry));
  } else {
    ++mark_now_;
    for (const std::uint32_t row : rows) mark_[row] = mark_now_;
    for (const std::uint32_t row : known.ascending) {
      if (mark_[row] == mark_now_) sorted_row_.push_back(row);
    }
  }
  for (const std::uint32_t row : sorted_row_) sorted_value_.push_back(known.number[row]);
  return {sorted_value_, sorted_row_};
}

void GrowthMemory::make_known(std::uint32_t feature) {
  Known& known = known_[feature];
  if (known.is_made) return;
  const Column& column = (*training_.columns)[feature];
  const std::size_t n = training_.size();
  if (column.is_nominal()) {
    known.code.reserve(n);
    for (std::uint32_t row = 0; row < n; ++row) {
      const std::int32_t code = training_.code(feature, row);
      known.code.push_back(code >= 0 && code < column.n_values() ? code : kMissingCode);
    }
  } else {
    known.number.reserve(n);
    for (std::uint32_t row = 0; row < n; ++row) known.number.push_back(training_.number(feature, row));
    known.ascending = Copies(training_).in_order(orders_[feature]);
    known.rank.assign(n, static_cast<std::uint32_t>(known.ascending.size()));
    for (std::uint32_t i = 0; i < known.ascending.size(); ++i) {
      known.rank[known.ascending[i]] = i;
      const double value = known.number[known.ascending[i]] + 0.0;
      if (known.distinct.empty() || known.distinct.back() < value) known.distinct.push_back(value);
    }
  }
  known.is_made = true;
}

std::size_t GrowthMemory::n_branches(std::uint32_t feature) const {
  const Column& column = (*training_.columns)[feature];
  return column.is_nominal() && !options_.binary_splits ? column.n_values() : 2;
}

GrowthMemory::NodeIndex GrowthMemory::split(NodeIndex index, const Finding& finding) {
  const std::size_t n = n_branches(finding.feature);
  const Node& node = nodes_[index];
  assign_branches(node, finding);
  const auto weights = weights_of(node);
  for (std::size_t i = 0; i < weights.size(); ++i) row_weight_[rows_of(node)[i]] = weights[i];
  shares_.find(rows_of(node), branch_, training_.label, node.unit_weights ? std::span<const double>() : row_weight_, n,
               training_.n_classes);
  rows_of_branch_.assign(n, 0);
  std::uint32_t n_shared = 0;
  for (const std::uint32_t row : rows_of(node)) branch_[row] == kEveryBranch ? ++n_shared : ++rows_of_branch_[branch_[row]];
  const auto first = static_cast<NodeIndex>(nodes_.size());
  for (std::uint32_t b = 0; b < n; ++b) {
    if (rows_of_branch_[b] > 0 || n_shared > 0) {
      add_branch(index, b, shares_.share[b]);
    } else {
      add_node(rows_.size(), weights_.size());
    }
  }
  return first;
}

void GrowthMemory::assign_branches(const Node& node, const Finding& finding) {
  const Known& known = known_[finding.feature];
  const bool is_nominal = (*training_.columns)[finding.feature].is_nominal();
  for (const std::uint32_t row : rows_of(node)) {
    if (!is_nominal) {
      // The cut lies between two values of this node, so that the upper one tells the sides apart.
      branch_[row] = std::isnan(known.number[row]) ? kEveryBranch : known.number[row] >= finding.test.above;
    } else if (known.code[row] < 0) {
      branch_[row] = kEveryBranch;
    } else {
      branch_[row] = options_.binary_splits ? known.code[row] != finding.test.value : known.code[row];
    }
  }
}

void GrowthMemory::add_branch(NodeIndex index, std::uint32_t branch, double share) {
  const std::size_t rows_begin = rows_.size();
  const std::size_t weights_begin = weights_.size();
  for (std::size_t i = 0; i < nodes_[index].n_rows; ++i) {
    const Node& node = nodes_[index];
    const std::uint32_t row = rows_[node.rows_begin + i];
    const bool is_shared = branch_[row] == kEveryBranch;
    if (is_shared ? !(share > 0) : branch_[row] != branch) continue;
    const double weight = node.unit_weights ? 1.0 : weights_[node.weights_begin + i];
    rows_.push_back(row);
    weights_.push_back(is_shared ? weight * share : weight);
  }
  add_node(rows_begin, weights_begin);
}

}  // namespace sightline::c45
