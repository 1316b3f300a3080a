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
  // Sets that fill their words, and values in words behind empty ones.
  CHECK(CategorySet::all(128).size() == 128 && CategorySet::all(64).contains(63));
  CategorySet last(130);
  CHECK(last.empty());
  last.add(129);
  CHECK(lowest(last) == 129 && overlap(last, CategorySet(130)) == Overlap::kOutside);
  CHECK(overlap(CategorySet(130), last) == Overlap::kNothingLeft);
  last.keep_values(two);
  CHECK(last.empty());
  // Above every whole number that a double holds, a row of the box is the next double.
  Box far(n_values);
  far.keep(0, Interval{0x1p60, std::numeric_limits<double>::infinity()});
  CHECK(far.contains(far.witness()));
  // Of whole numbers, a threshold between two of them excludes what lies between.
  Interval days;
  days.whole = true;
  CHECK(!days.contains(2.5) && days.at_most(2.5).high == 2 && !days.above(2.5).contains(2.75) && days.above(2.5).contains(3));
  CHECK(days.above(2).at_most(2.9).empty() && days.above(2.1).at_most(2.9).empty() && !days.above(2).at_most(3).empty());
  CHECK(days.above(std::numeric_limits<double>::max()).empty() && days.above(0x1p60).low >= 0x1p60);
  Box dates(n_values);
  dates.require_whole(0);
  dates.keep(0, dates.interval(0).above(2.5));
  CHECK(dates.witness()[0] > 2.5 && dates.contains(dates.witness()));
  box.require_missing(1);
  CHECK(!box.may_be_known(1) && !box.empty());
  return finish();
}
