#include "sightline/learn/c45_pruning_memory.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace sightline::c45 {
namespace {

// A few hundred bytes each.
constexpr std::size_t kNodesKept = 200'000;

// A node keeps all its rows, whatever its branches were pruned to.
class RowsInMemory : public RowSource {
 public:
  RowsInMemory(const GrowthMemory& growth, const GrowthMemory::Place& place, std::size_t n_branches)
      : growth_(growth), place_(place), n_branches_(n_branches) {}

  void gather(std::optional<std::size_t> without_branch, std::vector<Fragment>& rows) const override {
    rows.clear();
    if (!without_branch) return growth_.add_rows(place_.node, rows);
    for (std::size_t b = 0; b < n_branches_; ++b) {
      if (b != *without_branch) growth_.add_rows(growth_.branch_of(place_.chosen, b), rows);
    }
  }

 private:
  const GrowthMemory& growth_;
  const GrowthMemory::Place& place_;
  std::size_t n_branches_;
};

}  // namespace

PruningMemory::PruningMemory(const TrainingSet& training, const GrowthMemory& growth, bool collapse, const Finish& finish)
    : training_(training),
      growth_(growth),
      n_beginnings_(growth.n_beginnings()),
      collapse_(collapse),
      estimate_(finish.confidence, finish.z) {
  estimate_.remember(std::min(training.size(), ErrorEstimate::kRemembered));
  store_.clear(training.n_classes);
  gatherer_.start(training);
  pruner_.start_store(store_, training_, estimate_, finish.subtree_raising, gatherer_);
}

bool PruningMemory::is_stale() const {
  return growth_.n_beginnings() != n_beginnings_ || store_.nodes.size() + results_.size() > kNodesKept;
}

NodeId PruningMemory::stored(Result result) {
  if ((result & kIsLeaf) == 0) return static_cast<NodeId>(result);
  const NodeIndex node = result & ~kIsLeaf;
  if (leaf_.size() <= node) leaf_.resize(growth_.n_nodes(), -1);
  if (leaf_[node] < 0) {
    leaf_[node] = store_.add_node(growth_.counts_of(node), growth_.weight_of(node));
    pruner_.add_leaf(leaf_[node]);
  }
  return leaf_[node];
}

// From the last decision to the first, so that the branches of a node are done when it comes, the first on top.
std::uint32_t PruningMemory::prune(const Decisions& decisions, StopPoll& poll) {
  const auto& places = growth_.places();
  done_.clear();
  for (std::size_t i = decisions.size(); i-- > 0;) {
    const char32_t feature = decisions[i];
    const auto counts = growth_.counts_of(places[i].node);
    const double errors = std::accumulate(counts.begin(), counts.end(), 0.0) - *std::max_element(counts.begin(), counts.end());
    Done node{places[i].node | kIsLeaf, errors};
    if (feature != kNoTest) {
      const std::size_t n_branches = growth_.n_branches(feature);
      node.leaf_errors = 0;
      for (std::size_t b = 0; b < n_branches; ++b) node.leaf_errors += done_[done_.size() - 1 - b].leaf_errors;
      if (!collapse_ || node.leaf_errors < errors - kCollapseSlack) node.result = settle(places[i], feature, poll);
      done_.resize(done_.size() - n_branches);
    }
    done_.push_back(node);
  }
  return done_.back().result;
}

// Of a node whose branches lie on top of what is done.
PruningMemory::Result PruningMemory::settle(const GrowthMemory::Place& place, std::uint32_t feature, StopPoll& poll) {
  const std::size_t n_branches = growth_.n_branches(feature);
  key_.assign(1, place.chosen);
  for (std::size_t b = 0; b < n_branches; ++b) key_.push_back(done_[done_.size() - 1 - b].result);
  if (const std::uint32_t* known = results_.find(key_)) return *known;
  branches_.clear();
  for (std::size_t b = 0; b < n_branches; ++b) branches_.push_back(stored(key_[b + 1]));
  const NodeId node = store_.add_node(growth_.counts_of(place.node), growth_.weight_of(place.node));
  growth_.add_test(feature, place.chosen, store_, node);
  for (std::size_t b = 0; b < n_branches; ++b) store_.set_child(node, b, branches_[b]);
  pruner_.add_and_prune(node, RowsInMemory(growth_, place, n_branches), poll);
  Result result = static_cast<Result>(node);
  if (store_.nodes[node].is_leaf()) {
    result = place.node | kIsLeaf;
    if (static_cast<std::size_t>(node) + 1 == store_.nodes.size()) store_.drop_last();
  }
  results_.insert(key_, result);
  return result;
}

void PruningMemory::build(std::uint32_t pruned, GrownTree& tree) {
  tree.clear(store_.n_classes);
  copier_.copy(store_, stored(pruned), tree);
}

const std::uint32_t* ListTable::find(std::span<const std::uint32_t> list) {
  if (list[0] < last_.size() && is_at(last_[list[0]], list)) return &entries_[last_[list[0]] + 1 + list.size()];
  if (slots_.empty()) return nullptr;
  const std::uint32_t place = slots_[slot_of(list)];
  if (place == 0) return nullptr;
  last_[list[0]] = place;
  return &entries_[place + 1 + list.size()];
}

void ListTable::insert(std::span<const std::uint32_t> list, std::uint32_t number) {
  if (2 * (n_lists_ + 1) > slots_.size()) grow();
  const auto place = static_cast<std::uint32_t>(entries_.size());
  entries_.push_back(static_cast<std::uint32_t>(list.size()));
  entries_.insert(entries_.end(), list.begin(), list.end());
  entries_.push_back(number);
  slots_[slot_of(list)] = place;
  if (last_.size() <= list[0]) last_.resize(std::max<std::size_t>(list[0] + 1, 2 * last_.size()), 0);
  last_[list[0]] = place;
  ++n_lists_;
}

bool ListTable::is_at(std::uint32_t place, std::span<const std::uint32_t> list) const {
  return place != 0 && entries_[place] == list.size() &&
         std::equal(list.begin(), list.end(), entries_.begin() + static_cast<std::ptrdiff_t>(place) + 1);
}

// The slot of a list, or the free one where it would be.
std::size_t ListTable::slot_of(std::span<const std::uint32_t> list) const {
  std::uint64_t hash = 0;
  for (const std::uint32_t number : list) hash = (std::rotl(hash, 29) ^ number) * 0x9E3779B97F4A7C15;
  std::size_t slot = (hash >> 32) & (slots_.size() - 1);
  while (slots_[slot] != 0 && !is_at(slots_[slot], list)) slot = (slot + 1) & (slots_.size() - 1);
  return slot;
}

// The number of slots is a power of two.
void ListTable::grow() {
  constexpr std::size_t kSlots = 1024;
  slots_.assign(std::max(kSlots, 2 * slots_.size()), 0);
  for (std::size_t place = 1; place < entries_.size(); place += entries_[place] + 2) {
    slots_[slot_of({entries_.data() + place + 1, entries_[place]})] = static_cast<std::uint32_t>(place);
  }
}

}  // namespace sightline::c45
