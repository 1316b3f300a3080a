#include "sightline/learn/c45_memory.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace sightline::c45 {
namespace {

// Branches of which a chosen test itself says whether they are final.
constexpr std::size_t kBits = 64;

}  // namespace

GrowthMemory::GrowthMemory(const TrainingSet& training, const Options& options, const Orders& orders, std::size_t budget)
    : training_(training),
      options_(options),
      orders_(orders),
      budget_(budget),
      row_weight_(training.size(), 1.0),
      finder_(options, training.n_classes, training.label, row_weight_, training.weight),
      known_(training.columns->size()),
      branch_(training.size()),
      is_there_(training.size() / 64 + 1, 0) {
  weight_of_all_ = static_cast<double>(training.size());
  if (!training.weight.empty()) weight_of_all_ = std::accumulate(training.weight.begin(), training.weight.end(), 0.0);
  // What is never touched costs nothing, while lists that move to larger places touch both.
  seen_.reserve(budget_ / 2 / sizeof(Seen));
  rows_.reserve(budget_ / 4 / sizeof(std::uint32_t));
  nodes_.reserve(budget_ / 4 / sizeof(Node));
  start_again();
}

std::size_t GrowthMemory::least_budget(const Columns& columns, std::size_t n_rows) {
  constexpr std::size_t kBytesPerNumber = 3 * sizeof(double) + 2 * sizeof(std::uint32_t);
  std::size_t bytes = 0;
  for (std::size_t f = 0; f < columns.size(); ++f) {
    bytes += n_rows * (columns[f].is_nominal() ? sizeof(std::int32_t) : kBytesPerNumber);
  }
  return bytes;
}

void GrowthMemory::start_again() {
  ++n_beginnings_;
  nodes_.clear();
  seen_.clear();
  chosen_.clear();
  counts_.clear();
  rows_.resize(training_.size());
  std::iota(rows_.begin(), rows_.end(), 0);
  weights_.assign(training_.size(), 1.0);
  if (!training_.weight.empty()) weights_ = training_.weight;
  add_node(0, 0);
}

std::size_t GrowthMemory::used() const {
  return nodes_.size() * sizeof(Node) + seen_.size() * sizeof(Seen) + chosen_.size() * sizeof(Chosen) +
         rows_.size() * sizeof(std::uint32_t) + (weights_.size() + counts_.size()) * sizeof(double);
}

// Makes a node of the last rows and weights; the weights go again where all are 1.
GrowthMemory::NodeIndex GrowthMemory::add_node(std::size_t rows_begin, std::size_t weights_begin) {
  const auto index = static_cast<NodeIndex>(nodes_.size());
  const auto place = [](std::size_t at) { return static_cast<std::uint32_t>(at); };
  Node node{place(rows_begin), place(weights_begin), kNone, place(rows_.size() - rows_begin), true, false, 0, 0};
  counts_.resize(counts_.size() + training_.n_classes, 0.0);
  double* counts = counts_.data() + (counts_.size() - training_.n_classes);
  for (std::size_t i = 0; i < node.n_rows; ++i) {
    const double weight = weights_[weights_begin + i];
    counts[training_.label[rows_[rows_begin + i]]] += weight;
    node.unit_weights &= weight == 1.0;
  }
  if (node.unit_weights) weights_.resize(weights_begin);
  node.weight = std::accumulate(counts, counts + training_.n_classes, 0.0);
  node.is_final = pure_or_small(counts_of(index), node.weight, options_.min_leaf);
  // Logarithms are dear, and most nodes are final.
  if (!node.is_final) node.sum_xlogx = sum_xlogx(counts_of(index));
  nodes_.push_back(node);
  return index;
}

