#include "sightline/distill/distilled_tree/limits.hpp"

#include "sightline/distill/distilled_tree/small_tree.hpp"

namespace sightline::distill::distilled_tree {

UsedColumns::UsedColumns(const SmallTree& tree, const Limits& limits, std::size_t n_features, model::NodeId except)
    : limits_(limits), used_(n_features, false) {
  if (limits_.max_columns == 0) return;
  std::vector<model::NodeId> stack{0};
  while (!stack.empty()) {
    const model::NodeId v = stack.back();
    stack.pop_back();
    if (tree[v].is_leaf()) continue;
    if (v != except) use(static_cast<std::size_t>(tree[v].feature));
    stack.insert(stack.end(), {tree[v].yes, tree[v].no});
  }
}

void UsedColumns::use(std::size_t feature) {
  char& used = used_[limits_.group_of(feature)];
  n_used_ += !used;
  used = true;
}

bool UsedColumns::allows(std::size_t feature) const {
  if (limits_.bans(feature)) return false;
  return limits_.max_columns == 0 || n_used_ < limits_.max_columns || used_[limits_.group_of(feature)];
}

}  // namespace sightline::distill::distilled_tree
