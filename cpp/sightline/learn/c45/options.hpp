// The options of C4.5, for everything that grows or prunes trees the way C4.5 does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace sightline::learn::c45 {

struct GrowOptions {
  bool binary_splits = false;  // test nominal columns as one value against the rest
  double min_leaf = 2;
  bool mdl_correction = true;
  bool collapse = true;
  std::int32_t max_depth = -1;  // -1: no limit
};

struct PruneOptions {
  bool prune = true;
  double confidence = 0.25;
  bool tabulated_limits = false;  // Quinlan's table of confidence limits instead of Weka's quantiles
  bool subtree_raising = true;
  std::optional<std::size_t> max_leaves;

  bool operator==(const PruneOptions&) const = default;
};

struct Options {
  GrowOptions grow;
  PruneOptions prune;
  bool laplace = false;  // smooth the probabilities of leaves by one row per class
};

}  // namespace sightline::learn::c45
