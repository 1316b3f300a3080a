// The order of a nominal column's values along which the best group of values is sought.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sightline::learn {

// Sorts values by their class shares p, as the cuts of the sorted list are the groups that are tried.
//
// Two classes: by the share of the first. Some cut then has the best gain of all groups: the entropy of both sides is
// a concave function of (weight, weight of the first class) of the group. On the points that groups can reach, its minimum
// lies at a corner of their convex hull, and a corner maximizes a linear function a * weight + b * weight of the first class,
// so the group holds the values with a + b * share > 0: a prefix or a suffix of the order. (Breiman et al. 1984, theorem 4.5.)
//
// More classes: by the first principal component of p, the heuristic of Coppersmith, Hong and Hosking (1999).
class ValueOrder {
 public:
  // Indices into the table, whose rows are seen in any order: `value` names them, `counts` holds n_classes weights of each,
  // and `weight` their sums. The result depends on the values alone. It is valid until the next call.
  std::span<const std::uint32_t> sort(std::span<const std::int32_t> value, std::span<const double> counts,
                                      std::span<const double> weight, std::size_t n_classes);

 private:
  void find_direction(std::span<const double> counts, std::span<const double> weight, std::size_t n_classes);

  std::vector<std::uint32_t> order_;
  std::vector<double> key_;  // per value
  std::vector<double> mean_, direction_, next_;
};

}  // namespace sightline::learn
