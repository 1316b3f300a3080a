#include "sightline/distill/distilled_tree/alternate.hpp"

#include <algorithm>
#include <compare>
#include <numeric>
#include <set>

#include "sightline/runtime/parallel.hpp"

namespace sightline::distill::distilled_tree {
namespace {

constexpr std::size_t kWorthThreads = 400'000;

// The rows of a node whose loss depends on the branch, and how much each gains at `yes`.
struct Undecided {
  std::vector<std::uint32_t> rows;
  std::vector<double> gain;  // how much smaller its loss is at yes than at no
  double all_yes = 0;        // sum of the gains
  double favour_yes = 0;     // sum of the positive ones

  // Keeps the memory: of numbers, nearly every row is undecided at every node.
  void clear() {
    rows.clear();
    gain.clear();
    all_yes = favour_yes = 0;
  }
};

// Sums per bin of one feature: of gains, or of weights.
class BinSums {
 public:
  BinSums(const Code* codes, const std::vector<std::uint32_t>& rows, const std::vector<double>& what) {
    const std::size_t n = rows.size();
    std::size_t i = 0;
    // An addition waits for the one before it in the same cell, and columns with two bins have nothing but such
    // neighbors. So four rows at a time go to four places.
    if (n >= kWorthApart) {
      std::array<Cells, 3> apart{};
      for (; i + 4 <= n; i += 4) {
        cells_[codes[rows[i]]] += what[i];
        apart[0][codes[rows[i + 1]]] += what[i + 1];
        apart[1][codes[rows[i + 2]]] += what[i + 2];
        apart[2][codes[rows[i + 3]]] += what[i + 3];
      }
      for (std::size_t bin = 0; bin < cells_.size(); ++bin) cells_[bin] += apart[0][bin] + apart[1][bin] + apart[2][bin];
    }
    for (; i < n; ++i) cells_[codes[rows[i]]] += what[i];
  }
  double operator[](std::size_t bin) const { return cells_[bin]; }

 private:
  using Cells = std::array<double, 256>;
  static constexpr std::size_t kWorthApart = 512;

  Cells cells_{};
};

// The training rows of a node. Of these, each side of a test must keep enough.
struct Support {
  std::vector<std::uint32_t> rows;
  std::vector<double> weight;
  double total = 0;

  void clear() {
    rows.clear();
    weight.clear();
    total = 0;
  }
  bool is_enough(double on_one_side, double min_leaf) const { return on_one_side >= min_leaf && total - on_one_side >= min_leaf; }
};

// The best test of a feature, and its gain over sending all rows to `no`.
struct Candidate {
  double gain = 0;
  std::int32_t cut = -1;
  bool swapped = false;  // numeric: small values go to what is now the no child
};

// The best test of one feature for the undecided rows.
class TestSearch {
 public:
  TestSearch(const DistillationRows& rows, const Undecided& undecided, const Support& support, std::size_t feature)
      : bins_(rows.bins()[feature]),
        min_leaf_(rows.limits().min_leaf),
        support_(support),
        gains_(rows.codes(feature), undecided.rows, undecided.gain),
        training_(rows.codes(feature), support.rows, support.weight),
        // Bins without gain go to the side with more to gain.
        neutral_yes_(undecided.all_yes >= 0) {}

  Candidate best() const { return bins_.nominal ? best_nominal() : best_numeric(); }
  bool prefers_yes(std::size_t bin) const { return gains_[bin] > 0 || (gains_[bin] == 0 && neutral_yes_); }

 private:
  Candidate best_numeric() const {
    const double missing = std::max(0.0, gains_[kMissingBin]);
    double known = 0;
    for (std::size_t bin = 0; bin < bins_.n_bins; ++bin) known += gains_[bin];
    Candidate best;
    double below = 0;
    double training_below = 0;
    for (std::size_t bin = 0; bin + 1 < bins_.n_bins; ++bin) {
      below += gains_[bin];
      training_below += training_[bin];
      // Cuts lie behind a bin that has gain. The cut before the first of them is a test, too, if
      // missing values go the other way.
      if (gains_[bin] == 0 && (below != 0 || gains_[bin + 1] == 0)) continue;
      for (const bool swapped : {false, true}) {
        const double gain = (swapped ? known - below : below) + missing;
        if (best.cut >= 0 && !(gain > best.gain)) continue;
        const double yes_side = training_below + (prefers_yes(kMissingBin) != swapped ? training_[kMissingBin] : 0);
        if (support_.is_enough(yes_side, min_leaf_)) best = {gain, static_cast<std::int32_t>(bin), swapped};
      }
    }
    return best;
  }

