#include "sightline/proof/largest_difference.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "sightline/proof/box_tree.hpp"
#include "sightline/runtime/budget.hpp"

namespace sightline::proof {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 30;
// At regular intervals the search follows one box to its end: only there are rows with large differences.
constexpr std::int64_t kBoxesPerDive = 16;
// Boxes that no test splits are cut up to this close to the largest difference.
constexpr double kNear = 1e-9;

// Equal infinities do not differ.
double gap(double high, double low) { return high == low ? 0 : high - low; }

// No number within the one bounds is farther than this from one within the other. Rounding the
// difference is monotone, so that it holds for the rounded difference as well.
double largest_gap(const ScoreBounds& one, const ScoreBounds& other) {
  return std::max(gap(one.high, other.low), gap(other.high, one.low));
}

class DifferenceSearch {
 public:
  DifferenceSearch(BoxedModel& first, BoxedModel& second, const Box& box, const DifferenceOptions& options,
                   runtime::StopPoll& poll)
      : first_(first),
        second_(second),
        options_(options),
        budget_(options.max_boxes, options.max_seconds, poll),
        boxes_(box),
        tolerance_(std::max(options.tolerance, 0.0)) {
    boxes_.add(first_);
    boxes_.add(second_);
    for (const auto& [leaf, difference] : options.seen) show(leaf, difference);
  }

  LargestDifference run() {
    bool goes_on = budget_.spend();
    if (const Open whole = examined(BoxTree::kWhole); !closed(whole)) push(whole);
    while (goes_on && !open_.empty() && !is_decided_) {
      const Open box = popped();
      if (worth(box)) {
        boxes_.go_to(box.node);
        goes_on = follow(box);
      } else {
        drop(box);
      }
    }
    for (const Open& box : open_) drop(box);
    return summary();
  }

 private:
  static constexpr std::int32_t kNoLeafYet = -2;
  static constexpr std::int32_t kNoPart = -2;

  struct Open {
    double bound;
    std::int32_t node;
    std::int32_t leaf;
  };

  // The largest bound is on top, the oldest box of equal ones.
  static bool comes_later(const Open& one, const Open& other) {
    return one.bound != other.bound ? one.bound < other.bound : one.node > other.node;
  }
  void push(const Open& box) {
    open_.push_back(box);
    std::push_heap(open_.begin(), open_.end(), comes_later);
  }
  Open popped() {
    std::pop_heap(open_.begin(), open_.end(), comes_later);
    const Open box = open_.back();
    open_.pop_back();
    return box;
  }

  LeafDifference& difference_of(std::int32_t leaf) { return result_.leaves[leaf]; }

  // Whether a closer look can change what is known of the leaf.
  bool worth(const Open& box) const {
    if (box.leaf == kNoLeafYet) return box.bound > (options_.every_leaf ? tolerance_ : std::max(tolerance_, largest_));
    const auto found = result_.leaves.find(box.leaf);
    double shown = found == result_.leaves.end() ? 0 : found->second.low;
    if (!options_.every_leaf) shown = largest_;
    return options_.tolerance < 0 ? box.bound > shown : box.bound > tolerance_ && shown <= tolerance_;
  }

  // Nobody looks at the box any more: its bound holds.
  void drop(const Open& box) {
    double& high = box.leaf == kNoLeafYet ? result_.elsewhere : difference_of(box.leaf).high;
    high = std::max(high, box.bound);
  }

  void show(std::int32_t leaf, double difference, const std::vector<double>& row = {}) {
    LeafDifference& known = difference_of(leaf);
    if (difference > known.low) {
      known.low = difference;
      known.row = row;
    }
    largest_ = std::max(largest_, difference);
    is_decided_ |= options_.tolerance >= 0 && !options_.every_leaf && difference > tolerance_;
  }

  void look_at(std::int32_t leaf, const std::vector<double>& row) {
    const double one = first_.number(row.data()), other = second_.number(row.data());
    const double difference = one == other ? 0 : std::abs(one - other);
    if (difference > difference_of(leaf).low) show(leaf, difference, row);
  }

  std::int32_t leaf_here() {
    if (!first_.has_leaves()) return -1;
    return first_.is_settled(boxes_.box()) ? first_.leaf() : kNoLeafYet;
  }

  // The present box, after a look at one of its rows.
  Open examined(std::int32_t node) {
    const Open box{largest_gap(first_.numbers(boxes_.box()), second_.numbers(boxes_.box())), node, leaf_here()};
    if (box.leaf == kNoLeafYet) return box;
    difference_of(box.leaf).reached = true;
    if (worth(box)) look_at(box.leaf, boxes_.box().witness());
    return box;
  }