const Decisions& GrowthMemory::decide(std::span<const std::uint32_t> features, StopPoll& poll) {
  if (used() > budget_) start_again();
  const std::vector<bool> in_average = features_in_average(*training_.columns, features, weight_of_all_);
  decisions_.clear();
  places_.clear();
  waiting_.assign(1, {0, 0});
  while (!waiting_.empty()) {
    const auto [node, depth] = waiting_.back();
    waiting_.pop_back();
    std::int32_t chosen = -1;
    if (depth >= 0 && may_split(nodes_[node], depth)) {
      if (look_at(node, features)) n_rows_seen_ += nodes_[node].n_rows * features.size();
      if (n_rows_seen_ >= kRowsBetweenPolls) {
        n_rows_seen_ = 0;
        poll();
      }
      chosen = choose(scores_, in_average);
    }
    if (chosen < 0) {
      decisions_.push_back(kNoTest);
      places_.push_back({node, kNone});
      continue;
    }
    const std::uint32_t feature = features[chosen];
    decisions_.push_back(feature);
    const Chosen& test = follow(node, feature, chosen);
    places_.push_back({node, static_cast<std::uint32_t>(&test - chosen_.data())});
    for (std::size_t b = n_branches(feature); b-- > 0;) {
      const bool is_open = b >= kBits || (test.is_open >> b & 1) != 0;
      waiting_.emplace_back(test.first_branch + static_cast<NodeIndex>(b), is_open ? depth + 1 : -1);
    }
  }
  return decisions_;
}

void GrowthMemory::build(const Decisions& decisions, GrownTree& tree) {
  tree.clear(training_.n_classes);
  building_.assign(1, {0, -1, 0});
  for (const char32_t feature : decisions) {
    const Building place = building_.back();
    building_.pop_back();
    const Node& node = nodes_[place.node];
    const NodeId id = tree.add_node(counts_of(place.node), node.weight);
    if (place.parent >= 0) tree.set_child(place.parent, place.branch, id);
    if (feature == kNoTest) {
      const std::size_t first = tree.rows.size();
      add_rows(place.node, tree.rows);
      tree.close_leaf(id, first);
      continue;
    }
    const std::uint32_t chosen = seen_[node.seen_begin + feature].chosen;
    add_test(feature, chosen, tree, id);
    for (std::size_t b = n_branches(feature); b-- > 0;) building_.push_back({branch_of(chosen, b), id, b});
  }
}

void GrowthMemory::add_rows(NodeIndex index, std::vector<Fragment>& all) const {
  const auto rows = rows_of(nodes_[index]);
  const auto weights = weights_of(nodes_[index]);
  for (std::size_t i = 0; i < rows.size(); ++i) all.push_back({rows[i], weights.empty() ? 1.0 : weights[i]});
}

void GrowthMemory::add_test(std::uint32_t feature, std::uint32_t chosen, GrownTree& tree, NodeId node) const {
  const Chosen& test = chosen_[chosen];
  const bool is_nominal = (*training_.columns)[feature].is_nominal();
  GrownNode& grown = tree.nodes[node];
  grown.test = !is_nominal ? Test::kThreshold : options_.binary_splits ? Test::kSubset : Test::kMultiway;
  grown.feature = static_cast<std::int32_t>(feature);
  grown.threshold = test.threshold;
  if (grown.test == Test::kSubset) grown.value = test.value;
  tree.open(node, n_branches(feature));
}

bool GrowthMemory::may_split(const Node& node, std::int32_t depth) const {
  return !node.is_final && (options_.max_depth < 0 || depth < options_.max_depth);
}

// Puts what decides about the choice into `scores_`, and what was not known before into `candidates_`.
bool GrowthMemory::look_at(NodeIndex index, std::span<const std::uint32_t> features) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  constexpr double kNoTestThere = -std::numeric_limits<double>::infinity();
  Node& node = nodes_[index];
  if (node.seen_begin == kNone) {
    node.seen_begin = static_cast<std::uint32_t>(seen_.size());
    seen_.resize(seen_.size() + training_.columns->size(), {{kUnknown, 0}, kNone});
  }
  Seen* seen = seen_.data() + node.seen_begin;
  bool is_entered = false;
  scores_.resize(features.size());
  candidates_.resize(features.size());
  is_new_.assign(features.size(), false);
  for (std::size_t i = 0; i < features.size(); ++i) {
    Score& score = seen[features[i]].score;
    if (std::isnan(score.gain)) {
      if (!is_entered) enter(index);
      is_entered = true;
      candidates_[i] = find(node, features[i]);
      is_new_[i] = true;
      score = {candidates_[i].valid ? candidates_[i].gain : kNoTestThere, candidates_[i].gain_ratio};
    }
    scores_[i] = score;
  }
  return is_entered;
}

