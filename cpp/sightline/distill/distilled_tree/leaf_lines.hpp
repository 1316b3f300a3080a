// Fits a line to the rows of every leaf of a finished tree, if it lowers the loss.
#pragma once

#include <span>

#include "sightline/model/leaf_lines.hpp"

namespace sightline::distill::distilled_tree {

struct LineOptions {
  std::size_t max_columns = 2;
  std::size_t min_rows = 20;  // a leaf with fewer keeps its number
  double ridge = 1e-3;        // added to the variance of every column, which is 1
  // A column must lower the squared error of its leaf by this share, and by `min_total` of the
  // squared error of the whole table about its mean.
  double min_share = 0.05;
  double min_total = 5e-5;
};

// Forward selection in each leaf: the column that lowers the squared error most, then the next, on
// columns scaled to mean 0 and variance 1 there. Answers are clipped to the leaf's range of
// `answers`. Columns that hold an infinity are not used.
model::LineArrays fit_lines(const model::Tree& tree, const table::Columns& rows, std::span<const double> answers,
                            std::span<const double> weights, const LineOptions& options, runtime::StopPoll& poll);

}  // namespace sightline::distill::distilled_tree
