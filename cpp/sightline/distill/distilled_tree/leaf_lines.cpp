#include "sightline/distill/distilled_tree/leaf_lines.hpp"

#include <algorithm>
#include <cmath>

#include "sightline/model/row_blocks.hpp"

namespace sightline::distill::distilled_tree {
namespace {

double mean_of(std::span<const double> values, std::span<const double> weights) {
  double sum = 0;
  double weight = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += weights[i] * values[i];
    weight += weights[i];
  }
  return weight > 0 ? sum / weight : 0;
}

double squared_error(std::span<const double> residuals, std::span<const double> weights) {
  double sum = 0;
  for (std::size_t i = 0; i < residuals.size(); ++i) sum += weights[i] * residuals[i] * residuals[i];
  return sum;
}

// A numeric column over the rows of one leaf, with mean 0 and variance 1; missing values are 0.
struct ScaledColumn {
  std::int32_t feature = -1;
  double center = 0;
  double scale = 0;  // 0: constant, infinite or missing throughout
  std::vector<double> values;
};

class LeafFitting {
 public:
  LeafFitting(const table::Columns& rows, std::span<const double> answers, std::span<const double> weights,
              const LineOptions& options, double min_fall)
      : rows_(rows), answers_(answers), weights_(weights), options_(options), min_fall_(min_fall) {}

  // The columns and slopes that pay for the rows `of`, about the number `output`.
  struct Line {
    std::vector<ScaledColumn> columns;
    std::vector<double> slopes;  // on the scaled columns
  };

  Line fit(std::span<const std::uint32_t> of, double output) {
    Line line;
    if (of.size() < options_.min_rows) return line;
    collect(of, output);
    double error = squared_error(residual_, weight_);
    while (line.columns.size() < options_.max_columns) {
      Line next = line;
      next.columns.push_back(most_correlated(of, line));
      if (next.columns.back().scale == 0) break;
      next.slopes = solved(next.columns);
      set_residuals(next);
      const double after = squared_error(residual_, weight_);
      if (!is_finite(next) || !(error - after > std::max(min_fall_, options_.min_share * error))) break;
      line = std::move(next);
      error = after;
    }
    return line;
  }

 private:
  void collect(std::span<const std::uint32_t> of, double output) {
    centered_.clear();
    weight_.clear();
    for (const std::uint32_t row : of) {
      centered_.push_back(answers_[row] - output);
      weight_.push_back(weights_[row]);
    }
    residual_ = centered_;
  }

  // Slopes of columns that hardly vary can overflow.
  static bool is_finite(const Line& line) {
    for (std::size_t k = 0; k < line.columns.size(); ++k) {
      if (!std::isfinite(line.slopes[k] / line.columns[k].scale)) return false;
    }
    return true;
  }

  ScaledColumn scaled(std::size_t feature, std::span<const std::uint32_t> of) const {
    ScaledColumn column;
    column.feature = static_cast<std::int32_t>(feature);
    const table::Column& source = rows_[feature];
    double sum = 0, weight = 0;
    for (std::size_t i = 0; i < of.size(); ++i) {
      const double x = source.number(of[i]);
      if (std::isinf(x)) return column;
      if (std::isnan(x)) continue;
      sum += weight_[i] * x;
      weight += weight_[i];
    }
    if (!(weight > 0)) return column;
    column.center = sum / weight;
    double squares = 0;
    column.values.assign(of.size(), 0.0);
    for (std::size_t i = 0; i < of.size(); ++i) {
      const double x = source.number(of[i]);
      if (std::isnan(x)) continue;
      column.values[i] = x - column.center;
      squares += weight_[i] * column.values[i] * column.values[i];
    }
    const double scale = std::sqrt(squares / weight);
    if (!(scale > 1e-12 * std::abs(column.center)) || !std::isfinite(scale)) return column;
    column.scale = scale;
    for (double& value : column.values) value /= scale;
    return column;
  }

  ScaledColumn most_correlated(std::span<const std::uint32_t> of, const Line& line) const {
    ScaledColumn best;
    double highest = 0;
    for (std::size_t f = 0; f < rows_.size(); ++f) {
      const bool taken = std::any_of(line.columns.begin(), line.columns.end(),
                                     [&](const ScaledColumn& column) { return column.feature == static_cast<std::int32_t>(f); });
      if (taken || rows_[f].is_nominal()) continue;
      ScaledColumn column = scaled(f, of);
      if (column.scale == 0) continue;
      double product = 0;
      for (std::size_t i = 0; i < of.size(); ++i) product += weight_[i] * column.values[i] * residual_[i];
      if (std::abs(product) <= highest) continue;
      highest = std::abs(product);
      best = std::move(column);
    }
    return best;
  }