// What all searches for a test at the node need.
void GrowthMemory::enter(NodeIndex index) {
  const Node& node = nodes_[index];
  const auto rows = rows_of(node);
  const auto weights = weights_of(node);
  for (std::size_t i = 0; i < weights.size(); ++i) row_weight_[rows[i]] = weights[i];
  node_counts_.weight = node.weight;
  node_counts_.sum_xlogx = node.sum_xlogx;
  node_counts_.per_class.assign(counts_of(index).begin(), counts_of(index).end());
}

Candidate GrowthMemory::find(const Node& node, std::uint32_t feature) {
  make_known(feature);
  const auto rows = rows_of(node);
  const Column& column = (*training_.columns)[feature];
  if (column.is_nominal()) {
    return finder_.nominal(known_[feature].code, column.n_values(), rows, node_counts_, node.unit_weights);
  }
  return finder_.numeric(sorted_rows(node, feature), rows.size(), node_counts_, node.unit_weights);
}

// A test that is chosen for the first time divides the rows. Most are chosen where they were found; if not, all but
// the score is forgotten, and found again.
const GrowthMemory::Chosen& GrowthMemory::follow(NodeIndex index, std::uint32_t feature, std::size_t place) {
  Seen& seen = seen_[nodes_[index].seen_begin + feature];
  if (seen.chosen != kNone) return chosen_[seen.chosen];
  Candidate& test = candidates_[place];
  if (!is_new_[place]) {
    enter(index);
    test = find(nodes_[index], feature);
  }
  Chosen chosen{split(index, feature, test), test.value, 0, 0};
  for (std::size_t b = 0; b < std::min(kBits, n_branches(feature)); ++b) {
    chosen.is_open |= std::uint64_t{!nodes_[chosen.first_branch + b].is_final} << b;
  }
  if (!(*training_.columns)[feature].is_nominal()) {
    chosen.threshold = settled(midpoint(test.below, test.above), known_[feature].distinct);
  }
  seen.chosen = static_cast<std::uint32_t>(chosen_.size());
  return chosen_.emplace_back(chosen);
}

// Ranks are marked in a list of bits and read off in ascending order; where the table is much larger than the node,
// they are sorted.
SortedRows GrowthMemory::sorted_rows(const Node& node, std::uint32_t feature) {
  const Known& known = known_[feature];
  const std::size_t n_words = known.ascending.size() / 64 + 1;
  const auto n_known = static_cast<std::uint32_t>(known.ascending.size());
  sorted_row_.clear();
  sorted_value_.clear();
  const auto add = [&](std::uint32_t rank) {
    sorted_row_.push_back(known.ascending[rank]);
    sorted_value_.push_back(known.ascending_value[rank]);
  };
  if (std::size_t{node.n_rows} * std::bit_width(node.n_rows) < n_words) {
    by_rank_.clear();
    for (const std::uint32_t row : rows_of(node)) {
      if (known.rank[row] < n_known) by_rank_.push_back(known.rank[row]);
    }
    std::sort(by_rank_.begin(), by_rank_.end());
    for (const std::uint32_t rank : by_rank_) add(rank);
    return {sorted_value_, sorted_row_};
  }
  for (const std::uint32_t row : rows_of(node)) {
    const std::uint32_t rank = known.rank[row];
    is_there_[rank / 64] |= std::uint64_t{rank < n_known} << rank % 64;
  }
  for (std::size_t word = 0; word < n_words; ++word) {
    for (std::uint64_t bits = std::exchange(is_there_[word], 0); bits != 0; bits &= bits - 1) {
      add(static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits))));
    }
  }
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
      const double number = known.number[known.ascending[i]];
      known.ascending_value.push_back(number);
      const double value = number + 0.0;
      if (known.distinct.empty() || known.distinct.back() < value) known.distinct.push_back(value);
    }
  }
  known.is_made = true;
}

