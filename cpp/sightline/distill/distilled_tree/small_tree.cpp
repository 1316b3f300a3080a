#include "sightline/distill/distilled_tree/small_tree.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "sightline/distill/distilled_tree/subtree_losses.hpp"

namespace sightline::distill::distilled_tree {

CodeSet CodeSet::up_to(Code last) {
  CodeSet set;
  const std::size_t word = last >> 6;
  for (std::size_t full = 0; full < word; ++full) set.bits_[full] = ~std::uint64_t{0};
  set.bits_[word] = ~std::uint64_t{0} >> (63 - (last & 63));
  return set;
}

std::size_t SmallTree::n_leaves() const {
  const std::vector<model::NodeId> all = order();
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](auto v) { return nodes_[v].is_leaf(); }));
}

std::size_t SmallTree::n_tests() const {
  const std::vector<model::NodeId> all = order();
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](auto v) { return !nodes_[v].is_leaf(); }));
}

// In reverse: a depth-first walk that visits the no branch first leaves a node when all below it are left.
std::vector<model::NodeId> SmallTree::order() const {
  std::vector<model::NodeId> left;
  std::vector<char> entered(nodes_.size(), false);
  std::vector<model::NodeId> stack{0};
  while (!stack.empty()) {
    const model::NodeId v = stack.back();
    if (v < 0) {
      stack.pop_back();
      left.push_back(~v);
    } else if (entered[v]) {
      stack.pop_back();
    } else {
      entered[v] = true;
      stack.back() = ~v;
      if (!nodes_[v].is_leaf()) stack.insert(stack.end(), {nodes_[v].yes, nodes_[v].no});
    }
  }
  std::reverse(left.begin(), left.end());
  return left;
}

void SmallTree::split(model::NodeId v, std::int32_t feature, std::int32_t cut, const CodeSet& to_yes) {
  const auto first = static_cast<model::NodeId>(nodes_.size());
  SmallNode leaf;
  leaf.label = nodes_[v].label;
  leaf.value = nodes_[v].value;
  leaf.squares = nodes_[v].squares;
  nodes_.insert(nodes_.end(), 2, leaf);
  nodes_[v].feature = feature;
  nodes_[v].cut = cut;
  nodes_[v].to_yes = to_yes;
  nodes_[v].yes = first;
  nodes_[v].no = first + 1;
}

void SmallTree::compact() {
  const std::vector<model::NodeId> all = order();
  std::vector<model::NodeId> id(nodes_.size());
  std::vector<SmallNode> kept;
  kept.reserve(all.size());
  for (const model::NodeId v : all) {
    id[v] = static_cast<model::NodeId>(kept.size());
    kept.push_back(std::move(nodes_[v]));
  }
  for (SmallNode& node : kept) {
    if (node.is_leaf()) continue;
    node.yes = id[node.yes];
    node.no = id[node.no];
  }
  nodes_ = std::move(kept);
}

NodeRows::NodeRows(std::size_t n_rows) : rows_(n_rows), scratch_(n_rows), range_(1, {0, n_rows}) {
  std::iota(rows_.begin(), rows_.end(), 0U);
}

void NodeRows::divide(model::NodeId v, const SmallNode& node, const DistillationRows& rows) {
  const auto [begin, end] = range_[v];
  const Code* codes = rows.codes(node.feature);
  std::size_t yes_end = begin;
  std::size_t n_no = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const std::uint32_t row = rows_[i];
    const bool yes = node.to_yes.contains(codes[row]);
    // Write both, advance one: cheaper than a branch that is often mispredicted.
    rows_[yes_end] = row;
    scratch_[n_no] = row;
    yes_end += yes;
    n_no += !yes;
  }
  std::copy_n(scratch_.begin(), n_no, rows_.begin() + yes_end);
  const auto needed = static_cast<std::size_t>(std::max({v, node.yes, node.no})) + 1;
  if (range_.size() < needed) range_.resize(needed);
  if (n_yes_.size() < needed) n_yes_.resize(needed);
  n_yes_[v] = yes_end - begin;
  give(node.yes, {begin, yes_end});
  give(node.no, {yes_end, end});
}

void NodeRows::give(model::NodeId child, Range part) {
  Range& own = range_[child];
  if (part.begin == part.end) return;
  if (own.begin == own.end) {
    own = part;
    return;
  }
  const std::size_t begin = rows_.size();
  rows_.resize(begin + (own.end - own.begin) + (part.end - part.begin));
  std::size_t next = begin;
  for (const Range& from : {own, part}) {
    for (std::size_t i = from.begin; i < from.end; ++i) rows_[next++] = rows_[i];
  }
  own = {begin, rows_.size()};
}

NodeRows SmallTree::node_rows(const DistillationRows& rows) const {
  NodeRows node_rows(rows.n_rows());
  for (const model::NodeId v : order()) {
    if (!nodes_[v].is_leaf()) node_rows.divide(v, nodes_[v], rows);
  }
  return node_rows;
}

