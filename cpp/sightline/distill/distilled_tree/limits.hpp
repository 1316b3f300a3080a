// Which columns a small tree may test, how often, and how deep it may be.
#pragma once

#include <cstdint>
#include <vector>

#include "sightline/model/tree.hpp"

namespace sightline::distill::distilled_tree {

class SmallTree;

// A test of a preferred column is taken if the best test gains at most this share more.
inline constexpr double kNearlyEqual = 0.05;

struct Limits {
  double min_leaf = 0;                       // minimum weight of the training rows in a leaf
  std::size_t max_depth = 0;                 // most tests on a path; 0: any number
  std::size_t max_columns = 0;               // most groups of columns in a tree; 0: any number
  std::vector<std::uint8_t> banned = {};     // per feature: never tested; empty: none
  std::vector<std::uint8_t> preferred = {};  // per feature: tested among equals; empty: none
  std::vector<std::int32_t> group = {};      // per feature: features of a group count as one column; empty: each is its own

  bool bans(std::size_t feature) const { return !banned.empty() && banned[feature]; }
  bool prefers(std::size_t feature) const { return !preferred.empty() && preferred[feature]; }
  std::size_t group_of(std::size_t feature) const { return group.empty() ? feature : static_cast<std::size_t>(group[feature]); }
};

// The columns that a tree tests already, all of them or except at one node.
class UsedColumns {
 public:
  UsedColumns(const SmallTree& tree, const Limits& limits, std::size_t n_features, model::NodeId except = -1);

  void use(std::size_t feature);
  bool allows(std::size_t feature) const;

 private:
  const Limits& limits_;
  std::vector<char> used_;  // per group
  std::size_t n_used_ = 0;
};

}  // namespace sightline::distill::distilled_tree
