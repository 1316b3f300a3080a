#include "sightline/distill/artificial_rows.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "sightline/proof/box.hpp"
#include "sightline/runtime/parallel.hpp"
#include "sightline/runtime/random.hpp"

namespace sightline::distill {
namespace {

constexpr std::size_t kBlock = 256;

std::vector<double> cumulated(const std::vector<double>& weights) {
  std::vector<double> up_to(weights.size());
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) up_to[i] = sum += weights[i];
  return up_to;
}

// The first place whose cumulated weight exceeds the share: places without weight are never drawn.
std::size_t place_at(const std::vector<double>& up_to, double share) {
  const auto found = std::upper_bound(up_to.begin(), up_to.end(), share * up_to.back());
  return std::min<std::size_t>(found - up_to.begin(), up_to.size() - 1);
}

double nearest(const std::vector<double>& values, double x) {
  const auto above = std::lower_bound(values.begin(), values.end(), x);
  if (above == values.begin()) return values.front();
  if (above == values.end()) return values.back();
  return x - *(above - 1) <= *above - x ? *(above - 1) : *above;
}

// Fills every row with work(row, stream), each from a stream of its own.
void fill(const Drawing& drawing, runtime::StopPoll& poll, const std::function<void(std::size_t, runtime::RandomStream&)>& work) {
  runtime::parallel_blocks(drawing.n_rows, kBlock, drawing.n_threads, poll, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      runtime::RandomStream stream(drawing.seed, row);
      work(row, stream);
    }
  });
}

void copy_cell(const table::Columns& from, std::size_t feature, std::uint32_t source, ArtificialRows& to, std::size_t row) {
  const table::Column& column = from[feature];
  if (column.is_nominal()) {
    to.codes[feature][row] = column.code(source);
  } else {
    to.numbers[feature][row] = column.number(source);
  }
}

// What CMM knows of one column: where observed values lie and how often they are missing.
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

// The leaves of one tree, by training weight, and the way to each.
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
    up_to_ = cumulated(weights);
    // A source that keeps no weights: every leaf counts the same.
    if (!(up_to_.back() > 0)) up_to_ = cumulated(std::vector<double>(leaves_.size(), 1.0));
  }

  // Narrows the box to a leaf drawn at this share; asked[f] becomes true where f was tested.
  void narrow(double share, proof::Box& box, std::vector<char>& asked) const {
    for (model::NodeId v = leaves_[place_at(up_to_, share)]; parent_[v] >= 0; v = parent_[v]) {
      box.narrow(tree_, parent_[v], branch_[v]);
      asked[tree_.feature(parent_[v])] = true;
    }
  }

 private:
  const model::Tree& tree_;
  std::vector<model::NodeId> parent_;
  std::vector<std::size_t> branch_;
  std::vector<model::NodeId> leaves_;
  std::vector<double> up_to_;
};

// A number of the interval, between the observed extremes as far as they reach into it.
double uniform_in(const proof::Interval& interval, const ObservedRange& range, runtime::RandomStream& stream) {
  const double draw = stream.uniform();
  const double lowest = std::nextafter(interval.low, HUGE_VAL);
  const double low = std::max(lowest, range.low);
  const double high = std::min(interval.high, range.high);
  if (low < high) return std::lerp(high, low, draw);
  // Of the observed range only an edge lies in the leaf, or nothing.
  return std::clamp(range.low, lowest, interval.high);
}

}  // namespace

ArtificialRows::ArtificialRows(const table::Columns& like, std::size_t n) : n_rows(n), numbers(like.size()), codes(like.size()) {
  for (std::size_t f = 0; f < like.size(); ++f) {
    is_nominal.push_back(like[f].is_nominal());
    if (like[f].is_nominal()) {
      codes[f].resize(n);
    } else {
      numbers[f].resize(n);
    }
  }
}

RowSource::RowSource(const table::Columns& rows, std::vector<std::uint32_t> order, const std::vector<double>& weights)
    : rows_(rows), order_(std::move(order)) {
  std::vector<double> ordered;
  ordered.reserve(order_.size());
  for (const std::uint32_t row : order_) ordered.push_back(weights.empty() ? 1.0 : weights[row]);
  weight_up_to_ = cumulated(ordered);
}

std::uint32_t RowSource::at(double share) const { return order_[place_at(weight_up_to_, share)]; }

