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
  const std::vector<double> values = source.values(feature);
  if (!values.empty()) {
    range.low = values.front();
    range.high = values.back();
  }
  return range;
}

// Draws the leaves of one tree by training weight.
class LeafSampler {
 public:
  explicit LeafSampler(const model::Tree& tree) : tree_(tree), parent_(tree.n_nodes(), -1), branch_(tree.n_nodes(), 0) {
    std::vector<double> weights;
    for (model::NodeId v = 0; v < static_cast<model::NodeId>(tree.n_nodes()); ++v) {
      const auto children = tree.children(v);
      for (std::size_t b = 0; b < children.size(); ++b) {
        parent_[children[b]] = v;
        branch_[children[b]] = b;
      }
      if (!tree.is_leaf(v)) continue;
      leaves_.push_back(v);
      weights.push_back(tree.weight(v));
    }
    weights_ = CumulatedWeights(weights);
    // The source may not store weights. Then every leaf counts the same.
    if (!(weights_.total() > 0)) weights_ = CumulatedWeights(std::vector<double>(leaves_.size(), 1.0));
  }

  // Narrows the box to the leaf at this share of the weight; is_tested[f] becomes true if the path tests f.
  void narrow(double share, proof::Box& box, std::vector<char>& is_tested) const {
    for (model::NodeId v = leaves_[weights_.index_at(share)]; parent_[v] >= 0; v = parent_[v]) {
      box.narrow(tree_, parent_[v], branch_[v]);
      is_tested[tree_.feature(parent_[v])] = true;
    }
  }

 private:
  const model::Tree& tree_;
  std::vector<model::NodeId> parent_;
  std::vector<std::size_t> branch_;
  std::vector<model::NodeId> leaves_;
  CumulatedWeights weights_;
};

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

ArtificialRows cmm_rows(const model::Ensemble& ensemble, const RowSource& source, const Drawing& drawing,
                        runtime::StopPoll& poll) {
  const table::Columns& rows = source.rows();
  ArtificialRows result(rows, drawing);
  std::vector<ObservedRange> ranges;
  for (std::size_t f = 0; f < rows.size(); ++f) ranges.push_back(observed_range(source, f));
  std::vector<LeafSampler> samplers;
  for (const model::TreePtr& tree : ensemble.parts().trees) samplers.emplace_back(*tree);
  draw_rows(drawing, poll, [&](std::size_t row, runtime::RandomStream& stream) {
    proof::Box box(ensemble.n_values());
    std::vector<char> is_tested(rows.size(), false);
    // The trees take turns, so that each of the m trees gets n/m rows.
    samplers[row % samplers.size()].narrow(stream.uniform(), box, is_tested);
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