  Candidate best_nominal() const {
    Candidate best;
    double yes_side = prefers_yes(kMissingBin) ? training_[kMissingBin] : 0;
    for (std::size_t bin = 0; bin < bins_.n_bins; ++bin) {
      best.gain += std::max(0.0, gains_[bin]);
      if (prefers_yes(bin)) yes_side += training_[bin];
    }
    best.gain += std::max(0.0, gains_[kMissingBin]);
    return support_.is_enough(yes_side, min_leaf_) ? best : Candidate{};
  }

  const FeatureBins& bins_;
  double min_leaf_;
  const Support& support_;
  BinSums gains_;
  BinSums training_;
  bool neutral_yes_;
};

class Alternation {
 public:
  Alternation(SmallTree& tree, const DistillationRows& rows, int n_threads, runtime::StopPoll& poll)
      : tree_(tree),
        rows_(rows),
        n_threads_(n_threads),
        poll_(poll),
        node_rows_(tree.node_rows(rows)),
        fit_(rows),
        features_(rows.testable_features()),
        loss_(rows.n_rows(), 0.0) {}

  Pass run() {
    for (auto v = static_cast<model::NodeId>(tree_.n_nodes()); v-- > 0;) {
      poll_();
      const auto own = node_rows_.of(v);
      if (own.empty()) continue;
      if (tree_[v].is_leaf()) {
        settle_leaf(v, own);
      } else {
        settle_test(v, own);
      }
    }
    return {std::accumulate(loss_.begin(), loss_.end(), 0.0), changed_};
  }

 private:
  void settle_leaf(model::NodeId v, std::span<const std::uint32_t> own) {
    fit_(own, tree_[v]);
    for (const std::uint32_t row : own) loss_[row] = loss_of(rows_, row, tree_[v]);
  }

  void settle_test(model::NodeId v, std::span<const std::uint32_t> own) {
    SmallNode& node = tree_[v];
    const double now = weigh(v, own);
    const auto [feature, candidate] = best_test(v);
    const bool better = candidate.gain > now + std::max(tolerance(), reluctance(node.feature, feature));
    const double kept_gain = better ? candidate.gain : now;
    const double one_side = std::max(undecided_.all_yes, 0.0);
    if (one_side >= kept_gain - tolerance()) {
      const bool yes = undecided_.all_yes >= 0;
      for (std::size_t i = 0; i < own.size(); ++i) loss_[own[i]] = yes ? yes_loss_[i] : no_loss_[i];
      const SmallNode kept = tree_[yes ? node.yes : node.no];
      node = kept;
      changed_ = true;
      return;
    }
    // The losses refer to the children before a swap.
    if (better) {
      adopt(node, feature, candidate);
      changed_ = true;
    }
    const bool swapped = better && exchanged_;
    const Code* codes = rows_.codes(node.feature);
    for (std::size_t i = 0; i < own.size(); ++i) {
      loss_[own[i]] = node.to_yes.contains(codes[own[i]]) != swapped ? yes_loss_[i] : no_loss_[i];
    }
  }

  // Fills undecided_, support_ and the loss of every row on both sides; returns the gain of the
  // current test.
  double weigh(model::NodeId v, std::span<const std::uint32_t> own) {
    const SmallNode& node = tree_[v];
    undecided_.clear();
    yes_loss_.resize(own.size());
    no_loss_.resize(own.size());
    const std::size_t n_yes = node_rows_.n_yes(v);
    double now = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
      const std::uint32_t row = own[i];
      const bool at_yes = i < n_yes;
      // The loss on the row's own side is already known.
      const model::NodeId other = tree_.leaf_of(rows_, at_yes ? node.no : node.yes, row);
      const double other_loss = loss_of(rows_, row, tree_[other]);
      yes_loss_[i] = at_yes ? loss_[row] : other_loss;
      no_loss_[i] = at_yes ? other_loss : loss_[row];
      const double gain = no_loss_[i] - yes_loss_[i];
      if (gain == 0) continue;
      undecided_.rows.push_back(row);
      undecided_.gain.push_back(gain);
      undecided_.all_yes += gain;
      undecided_.favour_yes += std::max(0.0, gain);
      if (at_yes) now += gain;
    }
    if (rows_.limits().min_leaf > 0) find_support(own);
    return now;
  }

