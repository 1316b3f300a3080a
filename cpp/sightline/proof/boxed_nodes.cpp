#include "sightline/proof/boxed_nodes.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "sightline/model/ensemble.hpp"

namespace sightline::proof {

BoxedNodes::BoxedNodes(model::NodesPtr nodes, double tie_tolerance)
    : nodes_(std::move(nodes)), tie_tolerance_(tie_tolerance), output_(nodes_->n_outputs()) {}

BoxedNodes::BoxedNodes(model::NodesPtr nodes, model::LeafLinesPtr lines) : BoxedNodes(std::move(nodes), 0.0) {
  lines_.emplace(std::move(lines));
}

void BoxedNodes::start(const Box& box) {
  front_.clear();
  level_begin_.assign(1, 0);
  advance(box, 0);
}

void BoxedNodes::enter(const Box& box, std::int32_t) {
  const std::size_t begin = level_begin_.back(), end = front_.size();
  level_begin_.push_back(end);
  for (std::size_t i = begin; i < end; ++i) advance(box, front_[i]);
  // In a graph two ways may meet again.
  std::sort(front_.begin() + end, front_.end());
  front_.erase(std::unique(front_.begin() + end, front_.end()), front_.end());
}

void BoxedNodes::leave() {
  front_.resize(level_begin_.back());
  level_begin_.pop_back();
}

void BoxedNodes::advance(const Box& box, model::NodeId node) {
  pending_.assign(1, node);
  while (!pending_.empty()) {
    const model::NodeId v = pending_.back();
    while (!pending_.empty() && pending_.back() == v) pending_.pop_back();
    if (nodes_->is_leaf(v)) {
      front_.push_back(v);
      continue;
    }
    const auto children = nodes_->children(v);
    const std::int32_t branch = box.decide(*nodes_, v);
    if (branch != Box::kUndecided && pending_.empty()) {
      pending_.push_back(children[branch]);
    } else if (branch != Box::kUndecided) {
      pending_.insert(std::upper_bound(pending_.begin(), pending_.end(), children[branch], std::greater<>()), children[branch]);
    } else if (box.mixes(*nodes_, v)) {
      for (std::size_t b = 0; b < children.size(); ++b) {
        if (nodes_->takes_missing(v, b)) pending_.push_back(children[b]);
      }
      // The lowest number last, so that it is next: its parents are all behind it, and no
      // node of a graph is passed twice.
      std::sort(pending_.begin(), pending_.end(), std::greater<>());
      pending_.erase(std::unique(pending_.begin(), pending_.end()), pending_.end());
    } else {
      front_.push_back(v);
    }
  }
}

bool BoxedNodes::is_settled(const Box&) {
  return std::all_of(front().begin(), front().end(), [this](model::NodeId v) { return nodes_->is_leaf(v); });
}

std::int32_t BoxedNodes::verdict(const Box& box) {
  if (!is_settled(box)) return kOpen;
  const model::NodeId only = leaf();
  if (only >= 0) return static_cast<std::int32_t>(model::argmax(nodes_->output(only), tie_tolerance_));
  return label(box.witness().data());
}

std::int32_t BoxedNodes::leaf() const { return front_.size() - level_begin_.back() == 1 ? front_.back() : -1; }

Question BoxedNodes::question(const Box& box) {
  std::size_t i = level_begin_.back();
  while (nodes_->is_leaf(front_[i])) ++i;
  return Question::of(box, *nodes_, front_[i]);
}

// The output of one row, as the model itself computes it.
void BoxedNodes::mix_output(const double* row) {
  std::fill(output_.begin(), output_.end(), 0.0);
  const model::NodeId only = model::find_whole_leaf(*nodes_, row);
  if (only < 0) return model::add_mixed_output(*nodes_, row, part_, output_.data());
  nodes_->output(only).copy_to(output_.data());
}

std::int32_t BoxedNodes::label(const double* row) {
  mix_output(row);
  return static_cast<std::int32_t>(model::argmax(output_, tie_tolerance_));
}

double BoxedNodes::number(const double* row) {
  if (lines_) return lines_->number(row);
  mix_output(row);
  return output_[0];
}

// Children lie behind their parents, so one pass backwards does.
void BoxedNodes::find_ranges() {
  const std::size_t n = nodes_->n_nodes();
  range_.resize(n);
  double magnitude = 0;
  for (auto v = static_cast<model::NodeId>(n); v-- > 0;) {
    if (nodes_->is_leaf(v)) {
      const double output = nodes_->output(v)[0];
      range_[v] = lines_ ? lines_->anywhere(v) : ScoreBounds{output, output};
      magnitude = std::max({magnitude, std::abs(range_[v].low), std::abs(range_[v].high)});
    }
    for (const model::NodeId child : nodes_->children(v)) range_[v] = range_[v].joined(range_[child]);
  }
  rounding_ = 16 * static_cast<double>(n + 4) * std::numeric_limits<double>::epsilon() * magnitude;
}

// A row of the box gets the output of one leaf below the front, or a mean of several.
ScoreBounds BoxedNodes::numbers(const Box& box) {
  if (range_.empty()) find_ranges();
  if (is_settled(box) && lines_) return leaf() >= 0 ? lines_->of_leaf(leaf(), box) : lines_->mixed(front(), box);
  if (is_settled(box)) {
    const double value = number(box.witness().data());
    return {value, value};
  }
  ScoreBounds result;
  for (const model::NodeId v : front()) result = result.joined(range_[v]);
  return {result.low - rounding_, result.high + rounding_};
}

void BoxedNodes::move_to_end(const Box& box, bool highest, std::vector<double>& row) {
  if (!lines_) return;
  for (const model::NodeId v : front()) lines_->move_to_end(v, box, highest, row);
}

std::optional<Question> BoxedNodes::cut(const Box& box) { return lines_ ? lines_->cut(front(), box) : std::nullopt; }

}  // namespace sightline::proof
