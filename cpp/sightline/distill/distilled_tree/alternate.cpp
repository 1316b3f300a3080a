#include "sightline/distill/distilled_tree/alternate.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "sightline/distill/distilled_tree/small_leaves.hpp"
#include "sightline/distill/distilled_tree/subtree_losses.hpp"
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
  std::size_t n = 0;

  // Begins anew, with room for some rows. Keeps the memory: nearly every row is undecided at every node.
  void reset(std::size_t max_rows) {
    rows.resize(max_rows);
    gain.resize(max_rows);
    n = 0;
    all_yes = favour_yes = 0;
  }
  void add(std::span<const std::uint32_t> some, const double* no_loss, const double* yes_loss) {
    double sum = all_yes, positive = favour_yes;
    std::size_t end = n;
    for (std::size_t i = 0; i < some.size(); ++i) {
      const double difference = no_loss[i] - yes_loss[i];
      // Write always, advance if it counts: whether it does cannot be predicted.
      rows[end] = some[i];
      gain[end] = difference;
      end += difference != 0;
      sum += difference;
      positive += std::max(0.0, difference);
    }
    n = end;
    all_yes = sum;
    favour_yes = positive;
  }
  void end() {
    rows.resize(n);
    gain.resize(n);
  }
};

// Sums per bin of one feature: of gains, or of weights.
class BinSums {
 public:
  // Most features that are summed at once. An addition waits for the one before it in the same cell, and columns with
  // two bins have nothing but such neighbors.
  static constexpr std::size_t kTogether = 8;

  BinSums() = default;
  BinSums(const Code* codes, const std::vector<std::uint32_t>& rows, const std::vector<double>& what) {
    for (std::size_t i = 0; i < rows.size(); ++i) cells_[codes[rows[i]]] += what[i];
  }

  template <std::size_t kN>
  static std::array<BinSums, kN> of_several(const std::array<const Code*, kN>& codes, const std::vector<std::uint32_t>& rows,
                                            const std::vector<double>& what) {
    std::array<BinSums, kN> several;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::uint32_t row = rows[i];
      const double added = what[i];
      for (std::size_t f = 0; f < kN; ++f) several[f].cells_[codes[f][row]] += added;
    }
    return several;
  }

  // At least the gain of any numeric test of each feature with this many bins, and at least 0.
  template <std::size_t kN>
  static std::array<double, kN> most(const std::array<BinSums, kN>& several, std::size_t n_bins) {
    std::array<double, kN> sum{}, high{}, low{};
    for (std::size_t bin = 0; bin < n_bins; ++bin) {
      for (std::size_t f = 0; f < kN; ++f) {
        sum[f] += several[f][bin];
        high[f] = std::max(high[f], sum[f]);
        low[f] = std::min(low[f], sum[f]);
      }
    }
    for (std::size_t f = 0; f < kN; ++f) {
      high[f] = std::max(high[f], sum[f] - low[f]) + std::max(0.0, several[f][kMissingBin]);
    }
    return high;
  }

  double operator[](std::size_t bin) const { return cells_[bin]; }

 private:
  std::array<double, 256> cells_{};
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

// The best test of one feature for the undecided rows.
class TestSearch {
 public:
  TestSearch(const DistillationRows& rows, const Undecided& undecided, std::size_t feature, const BinSums& gains)
      : codes_(rows.codes(feature)),
        bins_(rows.bins()[feature]),
        min_leaf_(rows.limits().min_leaf),
        gains_(gains),
        // Bins without gain go to the side with more to gain.
        neutral_yes_(undecided.all_yes >= 0) {}

  // Whatever it leaves on either side.
  Candidate best() const {
    return best([](const auto&) { return true; });
  }
  // With enough training rows on both sides.
  Candidate best(const Support& support) const {
    const BinSums training(codes_, support.rows, support.weight);
    return best([&](const auto& yes_side) { return support.is_enough(yes_side(training), min_leaf_); });
  }
  bool prefers_yes(std::size_t bin) const { return gains_[bin] > 0 || (gains_[bin] == 0 && neutral_yes_); }

