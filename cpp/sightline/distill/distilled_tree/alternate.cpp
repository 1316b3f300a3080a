#include "sightline/distill/distilled_tree/alternate.hpp"

#include <algorithm>
#include <cmath>

#include "sightline/runtime/parallel.hpp"

namespace sightline::distill::distilled_tree {
namespace {

constexpr std::size_t kWorthThreads = 400'000;

// The rows of a node whose loss depends on the branch, and how much each gains at `yes`.
struct Undecided {
  std::vector<std::uint32_t> rows;
  std::vector<double> gain;  // the weight if the row is right at yes only, minus it if at no only
  double all_yes = 0;        // sum of the gains
  double favour_yes = 0;     // sum of the positive ones
};

// Gain per bin of one feature.
class GainHistogram {
 public:
  GainHistogram(const DistillationRows& rows, const Undecided& undecided, std::size_t feature) {
    const Code* codes = rows.codes(feature);
    for (std::size_t i = 0; i < undecided.rows.size(); ++i) cells_[codes[undecided.rows[i]]] += undecided.gain[i];
  }
  double operator[](std::size_t bin) const { return cells_[bin]; }

 private:
  std::array<double, 256> cells_{};
};

// The best test of a feature, and its gain over sending all rows to `no`.
struct Candidate {
  double gain = 0;
  std::int32_t cut = -1;
  bool swapped = false;  // numeric: small values go to what is now the no child
};

Candidate best_numeric(const GainHistogram& gains, const FeatureBins& bins) {
  const double missing = std::max(0.0, gains[kMissingBin]);
  double known = 0;
  for (std::size_t bin = 0; bin < bins.n_bins; ++bin) known += gains[bin];
  Candidate best;
  double below = 0;
  for (std::size_t bin = 0; bin + 1 < bins.n_bins; ++bin) {
    below += gains[bin];
    // Cuts lie behind a bin that has gain. The cut before the first of them is a test, too, if
    // missing values go the other way.
    if (gains[bin] == 0 && (below != 0 || gains[bin + 1] == 0)) continue;
    for (const bool swapped : {false, true}) {
      const double gain = (swapped ? known - below : below) + missing;
      if (best.cut < 0 || gain > best.gain) best = {gain, static_cast<std::int32_t>(bin), swapped};
    }
  }
  return best;
}

Candidate best_nominal(const GainHistogram& gains, const FeatureBins& bins) {
  Candidate best;
  for (std::size_t bin = 0; bin < bins.n_bins; ++bin) best.gain += std::max(0.0, gains[bin]);
  best.gain += std::max(0.0, gains[kMissingBin]);
  return best;
}

class Alternation {
 public:
  Alternation(SmallTree& tree, const DistillationRows& rows, int n_threads, runtime::StopPoll& poll)
      : tree_(tree),
        rows_(rows),
        n_threads_(n_threads),
        poll_(poll),
        node_rows_(tree.node_rows(rows)),
        majority_(rows),
        right_(rows.n_rows(), 0) {}

  Pass run() {
    double loss = 0;
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
    for (std::uint32_t row = 0; row < rows_.n_rows(); ++row) loss += right_[row] ? 0 : rows_.weight(row);
    return {loss, changed_};
  }

 private:
  void settle_leaf(model::NodeId v, std::span<const std::uint32_t> own) {
    tree_[v].label = majority_(own);
    for (const std::uint32_t row : own) right_[row] = rows_.label(row) == tree_[v].label;
  }

  void settle_test(model::NodeId v, std::span<const std::uint32_t> own) {
    SmallNode& node = tree_[v];
    const double now = weigh(node, own);
    const auto [feature, candidate] = best_test();
    const bool better = candidate.gain > now + tolerance();
    const double kept_gain = better ? candidate.gain : now;
    const double one_side = std::max(undecided_.all_yes, 0.0);
    if (one_side >= kept_gain - tolerance()) {
      const bool yes = undecided_.all_yes >= 0;
      for (std::size_t i = 0; i < own.size(); ++i) right_[own[i]] = yes ? right_yes_[i] : right_no_[i];
      const SmallNode kept = tree_[yes ? node.yes : node.no];
      node = kept;
      changed_ = true;
      return;
    }
    // The outcomes refer to the children before a swap.
    if (better) {
      adopt(node, feature, candidate);
      changed_ = true;
    }
    const bool swapped = better && exchanged_;
    const Code* codes = rows_.codes(node.feature);
    for (std::size_t i = 0; i < own.size(); ++i) {
      right_[own[i]] = node.to_yes.contains(codes[own[i]]) != swapped ? right_yes_[i] : right_no_[i];
    }
  }

