#include "sightline/distill/distilled_tree/subtree_losses.hpp"

#include <numeric>

namespace sightline::distill::distilled_tree {

std::span<const double> SubtreeLosses::operator()(const SmallTree& tree, model::NodeId from, std::span<const std::uint32_t> of) {
  if (loss_.size() < of.size()) {
    loss_.resize(of.size());
    for (auto& list : position_) list.resize(of.size());
  }
  std::iota(position_[0].begin(), position_[0].begin() + static_cast<std::ptrdiff_t>(of.size()), 0U);
  waiting_.assign(1, {from, 0, of.size(), false});
  while (!waiting_.empty()) {
    const Part part = waiting_.back();
    waiting_.pop_back();
    if (part.begin == part.end) continue;
    const SmallNode& node = tree[part.node];
    if (node.is_leaf()) {
      write_losses(node, part, of);
    } else {
      divide(node, part, of);
    }
  }
  return {loss_.data(), of.size()};
}

void SubtreeLosses::divide(const SmallNode& node, const Part& part, std::span<const std::uint32_t> of) {
  const std::uint32_t* from = position_[part.in_second].data();
  std::uint32_t* to = position_[!part.in_second].data();
  const Code* codes = rows_.codes(node.feature);
  std::size_t yes_end = part.begin;
  std::size_t no_begin = part.end;
  for (std::size_t i = part.begin; i < part.end; ++i) {
    const std::uint32_t position = from[i];
    const bool yes = node.to_yes.contains(codes[of[position]]);
    // Write both, advance one. The last row of all goes to the only place that is left.
    to[yes_end] = position;
    to[no_begin - 1] = position;
    yes_end += yes;
    no_begin -= !yes;
  }
  waiting_.push_back({node.no, yes_end, part.end, !part.in_second});
  waiting_.push_back({node.yes, part.begin, yes_end, !part.in_second});
}

void SubtreeLosses::write_losses(const SmallNode& leaf, const Part& part, std::span<const std::uint32_t> of) {
  const std::uint32_t* positions = position_[part.in_second].data() + part.begin;
  for_each_loss(
      rows_, part.end - part.begin, [&](std::size_t i) { return of[positions[i]]; }, leaf,
      [&](std::size_t i, double loss) { loss_[positions[i]] = loss; });
}

}  // namespace sightline::distill::distilled_tree