 private:
  // `is_allowed` is called with a function from sums per bin to the sum at yes.
  template <class IsAllowed>
  Candidate best(IsAllowed is_allowed) const {
    return bins_.nominal ? best_nominal(is_allowed) : best_numeric(is_allowed);
  }

  template <class IsAllowed>
  Candidate best_numeric(IsAllowed is_allowed) const {
    const double missing = std::max(0.0, gains_[kMissingBin]);
    std::array<double, kMaxBins> up_to;  // sums of the gains of a bin and of those before it
    double known = 0;
    for (std::size_t bin = 0; bin < bins_.n_bins; ++bin) up_to[bin] = known += gains_[bin];
    Candidate best;
    for (std::size_t bin = 0; bin + 1 < bins_.n_bins; ++bin) {
      const double below = up_to[bin];
      // Cuts lie behind a bin that has gain. The cut before the first of them is a test, too, if
      // missing values go the other way.
      if (gains_[bin] == 0 && (below != 0 || gains_[bin + 1] == 0)) continue;
      for (const bool swapped : {false, true}) {
        const double gain = (swapped ? known - below : below) + missing;
        if (best.cut >= 0 && !(gain > best.gain)) continue;
        const auto yes_side = [&](const BinSums& sums) {
          double sum = 0;
          for (std::size_t b = 0; b <= bin; ++b) sum += sums[b];
          return sum + (prefers_yes(kMissingBin) != swapped ? sums[kMissingBin] : 0);
        };
        if (is_allowed(yes_side)) best = {gain, static_cast<std::int32_t>(bin), swapped};
      }
    }
    return best;
  }

  template <class IsAllowed>
  Candidate best_nominal(IsAllowed is_allowed) const {
    Candidate best;
    for (std::size_t bin = 0; bin < bins_.n_bins; ++bin) best.gain += std::max(0.0, gains_[bin]);
    best.gain += std::max(0.0, gains_[kMissingBin]);
    const auto yes_side = [&](const BinSums& sums) {
      double sum = prefers_yes(kMissingBin) ? sums[kMissingBin] : 0;
      for (std::size_t bin = 0; bin < bins_.n_bins; ++bin) sum += prefers_yes(bin) ? sums[bin] : 0;
      return sum;
    };
    return is_allowed(yes_side) ? best : Candidate{};
  }

  const Code* codes_;
  const FeatureBins& bins_;
  double min_leaf_;
  const BinSums& gains_;
  bool neutral_yes_;
};

class Alternation {
 public:
  // `loss` is kept from pass to pass.
  Alternation(SmallTree& tree, const DistillationRows& rows, int n_threads, runtime::StopPoll& poll, std::vector<double>& loss)
      : tree_(tree),
        rows_(rows),
        n_threads_(n_threads),
        poll_(poll),
        node_rows_(tree.node_rows(rows)),
        fit_(rows),
        below_(rows),
        features_(rows.testable_features()),
        loss_(loss) {}