  // Fills undecided_ and the outcomes of every row on both sides; returns the gain of the current test.
  double weigh(const SmallNode& node, std::span<const std::uint32_t> own) {
    undecided_ = {};
    right_yes_.resize(own.size());
    right_no_.resize(own.size());
    const std::size_t n_yes = node_rows_.of(node.yes).size();
    double now = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
      const std::uint32_t row = own[i];
      const bool at_yes = i < n_yes;
      // The outcome on the row's own side is already known.
      const model::NodeId other = tree_.leaf_of(rows_, at_yes ? node.no : node.yes, row);
      const bool other_right = tree_[other].label == rows_.label(row);
      right_yes_[i] = at_yes ? right_[row] : other_right;
      right_no_[i] = at_yes ? other_right : right_[row];
      if (right_yes_[i] == right_no_[i]) continue;
      const double gain = right_yes_[i] ? rows_.weight(row) : -rows_.weight(row);
      undecided_.rows.push_back(row);
      undecided_.gain.push_back(gain);
      undecided_.all_yes += gain;
      undecided_.favour_yes += std::max(0.0, gain);
      if (at_yes) now += gain;
    }
    return now;
  }

  std::pair<std::int32_t, Candidate> best_test() {
    std::vector<Candidate> best(rows_.n_features());
    const bool worth = undecided_.rows.size() * rows_.n_features() > kWorthThreads;
    runtime::parallel_blocks(rows_.n_features(), 1, worth ? n_threads_ : 1, poll_, [&](std::size_t begin, std::size_t end) {
      for (std::size_t f = begin; f < end; ++f) {
        const FeatureBins& bins = rows_.bins()[f];
        if (bins.n_bins < 2 && !(bins.nominal && rows_.has_missing(f))) continue;
        const GainHistogram gains(rows_, undecided_, f);
        best[f] = bins.nominal ? best_nominal(gains, bins) : best_numeric(gains, bins);
      }
    });
    std::size_t chosen = 0;
    for (std::size_t f = 1; f < best.size(); ++f) {
      if (best[f].gain > best[chosen].gain + tolerance()) chosen = f;
    }
    return {static_cast<std::int32_t>(chosen), best[chosen]};
  }

  // Rounding errors are about this large unless weights are multiples of a power of two.
  double tolerance() const { return 1e-12 * (undecided_.favour_yes * 2 - undecided_.all_yes); }

  void adopt(SmallNode& node, std::int32_t feature, const Candidate& candidate) {
    const FeatureBins& bins = rows_.bins()[feature];
    const GainHistogram gains(rows_, undecided_, feature);
    // Bins without gain go to the side with more to gain.
    const bool neutral_yes = undecided_.all_yes >= 0;
    const auto prefers_yes = [&](std::size_t bin) { return gains[bin] > 0 || (gains[bin] == 0 && neutral_yes); };
    CodeSet to_yes;
    bool any_known = false;
    if (bins.nominal) {
      for (std::size_t bin = 0; bin < bins.n_bins; ++bin) any_known |= prefers_yes(bin);
      // A test must name at least one category, so swap the children if this one would get none.
      exchanged_ = !any_known;
      for (std::size_t bin = 0; bin < bins.n_bins; ++bin) {
        if (prefers_yes(bin) != exchanged_) to_yes.insert(static_cast<Code>(bin));
      }
    } else {
      exchanged_ = candidate.swapped;
      to_yes = CodeSet::up_to(static_cast<Code>(candidate.cut));
    }
    if (prefers_yes(kMissingBin) != exchanged_) to_yes.insert(kMissingBin);
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
  Majority majority_;
  std::vector<char> right_;  // per row: whether its leaf has the ensemble's label, below the visited nodes
  std::vector<char> right_yes_;
  std::vector<char> right_no_;
  Undecided undecided_;
  bool exchanged_ = false;
  bool changed_ = false;
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
  tree.relabel(rows);
  return tree.loss(rows);
}

}  // namespace sightline::distill::distilled_tree
