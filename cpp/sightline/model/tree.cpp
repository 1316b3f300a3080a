#include "sightline/model/tree.hpp"

#include <algorithm>

namespace sightline {

void TreeArrays::reserve(std::size_t nodes) {
  test.reserve(nodes);
  feature.reserve(nodes);
  threshold.reserve(nodes);
  branch_begin.reserve(nodes + 1);
  category_begin.reserve(nodes + 1);
  weight.reserve(nodes);
}

NodeId TreeArrays::add_node(Test kind, std::int32_t tested, double cut, double coverage) {
  if (branch_begin.empty()) {
    branch_begin.push_back(0);
    category_begin.push_back(0);
  }
  test.push_back(kind);
  feature.push_back(tested);
  threshold.push_back(cut);
  branch_begin.push_back(branch_begin.back());
  category_begin.push_back(category_begin.back());
  weight.push_back(coverage);
  return static_cast<NodeId>(test.size() - 1);
}

void TreeArrays::add_branch(NodeId node, double branch_share) {
  child.push_back(node);
  share.push_back(branch_share);
  ++branch_begin.back();
}

void TreeArrays::add_category(std::int32_t value) {
  category.push_back(value);
  ++category_begin.back();
}

Tree::Tree(TreeArrays arrays) : a_(std::move(arrays)) {
  levels_.assign(n_nodes(), 0);
  missing_branch_.assign(n_nodes(), -1);
  for (NodeId v = 0; v < static_cast<NodeId>(n_nodes()); ++v) {
    depth_ = std::max<std::size_t>(depth_, levels_[v]);
    n_leaves_ += is_leaf(v);
    for (const NodeId child : children(v)) levels_[child] = levels_[v] + 1;
    const auto share = shares(v);
    const auto whole = std::find(share.begin(), share.end(), 1.0);
    if (whole != share.end()) missing_branch_[v] = static_cast<std::int32_t>(whole - share.begin());
  }
}

std::vector<std::int32_t> Tree::used_features() const {
  std::vector<bool> used(n_features(), false);
  for (const std::int32_t feature : a_.feature) {
    if (feature >= 0) used[feature] = true;
  }
  std::vector<std::int32_t> result;
  for (std::size_t feature = 0; feature < used.size(); ++feature) {
    if (used[feature]) result.push_back(static_cast<std::int32_t>(feature));
  }
  return result;
}

std::size_t Tree::branch(NodeId v, double value) const {
  switch (test(v)) {
    case Test::kThreshold:
      return value <= threshold(v) ? 0 : 1;
    case Test::kSubset: {
      const auto set = categories(v);
      return std::binary_search(set.begin(), set.end(), static_cast<std::int32_t>(value)) ? 0 : 1;
    }
    case Test::kMultiway:
      return static_cast<std::size_t>(value);
    case Test::kLeaf:
      break;
  }
  return 0;
}

}  // namespace sightline