  // Ridge regression of the centered answers on the columns, by Gaussian elimination: the matrix is
  // positive definite, and at most as large as there are columns.
  std::vector<double> solved(const std::vector<ScaledColumn>& columns) const {
    const std::size_t n = columns.size();
    double weight = 0;
    for (const double w : weight_) weight += w;
    std::vector<double> matrix(n * n, 0.0), right(n, 0.0);
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t i = 0; i < weight_.size(); ++i) {
        right[a] += weight_[i] * columns[a].values[i] * centered_[i];
        for (std::size_t b = 0; b < n; ++b) matrix[a * n + b] += weight_[i] * columns[a].values[i] * columns[b].values[i];
      }
      matrix[a * n + a] += options_.ridge * weight;
    }
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = a + 1; b < n; ++b) {
        const double factor = matrix[b * n + a] / matrix[a * n + a];
        for (std::size_t c = a; c < n; ++c) matrix[b * n + c] -= factor * matrix[a * n + c];
        right[b] -= factor * right[a];
      }
    }
    for (std::size_t a = n; a-- > 0;) {
      for (std::size_t c = a + 1; c < n; ++c) right[a] -= matrix[a * n + c] * right[c];
      right[a] /= matrix[a * n + a];
    }
    return right;
  }

  void set_residuals(const Line& line) {
    residual_ = centered_;
    for (std::size_t k = 0; k < line.columns.size(); ++k) {
      for (std::size_t i = 0; i < residual_.size(); ++i) residual_[i] -= line.slopes[k] * line.columns[k].values[i];
    }
  }

  const table::Columns& rows_;
  std::span<const double> answers_;
  std::span<const double> weights_;
  const LineOptions& options_;
  double min_fall_;
  std::vector<double> weight_;    // of the leaf's rows
  std::vector<double> centered_;  // their answers, less the leaf's number
  std::vector<double> residual_;  // what the line so far leaves
};

std::vector<std::vector<std::uint32_t>> rows_by_leaf(const model::Tree& tree, const table::Columns& rows,
                                                     runtime::StopPoll& poll) {
  std::vector<std::vector<std::uint32_t>> by_leaf(tree.n_nodes());
  model::for_each_block(rows, 1, poll, [&](std::size_t begin, std::size_t end, const double* block, bool) {
    for (std::size_t i = begin; i < end; ++i) {
      const model::NodeId leaf = model::find_leaf(tree, block + (i - begin) * tree.n_features());
      by_leaf[leaf].push_back(static_cast<std::uint32_t>(i));
    }
  });
  return by_leaf;
}

}  // namespace

model::LineArrays fit_lines(const model::Tree& tree, const table::Columns& rows, std::span<const double> answers,
                            std::span<const double> weights, const LineOptions& options, runtime::StopPoll& poll) {
  const double mean = mean_of(answers, weights);
  double total = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) total += weights[i] * (answers[i] - mean) * (answers[i] - mean);
  LeafFitting fitting(rows, answers, weights, options, options.min_total * total);
  const auto by_leaf = rows_by_leaf(tree, rows, poll);
  model::LineArrays lines;
  lines.term_begin = {0};
  for (model::NodeId v = 0; v < static_cast<model::NodeId>(tree.n_nodes()); ++v) {
    poll();
    double low = tree.output(v)[0], high = low;
    if (tree.is_leaf(v)) {
      const auto line = fitting.fit(by_leaf[v], tree.output(v)[0]);
      for (std::size_t k = 0; k < line.columns.size(); ++k) {
        lines.feature.push_back(line.columns[k].feature);
        lines.slope.push_back(line.slopes[k] / line.columns[k].scale);
        lines.center.push_back(line.columns[k].center);
      }
      for (const std::uint32_t row : by_leaf[v]) {
        low = std::min(low, answers[row]);
        high = std::max(high, answers[row]);
      }
    }
    lines.low.push_back(low);
    lines.high.push_back(high);
    lines.term_begin.push_back(static_cast<std::int64_t>(lines.feature.size()));
  }
  return lines;
}

}  // namespace sightline::distill::distilled_tree