void SmallTree::refit(const DistillationRows& rows, const NodeRows& node_rows) {
  LeafFit fit(rows);
  for (std::size_t v = 0; v < nodes_.size(); ++v) {
    const auto own = node_rows.of(static_cast<model::NodeId>(v));
    if (!own.empty()) fit(own, nodes_[v]);
  }
}

double SmallTree::loss(const DistillationRows& rows) const {
  std::vector<std::uint32_t> all(rows.n_rows());
  std::iota(all.begin(), all.end(), 0U);
  SubtreeLosses losses(rows);
  const auto loss = losses(*this, 0, all);
  return std::accumulate(loss.begin(), loss.end(), 0.0);
}

double loss_in(const DistillationRows& rows, std::span<const std::uint32_t> of, const SmallNode& leaf) {
  double sum = 0;
  for_each_loss(rows, of.size(), [&](std::size_t i) { return of[i]; }, leaf, [&](std::size_t, double loss) { sum += loss; });
  return sum;
}

void LeafFit::operator()(std::span<const std::uint32_t> of, SmallNode& leaf) {
  if (!rows_.has_numbers()) leaf.label = label_for(of);
  if (!(rows_.objective().target > 0)) return;
  if (rows_.objective().absolute) {
    leaf.value.assign(1, median(of));
    return;
  }
  sum_targets(of);
  leaf.value = sums_;
  for (double& value : leaf.value) value /= weight_;
  leaf.squares = std::inner_product(leaf.value.begin(), leaf.value.end(), leaf.value.begin(), 0.0);
}

std::int32_t LeafFit::label_for(std::span<const std::uint32_t> of) {
  sum_votes(of);
  const double most = *std::max_element(votes_.begin(), votes_.end());
  const bool tie = std::count(votes_.begin(), votes_.end(), most) > 1;
  if (!tie) return static_cast<std::int32_t>(std::find(votes_.begin(), votes_.end(), most) - votes_.begin());
  sum_targets(of);
  std::size_t best = votes_.size();
  for (std::size_t c = 0; c < votes_.size(); ++c) {
    if (votes_[c] == most && (best == votes_.size() || sums_[c] > sums_[best])) best = c;
  }
  return static_cast<std::int32_t>(best);
}

void LeafFit::sum_votes(std::span<const std::uint32_t> of) {
  std::fill(votes_.begin(), votes_.end(), 0.0);
  if (rows_.has_charges()) {
    for (const std::uint32_t row : of) {
      for (std::size_t c = 0; c < votes_.size(); ++c) {
        votes_[c] -= rows_.importance(row) * rows_.charge(row, static_cast<std::int32_t>(c));
      }
    }
  } else if (votes_.size() == 2) {  // in registers: leaves are fitted all the time
    double votes[2] = {0, 0};
    for (const std::uint32_t row : of) {
      const double importance = rows_.importance(row);
      votes[0] += rows_.label(row) == 0 ? importance : 0;
      votes[1] += rows_.label(row) == 0 ? 0 : importance;
    }
    std::copy_n(votes, 2, votes_.begin());
  } else {
    for (const std::uint32_t row : of) votes_[rows_.label(row)] += rows_.importance(row);
  }
}

void LeafFit::sum_targets(std::span<const std::uint32_t> of) {
  std::fill(sums_.begin(), sums_.end(), 0.0);
  weight_ = 0;
  if (rows_.has_numbers()) {  // in registers, as below
    double sum = 0;
    double weight = 0;
    for (const std::uint32_t row : of) {
      sum += rows_.importance(row) * rows_.scaled_number(row);
      weight += rows_.importance(row);
    }
    sums_[0] = sum;
    weight_ = weight;
    return;
  }
  if (sums_.size() == 2 && rows_.has_full_targets()) {
    double sums[3] = {0, 0, 0};
    for (const std::uint32_t row : of) {
      const model::NumberRow<float> target = rows_.target(row);
      const double importance = rows_.importance(row);
      sums[0] += importance * target[0];
      sums[1] += importance * target[1];
      sums[2] += importance;
    }
    std::copy_n(sums, 2, sums_.begin());
    weight_ = sums[2];
    return;
  }
  for (const std::uint32_t row : of) {
    rows_.target(row).for_each([&](std::size_t k, float target) { sums_[k] += rows_.importance(row) * target; });
    weight_ += rows_.importance(row);
  }
}

// The middle of the two numbers at which half of the weight is passed; one number unless it is
// passed exactly.
double LeafFit::median(std::span<const std::uint32_t> of) {
  sorted_.clear();
  double total = 0;
  for (const std::uint32_t row : of) {
    sorted_.emplace_back(rows_.scaled_number(row), rows_.importance(row));
    total += rows_.importance(row);
  }
  std::sort(sorted_.begin(), sorted_.end());
  double passed = 0;
  for (std::size_t i = 0; i < sorted_.size(); ++i) {
    passed += sorted_[i].second;
    if (2 * passed == total && i + 1 < sorted_.size()) {
      return (static_cast<double>(sorted_[i].first) + static_cast<double>(sorted_[i + 1].first)) / 2;
    }
    if (2 * passed > total) return sorted_[i].first;
  }
  return sorted_.back().first;
}

}  // namespace sightline::distill::distilled_tree
