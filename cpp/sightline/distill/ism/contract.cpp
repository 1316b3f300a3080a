#include "sightline/distill/ism/contract.hpp"

#include <algorithm>
#include <utility>

namespace sightline::distill::ism {

using proof::CategorySet;
using proof::Overlap;

namespace {

constexpr std::int32_t kNone = -1;

// Decides the nodes of a nominal feature. Categories are also narrowed on the way down a tree: two
// sets may each leave a test open while their intersection decides it. Intervals cannot do that.
class NominalLive {
 public:
  NominalLive(const PreparedEnsemble& prepared, const Forest& forest, const CategorySet& allowed)
      : prepared_(prepared), forest_(forest), left_(allowed) {}

  std::size_t only_child(std::size_t v) const {
    const Overlap overlap = proof::overlap(left_, prepared_.yes_categories(forest_.nodes[v]));
    if (overlap == Overlap::kBoth) return proof::Contraction<Node>::kNone;
    return overlap == Overlap::kOutside ? forest_.no_child(static_cast<std::int32_t>(v)) : v + 1;
  }

  bool enter(std::size_t parent, std::size_t child) {
    const proof::CategoryBits yes = prepared_.yes_categories(forest_.nodes[parent]);
    if (child == parent + 1) {
      log_.push_back(left_);
      left_.keep(yes);
    } else {
      left_ = log_.back();
      left_.remove(yes);
    }
    return true;
  }

  void leave(std::size_t) {
    left_ = std::move(log_.back());
    log_.pop_back();
  }

  static void take_place(Node&, const Node&) {}

 private:
  const PreparedEnsemble& prepared_;
  const Forest& forest_;
  CategorySet left_;  // categories that are still possible here
  std::vector<CategorySet> log_;
};

// An outcome decides only the nodes with exactly its test. This is the paper's rule. It is not a proof,
// because it leaves nodes open that the context decides.
auto literal_decision(const PreparedEnsemble& prepared, const Forest& forest, std::int32_t test, std::int32_t outcome) {
  const Tests& tests = prepared.tests();
  const std::int32_t feature = tests.feature[test];
  const bool nominal = tests.is_nominal(feature);
  const double rank = 2.0 * (test - tests.first[feature]) + 1;
  return [&prepared, &forest, &tests, feature, test, outcome, nominal, rank](std::int32_t v) {
    const Node& node = forest.nodes[v];
    if (node.feature != feature) return kNone;
    if (nominal ? prepared.nominal(node).test != test : node.rank() != rank) return kNone;
    const std::int32_t yes_outcome = nominal ? prepared.nominal(node).yes_outcome : tests.first_outcome[test];
    return outcome == yes_outcome ? v + 1 : forest.no_child(v);
  };
}

}  // namespace

ForestView Contractor::operator()(const Forest& from, const Context& context, std::int32_t test, std::int32_t outcome) {
  const std::int32_t feature = prepared_.tests().feature[test];
  if (literal_) return undecided(from, literal_decision(prepared_, from, test, outcome));
  if (!prepared_.tests().is_nominal(feature)) return by_intervals(from, context);
  const auto concerned = [feature](const Node& node) { return node.feature == feature; };
  NominalLive live(prepared_, from, context.allowed(feature));
  nodes_.clear();
  root_.assign(1, 0);
  for (std::size_t t = 0; t < from.view().n_trees(); ++t) {
    contraction_.copy(from.nodes, from.root[t], from.root[t + 1], nodes_, concerned, live);
    root_.push_back(static_cast<std::int32_t>(nodes_.size()));
  }
  return {nodes_, root_};
}

ForestView Contractor::by_intervals(const Forest& from, const Context& context) {
  const Tests& tests = prepared_.tests();
  decisive_.assign(tests.n_features() + 1, {});
  for (std::size_t f = 0; f < tests.n_features(); ++f) {
    if (tests.is_nominal(f)) continue;
    const proof::Interval& interval = context.interval(f);
    decisive_[f + 1] = {static_cast<std::int32_t>(interval.low), static_cast<std::int32_t>(interval.high)};
  }
  return undecided(from, [&from, decisive = decisive_.data()](std::int32_t v) {
    const Node& node = from.nodes[v];
    const Decisive& ranks = decisive[std::max(node.feature, -1) + 1];
    const std::int32_t rank = node.n_smaller + node.n_not_larger;
    if (rank >= ranks.high) return v + 1;
    return rank <= ranks.low ? from.no_child(v) : kNone;
  });
}

template <class OnlyChild>
ForestView Contractor::undecided(const Forest& from, OnlyChild only_child) {
  if (nodes_.size() < from.nodes.size()) nodes_.resize(from.nodes.size());
  if (position_.size() <= from.nodes.size()) position_.resize(from.nodes.size() + 1);
  root_.assign(1, 0);
  for (std::size_t t = 0; t < from.view().n_trees(); ++t) root_.push_back(copy_undecided(from, t, root_[t], only_child));
  return {std::span(nodes_).first(static_cast<std::size_t>(root_.back())), root_};
}

template <class OnlyChild>
std::int32_t Contractor::copy_undecided(const Forest& from, std::size_t tree, std::int32_t first, OnlyChild only_child) {
  const std::int32_t end = from.root[tree + 1];
  const Node* source = from.nodes.data();
  Node* copy = nodes_.data();
  std::int32_t* position = position_.data();
  std::int32_t n_copied = first;
  gaps_.assign(1, {end, end});
  for (std::int32_t v = from.root[tree];;) {
    position[v] = n_copied;
    if (v == gaps_.back().at) {
      if (v == end) break;
      v = gaps_.back().resume;
      gaps_.pop_back();
      continue;
    }
    if (const std::int32_t child = only_child(v); child != kNone) {
      if (child == v + 1) gaps_.push_back({from.no_child(v), v + source[v].size});
      v = child;
      continue;
    }
    const Node& node = source[v];
    // For now the size is the end of the subtree in `from`.
    copy[n_copied++] = {node.feature, node.size + v, node.n_smaller, node.n_not_larger, node.share};
    ++v;
  }
  for (std::int32_t v = first; v < n_copied; ++v) copy[v].size = position[copy[v].size] - v;
  return n_copied;
}

}  // namespace sightline::distill::ism
