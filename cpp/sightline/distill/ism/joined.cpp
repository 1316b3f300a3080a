#include "sightline/distill/ism/joined.hpp"

#include <algorithm>

namespace sightline::distill::ism {

void JoinedLeaves::split(std::int32_t node, std::span<const std::int32_t> children, std::span<const std::int32_t> labels) {
  const auto last = static_cast<std::size_t>(*std::max_element(children.begin(), children.end()));
  if (last >= nodes_.size()) nodes_.resize(last + 1);
  for (std::size_t b = 0; b < children.size(); ++b) nodes_[children[b]] = {node, labels[b], 1, {}};
  nodes_[node].children.assign(children.begin(), children.end());
  for (std::int32_t v = node; v >= 0 && sum_up(nodes_[v]);) v = nodes_[v].parent;
}

bool JoinedLeaves::sum_up(Node& node) const {
  std::int32_t label = nodes_[node.children.front()].label;
  std::size_t n_leaves = 0;
  for (const std::int32_t child : node.children) {
    if (nodes_[child].label != label) label = kSeveral;
    n_leaves += nodes_[child].n_leaves;
  }
  if (joins_ && label != kSeveral) n_leaves = 1;
  const bool changed = label != node.label || n_leaves != node.n_leaves;
  node.label = label;
  node.n_leaves = n_leaves;
  return changed;
}

}  // namespace sightline::distill::ism
