// Lines in leaves under a box: where they are highest and lowest.
#pragma once

#include <optional>
#include <vector>

#include "sightline/model/leaf_lines.hpp"
#include "sightline/proof/boxed_model.hpp"

namespace sightline::proof {

// Each term of a line ascends or descends with its feature, rounding included, and no two terms have
// the same feature. So a line is highest where each term is: at an end of its interval, or where the
// value is missing.
class LineBounds {
 public:
  explicit LineBounds(model::LeafLinesPtr lines) : lines_(std::move(lines)) {}

  double number(const double* row) { return lines_->answer(row, scratch_); }
  // Bounds of a leaf in every box.
  ScoreBounds anywhere(model::NodeId leaf) const;
  // Bounds of a leaf in a box whose rows all reach it. Rows at its ends get them.
  ScoreBounds of_leaf(model::NodeId leaf, const Box& box) const;
  // Bounds of several leaves that every row of the box is spread over.
  ScoreBounds mixed(std::span<const model::NodeId> leaves, const Box& box);
  void move_to_end(model::NodeId leaf, const Box& box, bool highest, std::vector<double>& row) const;
  // Halves the feature whose term varies most.
  std::optional<Question> cut(std::span<const model::NodeId> leaves, const Box& box) const;

 private:
  void move_terms(model::NodeId leaf, const Box& box, bool highest, double range, std::vector<double>& row) const;

  model::LeafLinesPtr lines_;
  model::LeafLines::Scratch scratch_;
};

}  // namespace sightline::proof