  Pass run() {
    for (auto v = static_cast<model::NodeId>(tree_.n_nodes()); v-- > 0;) {
      poll_();
      const auto own = node_rows_.of(v);
      if (own.empty() || tree_[v].settled) continue;
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
    for_each_loss(
        rows_, own.size(), [&](std::size_t i) { return own[i]; }, tree_[v],
        [&](std::size_t i, double loss) { loss_[own[i]] = loss; });
  }

  void settle_test(model::NodeId v, std::span<const std::uint32_t> own) {
    SmallNode& node = tree_[v];
    const double now = weigh(v, own);
    const auto [feature, candidate] = known_test(v, now);
    const bool better = candidate.gain > now + std::max(tolerance(), reluctance(node.feature, feature));
    const double kept_gain = better ? candidate.gain : now;
    const double one_side = std::max(undecided_.all_yes, 0.0);
    if (one_side >= kept_gain - tolerance()) {
      const bool yes = undecided_.all_yes >= 0;
      for (std::size_t i = 0; i < own.size(); ++i) loss_[own[i]] = yes ? yes_loss_[i] : no_loss_[i];
      const SmallNode kept = tree_[yes ? node.yes : node.no];
      node = kept;
      note_change(node);
      return;
    }
    // The losses refer to the children before a swap.
    if (better) {
      adopt(node, feature, candidate);
      note_change(node);
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
    yes_loss_.resize(own.size());
    no_loss_.resize(own.size());
    const std::size_t n_yes = node_rows_.n_yes(v);
    // The loss on the row's own side is already known.
    std::ranges::copy(below_(tree_, node.no, own.first(n_yes)), no_loss_.begin());
    std::ranges::copy(below_(tree_, node.yes, own.subspan(n_yes)), yes_loss_.begin() + static_cast<std::ptrdiff_t>(n_yes));
    for (std::size_t i = 0; i < n_yes; ++i) yes_loss_[i] = loss_[own[i]];
    for (std::size_t i = n_yes; i < own.size(); ++i) no_loss_[i] = loss_[own[i]];
    undecided_.reset(own.size());
    undecided_.add(own.first(n_yes), no_loss_.data(), yes_loss_.data());
    const double now = undecided_.all_yes;
    undecided_.add(own.subspan(n_yes), no_loss_.data() + n_yes, yes_loss_.data() + n_yes);
    undecided_.end();
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

  void note_change(SmallNode& node) {
    node.changed = true;
    changed_ = true;
  }

  Replacement known_test(model::NodeId v, double now) {
    // Where columns are limited, the best test depends on the rest of the tree.
    if (features_.size() < kWorthCache || rows_.limits().max_columns > 0) return best_test(v, now);
    const NodeKey key(undecided_.rows, undecided_.gain, support_.rows, now, rows_.limits().min_leaf);
    if (const auto known = rows_.replacements().find(key)) return *known;
    const Replacement found = best_test(v, now);
    rows_.replacements().insert(key, found);
    return found;
  }

  // Of tests that gain more than `now`; others are not taken, unless their column is preferred.
  Replacement best_test(model::NodeId v, double now) {
    const UsedColumns used(tree_, rows_.limits(), rows_.n_features(), v);
    std::vector<Candidate> best(features_.size());
    const double enough = rows_.limits().preferred.empty() ? now : 0;
    const bool worth = undecided_.rows.size() * features_.size() > kWorthThreads;
    runtime::parallel_blocks(features_.size(), BinSums::kTogether, worth ? n_threads_ : 1, poll_,
                             [&](std::size_t begin, std::size_t end) { search(used, enough, begin, end, best); });
    Replacement chosen;
    for (std::size_t i = 0; i < best.size(); ++i) {
      const auto feature = static_cast<std::int32_t>(features_[i]);
      const auto is_better = [&] {
        return best[i].gain > enough && best[i].gain > chosen.test.gain + reluctance(chosen.feature, feature);
      };
      if (!is_better()) continue;
      // Few get this far, and only these need a look at the training rows.
      if (rows_.limits().min_leaf > 0)
        best[i] = TestSearch(rows_, undecided_, features_[i], gains_of(features_[i])).best(support_);
      if (is_better()) chosen = {feature, best[i]};
    }
    return chosen;
  }

  // Finds the best test of each of a few features, if it gains more than `enough`.
  void search(const UsedColumns& used, double enough, std::size_t begin, std::size_t end, std::vector<Candidate>& best) const {
    std::array<std::size_t, BinSums::kTogether> allowed;
    std::size_t n = 0;
    for (std::size_t i = begin; i < end; ++i) {
      if (used.allows(features_[i])) allowed[n++] = i;
    }
    std::span<const std::size_t> left(allowed.data(), n);
    left = search_together<BinSums::kTogether>(left, enough, best);
    left = search_together<BinSums::kTogether / 2>(left, enough, best);
    search_together<1>(left, enough, best);
  }

  // Does so for as many of the indices as come in groups of this size; returns the others.
  template <std::size_t kN>
  std::span<const std::size_t> search_together(std::span<const std::size_t> indices, double enough,
                                               std::vector<Candidate>& best) const {
    for (; indices.size() >= kN; indices = indices.subspan(kN)) {
      std::array<const Code*, kN> codes;
      std::size_t max_bins = 0;
      for (std::size_t i = 0; i < kN; ++i) {
        codes[i] = rows_.codes(features_[indices[i]]);
        max_bins = std::max(max_bins, rows_.bins()[features_[indices[i]]].n_bins);
      }
      const auto gains = BinSums::of_several(codes, undecided_.rows, undecided_.gain);
      const auto most = BinSums::most(gains, max_bins);
      for (std::size_t i = 0; i < kN; ++i) {
        const std::size_t feature = features_[indices[i]];
        if (!rows_.bins()[feature].nominal && !(most[i] > enough)) continue;
        best[indices[i]] = TestSearch(rows_, undecided_, feature, gains[i]).best();
      }
    }
    return indices;
  }

  BinSums gains_of(std::size_t feature) const { return {rows_.codes(feature), undecided_.rows, undecided_.gain}; }

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
    const BinSums gains = gains_of(static_cast<std::size_t>(feature));
    const TestSearch search(rows_, undecided_, feature, gains);
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
  SubtreeLosses below_;
  std::vector<std::size_t> features_;
  std::vector<double>& loss_;  // per row, in its leaf below the visited nodes
  std::vector<double> yes_loss_;
  std::vector<double> no_loss_;
  Undecided undecided_;
  Support support_;
  bool exchanged_ = false;
  bool changed_ = false;
};

void unsettle(SmallTree& tree) {
  for (model::NodeId v = 0; v < static_cast<model::NodeId>(tree.n_nodes()); ++v) tree[v].settled = tree[v].changed = false;
}

// Marks the nodes that another pass would leave unchanged: nothing changed below them, and nothing above, so
// that they have the rows they had.
void settle(SmallTree& tree, const Limits& limits) {
  const auto n_nodes = static_cast<model::NodeId>(tree.n_nodes());
  std::vector<char> changed_above(n_nodes, false), changed_below(n_nodes, false);
  for (model::NodeId v = 0; v < n_nodes; ++v) {
    if (tree[v].is_leaf()) continue;
    for (const model::NodeId child : {tree[v].yes, tree[v].no}) changed_above[child] = changed_above[v] || tree[v].changed;
  }
  for (model::NodeId v = n_nodes; v-- > 0;) {
    changed_below[v] = tree[v].changed;
    if (!tree[v].is_leaf()) changed_below[v] |= changed_below[tree[v].yes] | changed_below[tree[v].no];
    // Where columns are limited, every node depends on all others.
    tree[v].settled = limits.max_columns == 0 && !changed_above[v] && !changed_below[v];
    tree[v].changed = false;
  }
}

Pass next_pass(SmallTree& tree, const DistillationRows& rows, int n_threads, runtime::StopPoll& poll, std::vector<double>& loss) {
  tree.compact();
  const Pass pass = Alternation(tree, rows, n_threads, poll, loss).run();
  tree.compact();
  settle(tree, rows.limits());
  return pass;
}

}  // namespace

Pass alternate_once(SmallTree& tree, const DistillationRows& rows, int n_threads, runtime::StopPoll& poll) {
  std::vector<double> loss(rows.n_rows(), 0.0);
  unsettle(tree);
  return next_pass(tree, rows, n_threads, poll, loss);
}

double alternate(SmallTree& tree, const DistillationRows& rows, int max_passes, int n_threads, runtime::StopPoll& poll) {
  Pass pass{0, true};
  std::vector<double> loss(rows.n_rows(), 0.0);
  unsettle(tree);
  for (int i = 0; i < max_passes && pass.changed; ++i) pass = next_pass(tree, rows, n_threads, poll, loss);
  if (rows.limits().min_leaf > 0) remove_small_leaves(tree, rows);
  tree.refit(rows);
  return tree.loss(rows);
}

}  // namespace sightline::distill::distilled_tree