  // Whether nothing is left to ask in the present box. Then rows at its ends show how far the
  // models are apart.
  bool closed(const Open& box) {
    if (!worth(box)) {
      drop(box);
      return true;
    }
    if (!first_.is_settled(boxes_.box()) || !second_.is_settled(boxes_.box())) return false;
    for (const bool highest : {true, false}) {
      std::vector<double> row = boxes_.box().witness();
      first_.move_to_end(boxes_.box(), highest, row);
      second_.move_to_end(boxes_.box(), !highest, row);
      look_at(box.leaf, row);
    }
    // Lines of both models may be far apart at different ends of the box.
    if (worth(box) && box.bound > (1 + kNear) * difference_of(box.leaf).low && cut()) return false;
    drop(box);
    return true;
  }

  // Through the model that varies more.
  std::optional<Question> cut() {
    const Box& box = boxes_.box();
    const ScoreBounds one = first_.numbers(box), other = second_.numbers(box);
    const bool by_first = one.high - one.low >= other.high - other.low;
    const std::optional<Question> found = (by_first ? first_ : second_).cut(box);
    return found ? found : (by_first ? second_ : first_).cut(box);
  }

  // Leaves of the first model come first, so that they have bounds of their own. Of two models without
  // leaves the one is asked that is less certain.
  Question question() {
    const Box& box = boxes_.box();
    if (first_.is_settled(box) && second_.is_settled(box)) return *cut();
    if (first_.has_leaves() && !first_.is_settled(box)) return first_.question(box);
    const ScoreBounds one = first_.numbers(box), other = second_.numbers(box);
    const bool first_is_above = gap(one.high, other.low) >= gap(other.high, one.low);
    const bool by_first = second_.is_settled(box) || one.high - one.low >= other.high - other.low;
    if (by_first && !first_.is_settled(box)) return first_.question_for(box, first_is_above ? Aim::kHigh : Aim::kLow);
    return second_.question_for(box, first_is_above ? Aim::kLow : Aim::kHigh);
  }

  // Splits the present box, and returns the part with the largest bound, or one without a bound worth a
  // look if there is none. The other parts wait.
  Open split(std::int32_t node) {
    const Question asked = question();
    const std::size_t depth = boxes_.depth();
    Open best{-1, kNoPart, kNoLeafYet};
    for (std::size_t outcome = 0; outcome < asked.n_outcomes(); ++outcome) {
      boxes_.leave_to(depth);
      if (!asked.possible(boxes_.box(), outcome)) continue;
      const Open box = examined(boxes_.enter_part(node, asked, outcome));
      if (closed(box)) continue;
      if (box.bound > best.bound) {
        if (best.node != kNoPart) push(best);
        best = box;
      } else {
        push(box);
      }
    }
    return best;
  }

  // Splits a box, then its best part, as long as that comes next anyway, or to the end. False if the
  // budget is used up.
  bool follow(Open box) {
    const bool to_the_end = budget_.steps() >= next_dive_;
    if (to_the_end) next_dive_ = budget_.steps() + kBoxesPerDive;
    while (true) {
      if (!spend()) {
        push(box);
        return false;
      }
      const Open part = split(box.node);
      if (part.node == kNoPart) return true;
      if (!worth(part) || (!to_the_end && !open_.empty() && comes_later(part, open_.front()))) {
        push(part);
        return true;
      }
      boxes_.go_to(part.node);
      box = part;
    }
  }

  bool spend() {
    const std::size_t bytes = boxes_.memory() + open_.capacity() * sizeof(Open);
    if (first_.memory() + second_.memory() + bytes > kMaxBytes) budget_.exhaust();
    return budget_.spend();
  }

  LargestDifference summary() {
    result_.n_boxes = budget_.steps();
    for (auto& [leaf, known] : result_.leaves) {
      known.high = std::max(known.high, known.low);
      // What no leaf has yet may belong to this one.
      if (!options_.one_part_per_leaf || leaf < 0 || !known.reached) known.high = std::max(known.high, result_.elsewhere);
    }
    return std::move(result_);
  }

  BoxedModel& first_;
  BoxedModel& second_;
  const DifferenceOptions& options_;
  runtime::Budget budget_;
  BoxTree boxes_;
  const double tolerance_;
  LargestDifference result_;
  double largest_ = 0;       // of all differences that rows show
  bool is_decided_ = false;  // a row proves the requested difference

  std::vector<Open> open_;  // a heap
  std::int64_t next_dive_ = 0;
};

}  // namespace

LargestDifference largest_difference(BoxedModel& first, BoxedModel& second, const Box& box, const DifferenceOptions& options,
                                     runtime::StopPoll& poll) {
  return DifferenceSearch(first, second, box, options, poll).run();
}

}  // namespace sightline::proof