  void find_support(std::span<const std::uint32_t> own) {
    support_.clear();
    for (const std::uint32_t row : own) {
      if (row >= rows_.end_of_training() || rows_.is_artificial(row)) continue;
      support_.rows.push_back(row);
      support_.weight.push_back(rows_.weight(row));
      support_.total += rows_.weight(row);
    }
  }

  std::pair<std::int32_t, Candidate> best_test(model::NodeId v) {
    const UsedColumns used(tree_, rows_.limits(), rows_.n_features(), v);
    std::vector<Candidate> best(features_.size());
    const bool worth = undecided_.rows.size() * features_.size() > kWorthThreads;
    runtime::parallel_blocks(features_.size(), 1, worth ? n_threads_ : 1, poll_, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (used.allows(features_[i])) best[i] = TestSearch(rows_, undecided_, support_, features_[i]).best();
      }
    });
    std::pair<std::int32_t, Candidate> chosen{-1, {}};
    for (std::size_t i = 0; i < best.size(); ++i) {
      const auto feature = static_cast<std::int32_t>(features_[i]);
      if (best[i].gain > chosen.second.gain + reluctance(chosen.first, feature)) chosen = {feature, best[i]};
    }
    return chosen;
  }

  // Rounding errors are about this large unless weights are multiples of a power of two.
  double tolerance() const { return 1e-12 * (undecided_.favour_yes * 2 - undecided_.all_yes); }

  // How much more a test must gain than another: less than nothing if its column is preferred.
  // No test at all has feature -1.
  double reluctance(std::int32_t now, std::int32_t next) const {
    const Limits& limits = rows_.limits();
    if (now < 0 || next < 0 || limits.prefers(now) == limits.prefers(next)) return tolerance();
    const double nearly = kNearlyEqual * (undecided_.favour_yes * 2 - undecided_.all_yes);
    return limits.prefers(now) ? nearly : tolerance() - nearly;
  }

  void adopt(SmallNode& node, std::int32_t feature, const Candidate& candidate) {
    const FeatureBins& bins = rows_.bins()[feature];
    const TestSearch search(rows_, undecided_, support_, feature);
    CodeSet to_yes;
    bool any_known = false;
    if (bins.nominal) {
      for (std::size_t bin = 0; bin < bins.n_bins; ++bin) any_known |= search.prefers_yes(bin);
      // A test must name at least one category, so swap the children if this one would get none.
      exchanged_ = !any_known;
      for (std::size_t bin = 0; bin < bins.n_bins; ++bin) {
        if (search.prefers_yes(bin) != exchanged_) to_yes.insert(static_cast<Code>(bin));
      }
    } else {
      exchanged_ = candidate.swapped;
      to_yes = CodeSet::up_to(static_cast<Code>(candidate.cut));
    }
    if (search.prefers_yes(kMissingBin) != exchanged_) to_yes.insert(kMissingBin);
    node.feature = feature;
    node.cut = bins.nominal ? -1 : candidate.cut;
    node.to_yes = to_yes;
    if (exchanged_) std::swap(node.yes, node.no);
  }

  SmallTree& tree_;
  const DistillationRows& rows_;
  int n_threads_;
  runtime::StopPoll& poll_;
  NodeRows node_rows_;
  LeafFit fit_;
  std::vector<std::size_t> features_;
  std::vector<double> loss_;  // per row, in its leaf below the visited nodes
  std::vector<double> yes_loss_;
  std::vector<double> no_loss_;
  Undecided undecided_;
  Support support_;
  bool exchanged_ = false;
  bool changed_ = false;
};

