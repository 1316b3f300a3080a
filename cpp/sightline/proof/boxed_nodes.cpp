#include "sightline/proof/boxed_nodes.hpp"

#include <algorithm>
#include <functional>

#include "sightline/model/ensemble.hpp"

namespace sightline::proof {

BoxedNodes::BoxedNodes(model::NodesPtr nodes, double tie_tolerance)
    : nodes_(std::move(nodes)), tie_tolerance_(tie_tolerance), output_(nodes_->n_outputs()) {}

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

std::int32_t BoxedNodes::verdict(const Box& box) {
  for (std::size_t i = level_begin_.back(); i < front_.size(); ++i) {
    if (!nodes_->is_leaf(front_[i])) return kOpen;
  }
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

std::int32_t BoxedNodes::label(const double* row) {
  std::fill(output_.begin(), output_.end(), 0.0);
  const model::NodeId only = model::find_whole_leaf(*nodes_, row);
  if (only >= 0) return static_cast<std::int32_t>(model::argmax(nodes_->output(only), tie_tolerance_));
  model::add_mixed_output(*nodes_, row, part_, output_.data());
  return static_cast<std::int32_t>(model::argmax(output_, tie_tolerance_));
}

}  // namespace sightline::proof
