#include "sightline/learn/c45/growth_cache.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "sightline/learn/midpoint.hpp"

namespace sightline::learn::c45 {
namespace {

constexpr std::size_t kBits = 64;

// The feature of the lowest bit in a word of a set.
std::uint32_t feature_of(std::size_t word, std::uint64_t bits) {
  return static_cast<std::uint32_t>(word * kBits + static_cast<std::size_t>(std::countr_zero(bits)));
}

std::uint32_t hash_of(std::span<const std::uint32_t> rows, std::span<const double> weights) {
  std::uint64_t hash = rows.size();
  const auto add = [&](std::uint64_t number) { hash = (std::rotl(hash, 29) ^ number) * 0x9E3779B97F4A7C15; };
  for (const std::uint32_t row : rows) add(row);
  for (const double weight : weights) add(std::bit_cast<std::uint64_t>(weight));
  return static_cast<std::uint32_t>(hash >> 32);
}

std::vector<std::uint32_t> all_features(const TrainingSet& training) {
  std::vector<std::uint32_t> all(training.columns->size());
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

}  // namespace

GrowthCache::GrowthCache(const TrainingSet& training, const GrowOptions& options, const table::Orders& orders, std::size_t room)
    : training_(training),
      options_(options),
      orders_(orders),
      row_weight_(training.size(), 1.0),
      finder_(options, training.n_classes, training.label, row_weight_, training.weight),
      value_splits_(value_splits(training, all_features(training), options)),
      known_(training.columns->size()),
      n_words_(training.columns->size() / kBits + 1),
      members_(n_words_),
      found_(n_words_),
      candidates_(n_words_),
      tests_(training.columns->size()),
      in_average_(training.columns->size()),
      usually_in_average_(
          features_in_average(*training.columns, all_features(training), value_splits_, static_cast<double>(training.size()))),
      branch_(training.size()),
      is_there_(training.size() / 64 + 1, 0) {
  for (std::size_t f = 0; f < training.columns->size(); ++f) {
    const table::Column& column = (*training.columns)[f];
    n_branches_.push_back(column.is_nominal() && value_splits_[f] == ValueSplit::kEach ? column.n_values() : 2);
  }
  // Reserved memory that is never touched costs nothing, but moving a growing list touches it twice.
  seen_.reserve(room / 2 / sizeof(Score));
  rows_.reserve(room / 4 / sizeof(std::uint32_t));
  nodes_.reserve(room / 4 / sizeof(Node));
  clear();
}

std::size_t GrowthCache::min_bytes(const table::Columns& columns, std::size_t n_rows) {
  constexpr std::size_t kBytesPerNumber = 3 * sizeof(double) + 2 * sizeof(std::uint32_t);
  std::size_t bytes = 0;
  for (std::size_t f = 0; f < columns.size(); ++f) {
    bytes += n_rows * (columns[f].is_nominal() ? sizeof(std::int32_t) : kBytesPerNumber);
  }
  return bytes;
}

void GrowthCache::clear() {
  nodes_.clear();
  is_final_.clear();
  errors_.clear();
  seen_.clear();
  masks_.clear();
  by_rows_.clear();
  chosen_.clear();
  branches_.clear();
  values_.clear();
  counts_.clear();
  rows_.resize(training_.size());
  std::iota(rows_.begin(), rows_.end(), 0);
  weights_.assign(training_.size(), 1.0);
  add_node(0, 0, 0);
}

std::size_t GrowthCache::used() const {
  return nodes_.size() * (sizeof(Node) + sizeof(double) + 1) + seen_.size() * sizeof(Score) + chosen_.size() * sizeof(Chosen) +
         values_.size() * sizeof(std::int32_t) + branches_.size() * sizeof(NodeIndex) + by_rows_.used() +
         rows_.size() * sizeof(std::uint32_t) + masks_.size() * sizeof(Masks) +
         (weights_.size() + counts_.size()) * sizeof(double);
}

// Makes a node from the last rows and weights. Weights that are all 1 are dropped.
GrowthCache::NodeIndex GrowthCache::add_node(std::int32_t depth, std::size_t rows_begin, std::size_t weights_begin) {
  Node node{};
  node.rows_begin = static_cast<std::uint32_t>(rows_begin);
  node.weights_begin = static_cast<std::uint32_t>(weights_begin);
  node.n_rows = static_cast<std::uint32_t>(rows_.size() - rows_begin);
  node.visited = kNone;
  node.chosen = kNone;
  node.last_chosen = kNone;
  node.depth = options_.max_depth < 0 ? 0 : depth;
  node.unit_weights = true;
  counts_.resize(counts_.size() + training_.n_classes, 0.0);
  double* counts = counts_.data() + (counts_.size() - training_.n_classes);
  for (std::size_t i = 0; i < node.n_rows; ++i) {
    const double weight = weights_[weights_begin + i];
    counts[training_.label[rows_[rows_begin + i]]] += weight;
    node.unit_weights &= weight == 1.0;
  }
  if (node.unit_weights) weights_.resize(weights_begin);
  node.weight = std::accumulate(counts, counts + training_.n_classes, 0.0);
  const bool is_final = pure_or_small({counts, static_cast<std::size_t>(training_.n_classes)}, node.weight, options_.min_leaf) ||
                        depth == options_.max_depth;
  if (!is_final) return add_or_share(node);
  return store(node, true);
}

// Rows ascend, so equal sets of rows are equal lists. Final nodes are not worth a search.
GrowthCache::NodeIndex GrowthCache::add_or_share(Node& node) {
  const std::uint32_t hash = hash_of(rows_of(node), weights_of(node));
  const NodeIndex known = by_rows_.find(hash, [&](NodeIndex other) { return have_equal_rows(nodes_[other], node); });
  if (known == HashIndex::kNone) {
    const auto index = static_cast<NodeIndex>(nodes_.size());
    by_rows_.insert(hash, index);
    // Logarithms are expensive, and most nodes are final or known.
    node.sum_xlogx = sum_xlogx(counts_of(index));
    return store(node, false);
  }
  rows_.resize(node.rows_begin);
  weights_.resize(node.weights_begin);
  counts_.resize(counts_.size() - training_.n_classes);
  return known;
}

bool GrowthCache::have_equal_rows(const Node& a, const Node& b) const {
  return a.depth == b.depth && std::ranges::equal(rows_of(a), rows_of(b)) && std::ranges::equal(weights_of(a), weights_of(b));
}

// Takes the last class counts.
GrowthCache::NodeIndex GrowthCache::store(const Node& node, bool is_final) {
  const auto index = static_cast<NodeIndex>(nodes_.size());
  nodes_.push_back(node);
  is_final_.push_back(is_final);
  errors_.push_back(node.weight - std::ranges::max(counts_of(index)));
  return index;
}

void GrowthCache::set_features(std::span<const std::uint32_t> features) {
  const auto counts = features_in_average(*training_.columns, features, value_splits_, static_cast<double>(training_.size()));
  std::fill(members_.begin(), members_.end(), 0);
  is_usual_ = true;
  for (std::size_t i = 0; i < features.size(); ++i) {
    members_[features[i] / kBits] |= std::uint64_t{1} << features[i] % kBits;
    in_average_[features[i]] = counts[i];
    is_usual_ &= counts[i] == usually_in_average_[features[i]];
  }
}

std::optional<GrowthCache::Step> GrowthCache::choose_test(NodeIndex index, NodeIndex parent, runtime::StopPoll& poll) {
  const bool is_repeated = visit(index, parent);
  if (n_rows_seen_ >= kRowsBetweenPolls) {
    n_rows_seen_ = 0;
    poll();
  }
  std::uint32_t chosen = nodes_[index].last_chosen;
  if (!is_repeated || !is_usual_) {
    chosen = choose_among_candidates(index);
    for (std::size_t w = 0; w < n_words_ && is_usual_; ++w) masks_of(nodes_[index])[w].last_candidates = candidates_[w];
    if (is_usual_) nodes_[index].last_chosen = chosen;
  }
  if (chosen == kNone) return std::nullopt;
  return Step{chosen_[chosen].feature, chosen};
}

// Searches for tests on the features of the set that were not searched here before, and lists those with a test in
// `candidates_`. Returns whether they are those of the last visit. A feature exhausted at the parent is exhausted here too.
bool GrowthCache::visit(NodeIndex index, NodeIndex parent) {
  if (nodes_[index].visited == kNone) add_visited(nodes_[index]);
  const Node& node = nodes_[index];
  Masks* masks = masks_of(node);
  const Masks* above = parent == kNone ? masks : masks_of(nodes_[parent]);
  bool is_repeated = true;
  bool is_entered = false;
  for (std::size_t w = 0; w < n_words_; ++w) {
    Masks& here = masks[w];
    here.searched |= above[w].spent;
    here.spent |= above[w].spent;
    found_[w] = members_[w] & ~here.searched;
    if (found_[w] != 0 && !std::exchange(is_entered, true)) enter(index);
    for (std::uint64_t bits = found_[w]; bits != 0; bits &= bits - 1) search(node, w, bits & (~bits + 1));
    candidates_[w] = members_[w] & here.valid;
    is_repeated &= candidates_[w] == here.last_candidates;
  }
  return is_repeated;
}

void GrowthCache::add_visited(Node& node) {
  node.visited = static_cast<std::uint32_t>(masks_.size() / n_words_);
  masks_.resize(masks_.size() + n_words_);
  seen_.resize(seen_.size() + training_.columns->size());
}

// Searches for the best test on the feature with this bit of the word.
void GrowthCache::search(const Node& node, std::size_t word, std::uint64_t bit) {
  const std::uint32_t feature = feature_of(word, bit);
  const Candidate& test = tests_[feature] = find(node, feature);
  Masks& masks = masks_of(node)[word];
  masks.searched |= bit;
  if (test.spent) masks.spent |= bit;
  if (test.valid) masks.valid |= bit;
  seen_[node.visited * training_.columns->size() + feature] = {test.gain, test.gain_ratio};
  n_rows_seen_ += node.n_rows;
}

// The number of the chosen test, or kNone.
std::uint32_t GrowthCache::choose_among_candidates(NodeIndex index) {
  const Score* seen = seen_.data() + nodes_[index].visited * training_.columns->size();
  features_.clear();
  scores_.clear();
  counted_.clear();
  for (std::size_t w = 0; w < n_words_; ++w) {
    for (std::uint64_t bits = candidates_[w]; bits != 0; bits &= bits - 1) {
      const std::uint32_t feature = feature_of(w, bits);
      features_.push_back(feature);
      scores_.push_back(seen[feature]);
      counted_.push_back(in_average_[feature]);
    }
  }
  const std::int32_t best = choose(scores_, counted_);
  return best < 0 ? kNone : follow(index, features_[best]);
}

std::vector<double> GrowthCache::root_gains(runtime::StopPoll& poll) {
  set_features(all_features(training_));
  if (is_final(kRoot)) return std::vector<double>(training_.columns->size(), 0.0);
  choose_test(kRoot, kNone, poll);
  std::vector<double> gains(training_.columns->size(), -std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < features_.size(); ++i) gains[features_[i]] = scores_[i].gain;
  return gains;
}

void GrowthCache::add_rows(NodeIndex index, std::vector<Fragment>& all) const {
  const auto rows = rows_of(nodes_[index]);
  const auto weights = weights_of(nodes_[index]);
  for (std::size_t i = 0; i < rows.size(); ++i) all.push_back({rows[i], weights.empty() ? 1.0 : weights[i]});
}

void GrowthCache::add_test(const Step& step, GrownTree& tree, model::NodeId node) const {
  const Chosen& test = chosen_[step.chosen];
  const table::Column& column = (*training_.columns)[step.feature];
  GrownNode& grown = tree.nodes[node];
  if (!column.is_nominal()) {
    grown.test = model::Test::kThreshold;
  } else if (value_splits_[step.feature] != ValueSplit::kEach) {
    tree.set_values(node, {values_.data() + test.first_value, test.n_values});
  } else {
    grown.test = model::Test::kMultiway;
  }
  grown.feature = static_cast<std::int32_t>(step.feature);
  grown.threshold = test.threshold;
  tree.open(node, n_branches(step.feature));
}

// Prepares the search for tests at a node.
void GrowthCache::enter(NodeIndex index) {
  const Node& node = nodes_[index];
  const auto rows = rows_of(node);
  const auto weights = weights_of(node);
  for (std::size_t i = 0; i < weights.size(); ++i) row_weight_[rows[i]] = weights[i];
  node_counts_.weight = node.weight;
  node_counts_.sum_xlogx = node.sum_xlogx;
  node_counts_.per_class.assign(counts_of(index).begin(), counts_of(index).end());
}

Candidate GrowthCache::find(const Node& node, std::uint32_t feature) {
  make_known(feature);
  const auto rows = rows_of(node);
  const table::Column& column = (*training_.columns)[feature];
  if (column.is_nominal()) {
    return finder_.nominal(known_[feature].code, column.n_values(), value_splits_[feature], rows, node_counts_,
                           node.unit_weights);
  }
  return finder_.numeric(sorted_rows(node, feature), rows.size(), node_counts_, node.unit_weights);
}

// Splits the rows when a test is chosen for the first time. Usually that is on the visit that found it; if not, only its
// score was kept and the test is searched again.
std::uint32_t GrowthCache::follow(NodeIndex index, std::uint32_t feature) {
  for (std::uint32_t known = nodes_[index].chosen; known != kNone; known = chosen_[known].next) {
    if (chosen_[known].feature == feature) return known;
  }
  Candidate& test = tests_[feature];
  if ((found_[feature / kBits] >> feature % kBits & 1) == 0) {
    enter(index);
    test = find(nodes_[index], feature);
  }
  Chosen chosen{.threshold = 0,
                .first_value = static_cast<std::uint32_t>(values_.size()),
                .n_values = static_cast<std::uint32_t>(test.values.size()),
                .first_branch = static_cast<std::uint32_t>(branches_.size()),
                .feature = feature,
                .next = nodes_[index].chosen};
  values_.insert(values_.end(), test.values.begin(), test.values.end());
  if (!(*training_.columns)[feature].is_nominal()) {
    chosen.threshold = settled(midpoint(test.below, test.above), known_[feature].distinct);
  }
  chosen_.push_back(chosen);
  split(index, feature, test);
  return nodes_[index].chosen = static_cast<std::uint32_t>(chosen_.size() - 1);
}

// Marks ranks in a bit set and reads them in ascending order. If the table is much larger than the node, sorting is
// cheaper.
SortedRows GrowthCache::sorted_rows(const Node& node, std::uint32_t feature) {
  const Known& known = known_[feature];
  const std::size_t n_words = known.ascending.size() / 64 + 1;
  const auto n_known = static_cast<std::uint32_t>(known.ascending.size());
  sorted_row_.resize(node.n_rows);
  sorted_value_.resize(node.n_rows);
  std::size_t n = 0;
  const auto add = [&](std::uint32_t rank) {
    sorted_row_[n] = known.ascending[rank];
    sorted_value_[n++] = known.ascending_value[rank];
  };
  if (std::size_t{node.n_rows} * std::bit_width(node.n_rows) < n_words) {
    by_rank_.clear();
    for (const std::uint32_t row : rows_of(node)) {
      if (known.rank[row] < n_known) by_rank_.push_back(known.rank[row]);
    }
    std::sort(by_rank_.begin(), by_rank_.end());
    for (const std::uint32_t rank : by_rank_) add(rank);
  } else {
    for (const std::uint32_t row : rows_of(node)) {
      const std::uint32_t rank = known.rank[row];
      is_there_[rank / 64] |= std::uint64_t{rank < n_known} << rank % 64;
    }
    for (std::size_t word = 0; word < n_words; ++word) {
      for (std::uint64_t bits = std::exchange(is_there_[word], 0); bits != 0; bits &= bits - 1) {
        add(static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits))));
      }
    }
  }
  return {std::span(sorted_value_).first(n), std::span(sorted_row_).first(n)};
}

