#include "sightline/distill/artificial_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sightline/runtime/parallel.hpp"

namespace sightline::distill {
namespace {

constexpr std::size_t kBlock = 256;

// Index of the value nearest to x.
std::size_t nearest(const std::vector<double>& values, double x) {
  const auto above = std::lower_bound(values.begin(), values.end(), x);
  if (above == values.begin()) return 0;
  if (above == values.end()) return values.size() - 1;
  const std::size_t at = above - values.begin();
  return x - values[at - 1] <= values[at] - x ? at - 1 : at;
}

void copy_cell(const table::Columns& from, std::size_t feature, std::uint32_t source, ArtificialRows& to, std::size_t row) {
  const table::Column& column = from[feature];
  if (column.is_nominal()) {
    to.codes[feature][row] = column.code(source);
  } else {
    to.numbers[feature][row] = column.number(source);
  }
}

constexpr std::uint64_t kDrawsPerMove = 1 + runtime::RandomStream::kDrawsPerNormal;

bool has_missing(const table::Column& column, std::size_t n_rows) {
  for (std::size_t row = 0; row < n_rows; ++row) {
    if (column.is_missing(row)) return true;
  }
  return false;
}

// A column to look at in every row, and the random numbers of columns before it that are alike in all rows.
struct Visit {
  std::size_t feature;
  std::uint64_t n_skipped;
};

// Of thousands of columns few are needed. The others take as many random numbers in every row, unless values are missing.
std::vector<Visit> visited(const table::Columns& rows, const std::vector<double>& step, const Drawing& drawing) {
  std::vector<Visit> visits;
  std::uint64_t n_skipped = 0;
  for (std::size_t f = 0; f < rows.size(); ++f) {
    if (rows[f].is_nominal() || drawing.needs(f) || has_missing(rows[f], rows.n_rows())) {
      visits.push_back({f, n_skipped});
      n_skipped = 0;
    } else if (step[f] != 0) {
      n_skipped += kDrawsPerMove;
    }
  }
  return visits;
}

}  // namespace

double ObservedValues::moved(double x, double chance, double distance) const {
  return chance < shares[nearest(values, x)] ? x : values[nearest(values, x + distance)];
}

CumulatedWeights::CumulatedWeights(const std::vector<double>& weights) : up_to_(weights.size()) {
  std::partial_sum(weights.begin(), weights.end(), up_to_.begin());
}

std::size_t CumulatedWeights::index_at(double share) const {
  const auto above = std::upper_bound(up_to_.begin(), up_to_.end(), share * total());
  return std::min<std::size_t>(above - up_to_.begin(), up_to_.size() - 1);
}

void draw_rows(const Drawing& drawing, runtime::StopPoll& poll,
               const std::function<void(std::size_t, runtime::RandomStream&)>& draw) {
  runtime::parallel_blocks(drawing.n_rows, kBlock, drawing.n_threads, poll, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      runtime::RandomStream stream(drawing.seed, drawing.first_row + row);
      draw(row, stream);
    }
  });
}

ArtificialRows::ArtificialRows(const table::Columns& like, const Drawing& drawing)
    : n_rows(drawing.n_rows), numbers(like.size()), codes(like.size()) {
  for (std::size_t f = 0; f < like.size(); ++f) {
    is_nominal.push_back(like[f].is_nominal());
    if (like[f].is_nominal()) {
      codes[f].resize(n_rows);
    } else if (drawing.needs(f)) {
      numbers[f].resize(n_rows);
    }
  }
}

RowSource::RowSource(const table::Columns& rows, std::vector<std::uint32_t> order, const std::vector<double>& weights)
    : rows_(rows), order_(std::move(order)) {
  std::vector<double> ordered;
  ordered.reserve(order_.size());
  for (const std::uint32_t row : order_) ordered.push_back(weights.empty() ? 1.0 : weights[row]);
  weights_ = CumulatedWeights(ordered);
}

std::uint32_t RowSource::at(double share) const { return order_[weights_.index_at(share)]; }

double RowSource::spread(std::size_t feature) const {
  const table::Column& column = rows_[feature];
  double weight = 0, mean = 0, squares = 0;
  double before = 0;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const double w = weights_.up_to(i) - before;
    before = weights_.up_to(i);
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
    if (lost) missing += weights_.up_to(i) - before;
    before = weights_.up_to(i);
  }
  return missing / weights_.total();
}

ObservedValues RowSource::values(std::size_t feature) const {
  const table::Column& column = rows_[feature];
  std::vector<std::pair<double, double>> weighted;
  double before = 0;
  double known = 0;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const double x = column.number(order_[i]);
    const double weight = weights_.up_to(i) - before;
    before = weights_.up_to(i);
    if (std::isnan(x) || !(weight > 0)) continue;
    weighted.emplace_back(x + 0.0, weight);
    known += weight;
  }
  std::stable_sort(weighted.begin(), weighted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  ObservedValues observed;
  for (const auto& [x, weight] : weighted) {
    if (observed.values.empty() || observed.values.back() != x) {
      observed.values.push_back(x);
      observed.shares.push_back(0.0);
    }
    observed.shares.back() += weight;
  }
  for (double& share : observed.shares) share = static_cast<float>(share / known);
  return observed;
}

ArtificialRows jittered_rows(const RowSource& source, double noise, double replace, const Drawing& drawing,
                             runtime::StopPoll& poll) {
  const table::Columns& rows = source.rows();
  ArtificialRows result(rows, drawing);
  std::vector<double> step(rows.size(), 0.0);
  std::vector<ObservedValues> observed(rows.size());
  for (std::size_t f = 0; f < rows.size(); ++f) {
    if (rows[f].is_nominal()) continue;
    poll();
    step[f] = noise * source.spread(f);
    if (drawing.needs(f)) observed[f] = source.values(f);
  }
  const std::vector<Visit> visits = visited(rows, step, drawing);
  draw_rows(drawing, poll, [&](std::size_t row, runtime::RandomStream& stream) {
    const std::uint32_t origin = source.at(stream.uniform());
    for (const auto& [f, n_skipped] : visits) {
      stream.skip(n_skipped);
      if (rows[f].is_nominal()) {
        const bool other = stream.uniform() < replace;
        copy_cell(rows, f, other ? source.at(stream.uniform()) : origin, result, row);
        continue;
      }
      const double x = rows[f].number(origin);
      const bool moves = !std::isnan(x) && step[f] != 0;
      if (!drawing.needs(f)) {
        if (moves) stream.skip(kDrawsPerMove);
        continue;
      }
      if (!moves) {
        result.numbers[f][row] = x;
        continue;
      }
      const double chance = stream.uniform();
      result.numbers[f][row] = observed[f].moved(x, chance, step[f] * stream.normal());
    }
  });
  return result;
}

ArtificialRows swapped_rows(const RowSource& source, double replace, const Drawing& drawing, runtime::StopPoll& poll) {
  const table::Columns& rows = source.rows();
  ArtificialRows result(rows, drawing);
  draw_rows(drawing, poll, [&](std::size_t row, runtime::RandomStream& stream) {
    const std::uint32_t origin = source.at(stream.uniform());
    for (std::size_t f = 0; f < rows.size(); ++f) {
      const bool other = stream.uniform() < replace;
      if (!rows[f].is_nominal() && !drawing.needs(f)) {
        if (other) stream.skip(1);
      } else {
        copy_cell(rows, f, other ? source.at(stream.uniform()) : origin, result, row);
      }
    }
  });
  return result;
}

}  // namespace sightline::distill