double RowSource::spread(std::size_t feature) const {
  const table::Column& column = rows_[feature];
  double weight = 0, mean = 0, squares = 0;
  double before = 0;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const double w = weight_up_to_[i] - before;
    before = weight_up_to_[i];
    const double x = column.number(order_[i]);
    if (std::isnan(x) || !(w > 0)) continue;
    weight += w;
    const double step = x - mean;
    mean += step * (w / weight);
    squares += w * step * (x - mean);
  }
  return weight > 0 ? static_cast<float>(std::sqrt(std::max(0.0, squares / weight))) : 0.0;
}

double RowSource::missing_share(std::size_t feature) const {
  const table::Column& column = rows_[feature];
  double missing = 0, before = 0;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const bool lost = column.is_nominal() ? column.code(order_[i]) < 0 : std::isnan(column.number(order_[i]));
    if (lost) missing += weight_up_to_[i] - before;
    before = weight_up_to_[i];
  }
  return missing / weight_up_to_.back();
}

std::vector<double> RowSource::values(std::size_t feature) const {
  const table::Column& column = rows_[feature];
  std::vector<double> values;
  double before = 0;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const double x = column.number(order_[i]);
    if (!std::isnan(x) && weight_up_to_[i] > before) values.push_back(x + 0.0);
    before = weight_up_to_[i];
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

ArtificialRows jittered_rows(const RowSource& source, double noise, double replace, const Drawing& drawing,
                             runtime::StopPoll& poll) {
  const table::Columns& rows = source.rows();
  ArtificialRows result(rows, drawing.n_rows);
  std::vector<double> step(rows.size(), 0.0);
  std::vector<std::vector<double>> values(rows.size());
  for (std::size_t f = 0; f < rows.size(); ++f) {
    if (rows[f].is_nominal()) continue;
    poll();
    step[f] = noise * source.spread(f);
    values[f] = source.values(f);
  }
  fill(drawing, poll, [&](std::size_t row, runtime::RandomStream& stream) {
    const std::uint32_t origin = source.at(stream.uniform());
    for (std::size_t f = 0; f < rows.size(); ++f) {
      if (rows[f].is_nominal()) {
        const bool other = stream.uniform() < replace;
        copy_cell(rows, f, other ? source.at(stream.uniform()) : origin, result, row);
        continue;
      }
      const double x = rows[f].number(origin);
      result.numbers[f][row] = std::isnan(x) || step[f] == 0 ? x : nearest(values[f], x + step[f] * stream.normal());
    }
  });
  return result;
}

ArtificialRows swapped_rows(const RowSource& source, double replace, const Drawing& drawing, runtime::StopPoll& poll) {
  const table::Columns& rows = source.rows();
  ArtificialRows result(rows, drawing.n_rows);
  fill(drawing, poll, [&](std::size_t row, runtime::RandomStream& stream) {
    const std::uint32_t origin = source.at(stream.uniform());
    for (std::size_t f = 0; f < rows.size(); ++f) {
      const bool other = stream.uniform() < replace;
      copy_cell(rows, f, other ? source.at(stream.uniform()) : origin, result, row);
    }
  });
  return result;
}

ArtificialRows leaf_rows(const model::Ensemble& ensemble, const RowSource& source, const Drawing& drawing,
                         runtime::StopPoll& poll) {
  const table::Columns& rows = source.rows();
  ArtificialRows result(rows, drawing.n_rows);
  std::vector<ObservedRange> ranges;
  for (std::size_t f = 0; f < rows.size(); ++f) ranges.push_back(observed_range(source, f));
  std::vector<LeafSampler> samplers;
  for (const model::TreePtr& tree : ensemble.parts().trees) samplers.emplace_back(*tree);
  fill(drawing, poll, [&](std::size_t row, runtime::RandomStream& stream) {
    proof::Box box(ensemble.n_values());
    std::vector<char> asked(rows.size(), false);
    // Trees take turns, so that each has its n/m rows.
    samplers[row % samplers.size()].narrow(stream.uniform(), box, asked);
    for (std::size_t f = 0; f < rows.size(); ++f) {
      const bool missing = stream.uniform() < ranges[f].missing_share;
      const bool lost = (missing && !asked[f]) || !box.may_be_known(f);
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

}  // namespace sightline::distill