void GrowthCache::make_known(std::uint32_t feature) {
  Known& known = known_[feature];
  if (known.is_made) return;
  const table::Column& column = (*training_.columns)[feature];
  const std::size_t n = training_.size();
  if (column.is_nominal()) {
    known.code.reserve(n);
    for (std::uint32_t row = 0; row < n; ++row) {
      const std::int32_t code = training_.code(feature, row);
      known.code.push_back(code >= 0 && code < column.n_values() ? code : table::kMissingCode);
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

void GrowthCache::split(NodeIndex index, std::uint32_t feature, const Candidate& test) {
  const std::size_t n = n_branches(feature);
  const Node node = nodes_[index];
  assign_branches(node, feature, test);
  const auto weights = weights_of(node);
  for (std::size_t i = 0; i < weights.size(); ++i) row_weight_[rows_of(node)[i]] = weights[i];
  shares_.find(rows_of(node), branch_, training_.label, node.unit_weights ? std::span<const double>() : row_weight_, n,
               training_.n_classes);
  part_rows(node, n);
  for (std::uint32_t b = 0; b < n; ++b) {
    const std::size_t rows_begin = rows_.size(), weights_begin = weights_.size();
    const auto begin = static_cast<std::ptrdiff_t>(part_begin_[b]), end = static_cast<std::ptrdiff_t>(part_begin_[b + 1]);
    rows_.insert(rows_.end(), parted_rows_.begin() + begin, parted_rows_.begin() + end);
    weights_.insert(weights_.end(), parted_weights_.begin() + begin, parted_weights_.begin() + end);
    branches_.push_back(add_node(node.depth + 1, rows_begin, weights_begin));
  }
}

// Partitions the rows of a node by branch in one stable pass. Rows with a missing value go to every branch that has a
// share.
void GrowthCache::part_rows(const Node& node, std::size_t n_branches) {
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
    const std::size_t next = part_end_[branch]++;
    parted_rows_[next] = row;
    parted_weights_[next] = weight;
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

void GrowthCache::assign_branches(const Node& node, std::uint32_t feature, const Candidate& test) {
  const Known& known = known_[feature];
  const bool is_nominal = (*training_.columns)[feature].is_nominal();
  const bool has_two_branches = value_splits_[feature] != ValueSplit::kEach;
  for (const std::uint32_t row : rows_of(node)) {
    if (!is_nominal) {
      // The cut lies between two values of this node, so comparing with the upper one separates the sides.
      branch_[row] = std::isnan(known.number[row]) ? kEveryBranch : known.number[row] >= test.above;
    } else if (known.code[row] < 0) {
      branch_[row] = kEveryBranch;
    } else {
      branch_[row] = has_two_branches ? !is_among(test.values, known.code[row]) : known.code[row];
    }
  }
}

}  // namespace sightline::learn::c45