std::size_t GrowthMemory::n_branches(std::uint32_t feature) const {
  const Column& column = (*training_.columns)[feature];
  return column.is_nominal() && !options_.binary_splits ? column.n_values() : 2;
}

GrowthMemory::NodeIndex GrowthMemory::split(NodeIndex index, std::uint32_t feature, const Candidate& test) {
  const std::size_t n = n_branches(feature);
  const Node& node = nodes_[index];
  assign_branches(node, feature, test);
  const auto weights = weights_of(node);
  for (std::size_t i = 0; i < weights.size(); ++i) row_weight_[rows_of(node)[i]] = weights[i];
  shares_.find(rows_of(node), branch_, training_.label, node.unit_weights ? std::span<const double>() : row_weight_, n,
               training_.n_classes);
  part_rows(node, n);
  const auto first = static_cast<NodeIndex>(nodes_.size());
  for (std::uint32_t b = 0; b < n; ++b) {
    const std::size_t rows_begin = rows_.size(), weights_begin = weights_.size();
    const auto begin = static_cast<std::ptrdiff_t>(part_begin_[b]), end = static_cast<std::ptrdiff_t>(part_begin_[b + 1]);
    rows_.insert(rows_.end(), parted_rows_.begin() + begin, parted_rows_.begin() + end);
    weights_.insert(weights_.end(), parted_weights_.begin() + begin, parted_weights_.begin() + end);
    add_node(rows_begin, weights_begin);
  }
  return first;
}

// Puts the rows of a node side by side that take the same branch, in one pass and in their order; those with a
// missing value go to every branch that has a share.
void GrowthMemory::part_rows(const Node& node, std::size_t n_branches) {
  const auto rows = rows_of(node);
  const auto weights = weights_of(node);
  std::size_t n_shared = 0;
  part_begin_.assign(n_branches + 1, 0);
  for (const std::uint32_t row : rows) branch_[row] == kEveryBranch ? ++n_shared : ++part_begin_[branch_[row] + 1];
  for (std::size_t b = 0; b < n_branches; ++b) part_begin_[b + 1] += part_begin_[b] + (shares_.share[b] > 0 ? n_shared : 0);
  part_end_.assign(part_begin_.begin(), part_begin_.end() - 1);
  parted_rows_.resize(part_begin_.back());
  parted_weights_.resize(part_begin_.back());
  const auto put = [&](std::size_t branch, std::uint32_t row, double weight) {
    const std::size_t place = part_end_[branch]++;
    parted_rows_[place] = row;
    parted_weights_[place] = weight;
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    if (branch_[rows[i]] != kEveryBranch) {
      put(branch_[rows[i]], rows[i], weight);
      continue;
    }
    for (std::size_t b = 0; b < n_branches; ++b) {
      if (shares_.share[b] > 0) put(b, rows[i], weight * shares_.share[b]);
    }
  }
}

void GrowthMemory::assign_branches(const Node& node, std::uint32_t feature, const Candidate& test) {
  const Known& known = known_[feature];
  const bool is_nominal = (*training_.columns)[feature].is_nominal();
  for (const std::uint32_t row : rows_of(node)) {
    if (!is_nominal) {
      // The cut lies between two values of this node, so that the upper one tells the sides apart.
      branch_[row] = std::isnan(known.number[row]) ? kEveryBranch : known.number[row] >= test.above;
    } else if (known.code[row] < 0) {
      branch_[row] = kEveryBranch;
    } else {
      branch_[row] = options_.binary_splits ? known.code[row] != test.value : known.code[row];
    }
  }
}

}  // namespace sightline::c45
