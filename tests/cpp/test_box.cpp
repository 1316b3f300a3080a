#include "check.hpp"
#include "sightline/proof/box.hpp"
#include "trees.hpp"

using namespace sightline::proof;

int main() {
  const std::vector<std::int32_t> n_values{0, 70};
  Box box(n_values);
  const auto tree = sightline::model::build_tree(stump_arrays(n_values, 0, 2.0, {1, 0, 0, 1}));
  CHECK(box.decide(*tree, 0) == Box::kUndecided);
  Box low = box;
  low.narrow(*tree, 0, 0);
  CHECK(low.decide(*tree, 0) == 0 && low.may_be_missing(0) && low.interval(0).contains(2.0));
  Box high = box;
  high.narrow(*tree, 0, 1);
  CHECK(high.decide(*tree, 0) == 1 && !high.may_be_missing(0) && !high.interval(0).contains(2.0));
  CHECK(high.contains(high.witness()));
  CHECK((Interval{std::numeric_limits<double>::max()}.empty()));

  CategorySet set = CategorySet::all(70);
  CHECK(set.size() == 70 && set.contains(69));
  const std::vector<std::int32_t> two{3, 65};
  set.keep_values(two);
  CHECK(set.size() == 2 && lowest(set) == 3);
  CHECK(overlap(box.allowed(1), set) == Overlap::kBoth);
  box.keep(1, set);
  CHECK(overlap(box.allowed(1), set) == Overlap::kInside);
  box.require_missing(1);
  CHECK(!box.may_be_known(1) && !box.empty());
  return finish();
}
