// Bounds the largest difference between the numbers of two models, over all rows, and finds rows that show it.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sightline/proof/box.hpp"
#include "sightline/proof/boxed_model.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::proof {

struct DifferenceOptions {
  std::int64_t max_boxes = 0;
  double max_seconds = 0;
  // Differences up to this need no closer look, and neither does a leaf with a larger one. Negative:
  // the largest difference itself is wanted.
  double tolerance = -1;
  bool every_leaf = true;               // else only the largest difference over all of them
  bool one_part_per_leaf = false;       // the first model is a tree: each leaf has one way to it
  std::map<std::int32_t, double> seen;  // per leaf of the first model: what rows are known to differ by
};

// No row differs by more than `high`. `row` differs by `low`, unless that was seen before.
struct LeafDifference {
  double low = 0;
  double high = 0;
  std::vector<double> row;
  bool reached = false;  // by the search; else only by rows that were seen before
};

struct LargestDifference {
  // Per leaf of the first model that the search came to (-1: rows that are spread over several
  // leaves, or that model has no leaves).
  std::map<std::int32_t, LeafDifference> leaves;
  double elsewhere = 0;  // the same as `high`, for all other leaves
  std::int64_t n_boxes = 0;
};

// Branch and bound, best first: of all boxes that are left, the one with the largest bound is split
// next. So the largest bound falls from the beginning, and whenever the budget ends it holds.
LargestDifference largest_difference(BoxedModel& first, BoxedModel& second, const Box& box, const DifferenceOptions& options,
                                     runtime::StopPoll& poll);

}  // namespace sightline::proof
