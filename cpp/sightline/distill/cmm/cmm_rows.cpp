#include "sightline/distill/cmm/cmm_rows.hpp"

#include <algorithm>
#include <cmath>

#include "sightline/proof/box.hpp"

namespace sightline::distill::cmm {
namespace {

// The range of the observed values of a column, and how often they are missing.
struct ObservedRange {
  double low = 0;
  double high = 0;
  double missing_share = 0;
};

ObservedRange observed_range(const RowSource& source, std::size_t feature) {
  ObservedRange range{.missing_share = source.missing_share(feature)};
  if (source.rows()[feature].is_nominal()) return range;
  const std::vector<double> values = source.values(feature).values;
  if (!values.empty()) {
    range.low = values.front();
    range.high = values.back();
  }
  return range;
}

// The leaves of one tree with their training weight.
class WeightedLeaves {
 public:
  explicit WeightedLeaves(const model::Tree& tree) : tree_(tree), parent_(tree.n_nodes(), -1), branch_(tree.n_nodes(), 0) {
    for (model::NodeId v = 0; v < static_cast<model::NodeId>(tree.n_nodes()); ++v) {
      const auto children = tree.children(v);
      for (std::size_t b = 0; b < children.size(); ++b) {
        parent_[children[b]] = v;
        branch_[children[b]] = b;
      }
      if (!tree.is_leaf(v)) continue;
      leaves_.push_back(v);
      weight_.push_back(tree.weight(v));
    }
    cumulated_ = CumulatedWeights(weight_);
    if (cumulated_.total() > 0) return;
    // The source may not store weights. Then every leaf counts the same.
    weight_.assign(leaves_.size(), 1.0);
    cumulated_ = CumulatedWeights(weight_);
  }

  std::size_t size() const { return leaves_.size(); }
  std::size_t at_share(double share) const { return cumulated_.index_at(share); }
  double share(std::size_t leaf) const { return weight_[leaf] / cumulated_.total(); }

  // Narrows the box to a leaf; is_tested[f] becomes true if the path tests f.
  void narrow(std::size_t leaf, proof::Box& box, std::vector<char>& is_tested) const {
    for (model::NodeId v = leaves_[leaf]; parent_[v] >= 0; v = parent_[v]) {
      box.narrow(tree_, parent_[v], branch_[v]);
      is_tested[tree_.feature(parent_[v])] = true;
    }
  }

 private:
  const model::Tree& tree_;
  std::vector<model::NodeId> parent_;
  std::vector<std::size_t> branch_;
  std::vector<model::NodeId> leaves_;
  std::vector<double> weight_;
  CumulatedWeights cumulated_;
};

struct LeafOfTree {
  std::size_t tree;
  std::size_t leaf;
};

// The leaf of each row if their numbers are rounded.
std::vector<LeafOfTree> rounded_quotas(const std::vector<WeightedLeaves>& trees, std::size_t n_rows, LeafQuota quota) {
  std::vector<LeafOfTree> result;
  const double n_per_tree = static_cast<double>(n_rows) / static_cast<double>(trees.size());
  for (std::size_t t = 0; t < trees.size(); ++t) {
    for (std::size_t leaf = 0; leaf < trees[t].size(); ++leaf) {
      const double exact = trees[t].share(leaf) * n_per_tree;
      const double rounded = quota == LeafQuota::kFloor ? std::floor(exact) : std::round(exact);
      result.insert(result.end(), static_cast<std::size_t>(rounded), {t, leaf});
    }
  }
  return result;
}

// A number in the part of the interval that lies in the observed range.
double uniform_in(const proof::Interval& interval, const ObservedRange& range, runtime::RandomStream& stream) {
  const double draw = stream.uniform();
  const double lowest = std::nextafter(interval.low, HUGE_VAL);
  const double low = std::max(lowest, range.low);
  const double high = std::min(interval.high, range.high);
  if (low < high) return std::lerp(high, low, draw);
  // The two overlap in one point or not at all.
  return std::clamp(range.low, lowest, interval.high);
}

}  // namespace

ArtificialRows cmm_rows(const model::Ensemble& ensemble, const RowSource& source, const Drawing& asked, LeafQuota quota,
                        runtime::StopPoll& poll) {
  const table::Columns& rows = source.rows();
  std::vector<WeightedLeaves> trees;
  for (const model::TreePtr& tree : ensemble.parts().trees) trees.emplace_back(*tree);
  std::vector<LeafOfTree> planned;
  Drawing drawing = asked;
  if (quota != LeafQuota::kDrawn) {
    planned = rounded_quotas(trees, asked.n_rows, quota);
    drawing.n_rows = planned.size();
  }
  ArtificialRows result(rows, drawing);
  std::vector<ObservedRange> ranges;
  for (std::size_t f = 0; f < rows.size(); ++f) ranges.push_back(observed_range(source, f));
  draw_rows(drawing, poll, [&](std::size_t row, runtime::RandomStream& stream) {
    proof::Box box(ensemble.n_values());
    std::vector<char> is_tested(rows.size(), false);
    const double share = stream.uniform();
    const std::size_t turn = row % trees.size();
    const LeafOfTree at = planned.empty() ? LeafOfTree{turn, trees[turn].at_share(share)} : planned[row];
    trees[at.tree].narrow(at.leaf, box, is_tested);
    for (std::size_t f = 0; f < rows.size(); ++f) {
      const bool missing = stream.uniform() < ranges[f].missing_share;
      const bool lost = (missing && !is_tested[f]) || !box.may_be_known(f);
      if (!rows[f].is_nominal()) {
        result.numbers[f][row] = lost ? std::nan("") : uniform_in(box.interval(f), ranges[f], stream);
        continue;
      }
      const std::vector<std::int32_t> left = box.categories(f);
      result.codes[f][row] = lost || left.empty() ? table::kMissingCode : left[stream.below(left.size())];
    }
  });
  return result;
}

}  // namespace sightline::distill::cmm