// Removes leaves with too few training rows, the smallest first. The rows of a leaf go down the subtree of its sibling,
// which takes the place of their parent.
class SmallLeaves {
 public:
  SmallLeaves(SmallTree& tree, const DistillationRows& rows)
      : tree_(tree), rows_(rows), parent_(tree.n_nodes(), -1), support_(tree.n_nodes(), 0.0), training_(tree.n_nodes()) {
    const NodeRows node_rows = tree.node_rows(rows);
    for (model::NodeId v = 0; v < static_cast<model::NodeId>(tree.n_nodes()); ++v) {
      if (!tree[v].is_leaf()) {
        parent_[tree[v].yes] = parent_[tree[v].no] = v;
        continue;
      }
      for (const std::uint32_t row : node_rows.of(v)) {
        if (!rows.is_artificial(row)) receive(v, row);
      }
      enter(v);
    }
  }

  void remove() {
    while (!waiting_.empty() && tree_.n_nodes() > 1) {
      const model::NodeId leaf = waiting_.begin()->leaf;
      waiting_.erase(waiting_.begin());
      if (parent_[leaf] >= 0) remove(leaf);
    }
    tree_.compact();
  }

 private:
  // Ties go to the parent that comes first, and to its yes branch. Numbers of nodes stay in depth-first order: what
  // takes the place of a parent takes its number.
  struct Entry {
    double support;
    model::NodeId parent;
    bool is_no;
    model::NodeId leaf;
    auto operator<=>(const Entry&) const = default;
  };

  Entry entry(model::NodeId leaf) const { return {support_[leaf], parent_[leaf], tree_[parent_[leaf]].no == leaf, leaf}; }
  void enter(model::NodeId leaf) {
    if (parent_[leaf] >= 0 && support_[leaf] < rows_.limits().min_leaf) waiting_.insert(entry(leaf));
  }
  void leave(model::NodeId leaf) {
    if (parent_[leaf] >= 0) waiting_.erase(entry(leaf));
  }
  void receive(model::NodeId leaf, std::uint32_t row) {
    training_[leaf].push_back(row);
    support_[leaf] += rows_.weight(row);
  }

  void remove(model::NodeId leaf) {
    const model::NodeId v = parent_[leaf];
    const model::NodeId sibling = tree_[v].yes == leaf ? tree_[v].no : tree_[v].yes;
    if (tree_[sibling].is_leaf()) {
      leave(sibling);
    } else {
      leave_children(sibling);
    }
    const SmallNode kept = tree_[sibling];
    tree_[v] = kept;
    training_[v] = std::move(training_[sibling]);
    support_[v] = support_[sibling];
    if (kept.is_leaf()) {
      for (const std::uint32_t row : training_[leaf]) receive(v, row);
      enter(v);
      return;
    }
    parent_[kept.yes] = parent_[kept.no] = v;
    for (const model::NodeId child : {kept.yes, kept.no}) {
      if (tree_[child].is_leaf()) enter(child);
    }
    for (const std::uint32_t row : training_[leaf]) {
      const model::NodeId to = tree_.leaf_of(rows_, v, row);
      leave(to);
      receive(to, row);
      enter(to);
    }
  }

  void leave_children(model::NodeId v) {
    for (const model::NodeId child : {tree_[v].yes, tree_[v].no}) {
      if (tree_[child].is_leaf()) leave(child);
    }
  }

  SmallTree& tree_;
  const DistillationRows& rows_;
  std::vector<model::NodeId> parent_;
  std::vector<double> support_;
  std::vector<std::vector<std::uint32_t>> training_;  // rows of leaves
  std::set<Entry> waiting_;                           // leaves that are too small
};

}  // namespace

Pass alternate_once(SmallTree& tree, const DistillationRows& rows, int n_threads, runtime::StopPoll& poll) {
  tree.compact();
  const Pass pass = Alternation(tree, rows, n_threads, poll).run();
  tree.compact();
  return pass;
}

double alternate(SmallTree& tree, const DistillationRows& rows, int max_passes, int n_threads, runtime::StopPoll& poll) {
  Pass pass{0, true};
  for (int i = 0; i < max_passes && pass.changed; ++i) pass = alternate_once(tree, rows, n_threads, poll);
  if (rows.limits().min_leaf > 0) SmallLeaves(tree, rows).remove();
  tree.refit(rows);
  return tree.loss(rows);
}

}  // namespace sightline::distill::distilled_tree
