#include "sightline/load/retest.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace sightline::load {
namespace {

using model::NodeId;
using model::Test;
using Words = std::span<std::uint64_t>;

constexpr double kLargest = std::numeric_limits<double>::max();
constexpr std::int32_t kNothing = -1;

// What the tests above a node imply for one column.
struct Known {
  std::int32_t feature = kNothing;
  double low = -std::numeric_limits<double>::infinity();  // numbers: (low, high]
  double high = kLargest;
  std::int64_t set = 0;  // categories: where their bits begin
  bool may_be_missing = true;

  bool may_be_number() const { return low < high; }
};

// A node of the old tree. Branch 0 of a node is right behind it.
struct Source {
  std::int32_t test = kNothing;  // kNothing at a leaf
  NodeId second_child = kNothing;
  double weight = 0;

  bool is_leaf() const { return test == kNothing; }
};

// A node of the new tree, in one cache line. Leaves that were equal are linked by `also`.
struct Made {
  NodeId source = kNothing;
  std::int32_t feature = kNothing;
  NodeId child[2] = {0, 0};
  NodeId also = kNothing;
  Test test = Test::kLeaf;
  double threshold = 0;
  std::int64_t set = 0;  // bits of the categories that take branch 0
  double share = 0;      // of missing values that take branch 0
  double weight = 0;
  double scale = 1;  // of weight and counts: a node that is needed n times has an nth each time
};
static_assert(sizeof(Made) == 64);

// A node that is still to be made, and the branch that leads to it.
struct Todo {
  NodeId source;
  NodeId parent;
  std::int32_t branch;
  std::int32_t known;       // what the branch adds, kNothing at the root
  std::size_t n_above = 0;  // entries of the log that belong to the tests above the branch
  double scale = 1;
  // Behind the first bound of a test: what is left of it. Otherwise the share is negative.
  double share = -1;
  double scales[2] = {1, 1};
};

// Rebuilds one tree after the other. The sets that all trees share come first in the pool.
class Retest {
 public:
  explicit Retest(const ColumnTests& tests) : tests_(tests) {
    for (std::size_t f = 0; f < tests.n_values.size(); ++f) {
      Known all;
      all.feature = static_cast<std::int32_t>(f);
      all.set = new_set(all.feature, tests.n_values[f] > 0);
      known_.push_back(all);
    }
    for (std::size_t i = 0; i < tests.feature.size(); ++i) {
      listed_by_test_.push_back(set_of_test(static_cast<std::int32_t>(i)));
    }
    n_shared_ = pool_.size();
  }

  model::TreeArrays run(const model::Tree& tree, std::span<const std::int32_t> of_node, std::size_t max_nodes) {
    tree_ = &tree;
    gather(of_node);
    pool_.resize(n_shared_);
    known_.resize(tests_.n_values.size());
    made_.clear();
    log_.clear();
    current_.resize(tests_.n_values.size());
    std::iota(current_.begin(), current_.end(), 0);
    todo_.assign(1, {0, kNothing, 0, kNothing});
    while (!todo_.empty()) {
      Todo todo = todo_.back();
      todo_.pop_back();
      do {
        enter(todo);
        if (made_.size() >= max_nodes) throw std::length_error("the trees become too large");
      } while (make(todo));
    }
    for (std::size_t v = made_.size(); v-- > 0;) merge(static_cast<NodeId>(v));
    return arrays();
  }

 private:
  std::size_t n_words(std::int32_t feature) const { return (tests_.n_values[feature] + 63) / 64; }
  Words words(std::int64_t set, std::int32_t feature) { return {pool_.data() + set, n_words(feature)}; }

  std::int64_t new_set(std::int32_t feature, bool is_full) {
    const auto set = static_cast<std::int64_t>(pool_.size());
    const std::int32_t n_values = tests_.n_values[feature];
    pool_.resize(pool_.size() + n_words(feature), is_full ? ~std::uint64_t{0} : 0);
    if (is_full && n_values % 64 != 0) pool_.back() = (std::uint64_t{1} << (n_values % 64)) - 1;
    return set;
  }
  std::int64_t set_of_test(std::int32_t test) {
    const std::int32_t feature = tests_.feature[test];
    const std::int64_t set = new_set(feature, false);
    for (auto i = tests_.category_begin[test]; i < tests_.category_begin[test + 1]; ++i) {
      pool_[set + tests_.category[i] / 64] |= std::uint64_t{1} << (tests_.category[i] % 64);
    }
    return set;
  }
  // The values that are in one set, and in (or not in) another.
  std::int64_t common(std::int64_t first, std::int64_t second, bool wants_inside, std::int32_t feature) {
    const std::int64_t set = new_set(feature, false);
    for (std::size_t i = 0; i < n_words(feature); ++i) {
      pool_[set + i] = pool_[first + i] & (wants_inside ? pool_[second + i] : ~pool_[second + i]);
    }
    return set;
  }
  // What is known of a nominal column behind each side of a test: the sets, and their sizes.
  struct Parts {
    std::int64_t sets[2];
    std::size_t sizes[2];
  };
  Parts divided(const Known& known, std::int64_t listed, std::int32_t side_of_listed) {
    const std::size_t n = n_words(known.feature), begin = pool_.size();
    pool_.resize(begin + 2 * n);
    const std::uint64_t *from = pool_.data() + known.set, *by = pool_.data() + listed;
    std::uint64_t *inside = pool_.data() + begin, *outside = inside + n;
    std::size_t n_inside = 0, n_outside = 0;
    for (std::size_t i = 0; i < n; ++i) {
      inside[i] = from[i] & by[i];
      outside[i] = from[i] & ~by[i];
      n_inside += std::popcount(inside[i]);
      n_outside += std::popcount(outside[i]);
    }
    const auto first = static_cast<std::int64_t>(begin), second = static_cast<std::int64_t>(begin + n);
    if (side_of_listed == 0) return {{first, second}, {n_inside, n_outside}};
    return {{second, first}, {n_outside, n_inside}};
  }
  std::size_t size(std::int64_t set, std::int32_t feature) {
    std::size_t n = 0;
    for (const std::uint64_t word : words(set, feature)) n += std::popcount(word);
    return n;
  }

  // Makes what is known here that of a branch: forgets the branches entered since, adds its own.
  void enter(const Todo& todo) {
    for (; log_.size() > todo.n_above; log_.pop_back()) current_[log_.back().feature] = log_.back().before;
    if (todo.known == kNothing) return;
    const std::int32_t feature = known_[todo.known].feature;
    log_.push_back({feature, current_[feature]});
    current_[feature] = todo.known;
  }
  std::int64_t all_of(std::int32_t feature) const { return known_[feature].set; }
  std::int32_t remember(const Known& known) {
    known_.push_back(known);
    return static_cast<std::int32_t>(known_.size() - 1);
  }

  // The walk jumps about the nodes, and would wait for four arrays at each. Here, they are read in order.
  void gather(std::span<const std::int32_t> of_node) {
    const model::TreeArrays& a = tree_->arrays();
    bool has_multiway = false;
    sources_.resize(of_node.size());
    for (std::size_t v = 0; v < of_node.size(); ++v) {
      // A leaf gets a child of another node, or none behind the last: cheaper than an unpredictable branch.
      const auto second = static_cast<std::size_t>(a.branch_begin[v]) + 1;
      sources_[v] = {of_node[v], second < a.child.size() ? a.child[second] : kNothing, a.weight[v]};
      has_multiway |= a.test[v] == Test::kMultiway;
    }
    if (has_multiway) throw std::invalid_argument("a test has a branch per value");
  }
  NodeId child_of(NodeId source, std::int32_t branch) const { return branch == 0 ? source + 1 : sources_[source].second_child; }

  NodeId add(const Todo& todo, Test test, std::int32_t feature, double share) {
    const auto node = static_cast<NodeId>(made_.size());
    Made& made = made_.emplace_back();
    made.source = todo.source;
    made.test = test;
    made.feature = feature;
    made.share = share;
    made.scale = todo.scale;
    made.weight = sources_[todo.source].weight * todo.scale;
    if (todo.parent != kNothing) made_[todo.parent].child[todo.branch] = node;
    return node;
  }

  // Makes a node and turns to its branch 0, which comes right behind it; returns whether there is one.
  bool make(Todo& todo) {
    for (;;) {
      const std::int32_t test = sources_[todo.source].test;
      if (sources_[todo.source].is_leaf()) {
        add(todo, Test::kLeaf, kNothing, 0);
        return false;
      }
      const std::int32_t feature = tests_.feature[test];
      const Known known = known_[current_[feature]];
      const std::int32_t side =
          tests_.n_values[feature] > 0 ? split_categories(todo, test, known) : split_numbers(todo, test, known);
      if (side == kNothing) return true;
      // All rows go one way: the node is not needed.
      if (todo.share >= 0) todo.scale = todo.scales[side];
      todo.share = -1;
      todo.source = child_of(todo.source, side);
    }
  }

  // The share of missing values that takes branch 0.
  double share_of(const Todo& todo, std::int32_t test) const {
    if (todo.share >= 0) return todo.share;
    const auto missing = static_cast<ColumnTests::Missing>(tests_.missing[test]);
    if (missing == ColumnTests::Missing::kAsBefore) return tree_->shares(todo.source)[0];
    return missing == ColumnTests::Missing::kBranch0 ? 1 : 0;
  }

  // Makes a node and turns to its branch 0, or returns the branch that all rows take.
  std::int32_t split_numbers(Todo& todo, std::int32_t test, const Known& known) {
    const double shares[] = {share_of(todo, test), 1 - share_of(todo, test)};
    if (!known.may_be_number()) return split_missing(todo, known, shares);
    const double* begin = tests_.bound.data() + tests_.bound_begin[test];
    const double* end = tests_.bound.data() + tests_.bound_begin[test + 1];
    const double* bound = std::upper_bound(begin, end, known.low);
    const std::int32_t side = (bound - begin) % 2 == 0 ? tests_.first_branch[test] : 1 - tests_.first_branch[test];
    const auto n_bounds = std::lower_bound(bound, end, known.high) - bound;
    if (n_bounds == 0) return split_presence(todo, known, side, shares);
    Todo rest = todo;
    if (todo.share < 0) {
      rest.scales[side] = todo.scale / static_cast<double>((n_bounds + 2) / 2);
      rest.scales[1 - side] = todo.scale / static_cast<double>((n_bounds + 1) / 2);
    }
    const NodeId node = add(todo, Test::kThreshold, known.feature, shares[side]);
    made_[node].threshold = *bound;
    if (todo.share >= 0) made_[node].weight = rest_weight(rest, side, n_bounds);
    Known below = known, above = known;
    below.high = above.low = *bound;
    below.may_be_missing = known.may_be_missing && shares[side] > 0;
    above.may_be_missing = known.may_be_missing && shares[side] < 1;
    // All missing values that got this far belong to the other branch.
    rest.share = side == 0 ? 0 : 1;
    rest.parent = node;
    rest.branch = 1;
    rest.n_above = log_.size();
    rest.known = remember(above);
    todo_.push_back(rest);
    todo = branch_of(todo, side, node, 0, remember(below), rest.scales[side]);
    return kNothing;
  }

  double rest_weight(const Todo& rest, std::int32_t side, std::ptrdiff_t n_bounds) const {
    const double of_side = sources_[child_of(rest.source, side)].weight;
    const double of_other = sources_[child_of(rest.source, 1 - side)].weight;
    return of_side * rest.scales[side] * static_cast<double>((n_bounds + 2) / 2) +
           of_other * rest.scales[1 - side] * static_cast<double>((n_bounds + 1) / 2);
  }

  std::int32_t split_categories(Todo& todo, std::int32_t test, const Known& known) {
    const double shares[] = {share_of(todo, test), 1 - share_of(todo, test)};
    const auto [sets, sizes] = divided(known, listed_by_test_[test], tests_.first_branch[test]);
    if (sizes[0] == 0 && sizes[1] == 0) return split_missing(todo, known, shares);
    if (sizes[0] == 0 || sizes[1] == 0) return split_presence(todo, known, sizes[0] == 0 ? 1 : 0, shares);
    // The shorter list is the readable one, and it stays short however many values there are.
    const std::int32_t first = sizes[1] < sizes[0] ? 1 : 0;
    const NodeId node = add(todo, Test::kSubset, known.feature, shares[first]);
    made_[node].set = sets[first];
    std::int32_t narrowed[2];
    for (const std::int32_t side : {0, 1}) {
      Known& part = known_.emplace_back(known);
      part.set = sets[side];
      part.may_be_missing = known.may_be_missing && shares[side] > 0;
      narrowed[side] = static_cast<std::int32_t>(known_.size() - 1);
    }
    todo_.push_back(branch_of(todo, 1 - first, node, 1, narrowed[1 - first], todo.scale));
    todo = branch_of(todo, first, node, 0, narrowed[first], todo.scale);
    return kNothing;
  }

  // All known values go one way; missing ones may go the other.
  std::int32_t split_presence(Todo& todo, const Known& known, std::int32_t side, const double (&shares)[2]) {
    if (!known.may_be_missing || shares[side] == 1) return side;
    Known present = known, absent = known;
    present.may_be_missing = shares[side] > 0;
    absent.low = absent.high;
    const bool is_nominal = tests_.n_values[known.feature] > 0;
    if (is_nominal) absent.set = new_set(known.feature, false);
    const NodeId node = add(todo, is_nominal ? Test::kSubset : Test::kThreshold, known.feature, shares[side]);
    made_[node].set = all_of(known.feature);
    made_[node].threshold = is_nominal ? 0 : kLargest;
    // Behind the first bound of a test, missing values go with the numbers: what is left of a test does not come here.
    todo_.push_back(branch_of(todo, 1 - side, node, 1, remember(absent), todo.scale));
    todo = branch_of(todo, side, node, 0, remember(present), todo.scale);
    return kNothing;
  }

  // The value is missing for sure.
  std::int32_t split_missing(Todo& todo, const Known& known, const double (&shares)[2]) {
    if (shares[0] == 1) return 0;
    if (shares[1] == 1) return 1;
    return split_presence(todo, known, 0, shares);
  }

  Todo branch_of(const Todo& todo, std::int32_t side, NodeId parent, std::int32_t branch, std::int32_t known,
                 double scale) const {
    return {child_of(todo.source, side), parent, branch, known, log_.size(), scale};
  }

  bool is_leaf(NodeId v) const { return made_[v].test == Test::kLeaf; }
  bool are_equal_leaves(NodeId first, NodeId second) const {
    if (!is_leaf(first) || !is_leaf(second)) return false;
    const auto a = tree_->output(made_[first].source), b = tree_->output(made_[second].source);
    for (std::size_t k = 0; k < a.size(); ++k) {
      if (a[k] != b[k]) return false;
    }
    return true;
  }

  // Two tests of one column, one below the other, with an equal leaf at each: one test, one leaf.
  void merge(NodeId upper) {
    Made& top = made_[upper];
    if (top.test != Test::kSubset || (top.share != 0 && top.share != 1)) return;
    for (const int branch : {1, 0}) {
      const Made& low = made_[top.child[branch]];
      if (low.test != Test::kSubset || low.feature != top.feature || (low.share != 0 && low.share != 1)) continue;
      const NodeId leaf = top.child[1 - branch];
      for (const int equal : {0, 1}) {
        if (!are_equal_leaves(leaf, low.child[equal])) continue;
        const int missing_top = top.share == 1 ? 0 : 1, missing_low = low.share == 1 ? 0 : 1;
        const bool is_missing_other = missing_top == branch && missing_low != equal;
        const NodeId other = low.child[1 - equal];
        const std::int32_t feature = top.feature;
        const std::int64_t all = all_of(feature);
        const std::int64_t reaches_low = common(all, top.set, branch == 0, feature);
        const std::int64_t to_other = common(reaches_low, low.set, equal == 1, feature);
        const std::int64_t to_leaf = common(all, to_other, false, feature);
        const bool names_leaf = size(to_leaf, feature) <= size(to_other, feature);
        join(leaf, low.child[equal]);
        top.set = names_leaf ? to_leaf : to_other;
        top.child[0] = names_leaf ? leaf : other;
        top.child[1] = names_leaf ? other : leaf;
        top.share = is_missing_other == names_leaf ? 0 : 1;
        return;
      }
    }
  }

  // Links the second leaf, and all that it was linked with, to the first.
  void join(NodeId leaf, NodeId added) {
    NodeId last = leaf;
    while (made_[last].also != kNothing) last = made_[last].also;
    made_[last].also = added;
  }

  // The nodes depth first, and the new number of each. Column by column from here on: it is twice as fast as
  // node by node.
  model::TreeArrays arrays() {
    order_.clear();
    index_.assign(made_.size(), kNothing);
    std::vector<NodeId> stack{0};
    while (!stack.empty()) {
      const NodeId v = stack.back();
      stack.pop_back();
      index_[v] = static_cast<NodeId>(order_.size());
      order_.push_back(v);
      if (is_leaf(v)) continue;
      stack.push_back(made_[v].child[1]);
      stack.push_back(made_[v].child[0]);
    }
    model::TreeArrays a;
    a.n_values = tests_.n_values;
    a.n_outputs = tree_->n_outputs();
    fill_tests(a);
    fill_branches(a);
    fill_categories(a);
    a.output = outputs();
    a.counts = counts();
    return a;
  }

  void fill_tests(model::TreeArrays& a) const {
    const std::size_t n = order_.size();
    a.test.resize(n);
    a.feature.resize(n);
    a.threshold.resize(n);
    a.weight.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const Made& made = made_[order_[i]];
      a.test[i] = made.test;
      a.feature[i] = made.feature;
      a.threshold[i] = made.threshold;
      a.weight[i] = made.weight;
      for (NodeId each = made.also; each != kNothing; each = made_[each].also) a.weight[i] += made_[each].weight;
    }
  }

  void fill_branches(model::TreeArrays& a) const {
    const std::size_t n = order_.size();
    a.branch_begin.resize(n + 1);
    a.child.resize(n + 1);
    a.share.resize(n + 1);
    std::size_t branch = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Made& made = made_[order_[i]];
      a.branch_begin[i] = static_cast<std::int64_t>(branch);
      // Written for a leaf, too, and then overwritten: cheaper than an unpredictable branch.
      a.child[branch] = index_[made.child[0]];
      a.child[branch + 1] = index_[made.child[1]];
      a.share[branch] = made.share;
      a.share[branch + 1] = 1 - made.share;
      branch += made.test == Test::kLeaf ? 0 : 2;
    }
    a.child.resize(branch);
    a.share.resize(branch);
    a.branch_begin[n] = static_cast<std::int64_t>(branch);
  }

  void fill_categories(model::TreeArrays& a) const {
    const std::size_t n = order_.size();
    a.category_begin.resize(n + 1);
    a.category.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
      const Made& made = made_[order_[i]];
      a.category_begin[i] = static_cast<std::int64_t>(a.category.size());
      if (made.test != Test::kSubset) continue;
      for (std::size_t w = 0; w < n_words(made.feature); ++w) {
        for (std::uint64_t rest = pool_[made.set + w]; rest != 0; rest &= rest - 1) {
          a.category.push_back(static_cast<std::int32_t>(w * 64 + std::countr_zero(rest)));
        }
      }
    }
    a.category_begin[n] = static_cast<std::int64_t>(a.category.size());
  }

  model::NumberRows<double> outputs() const {
    const model::NumberRows<double>& from = tree_->arrays().output;
    if (from.in_full() != nullptr) return {from.width(), picked(from)};
    model::NumberRows<double> rows(from.width());
    for (const NodeId v : order_) rows.add(from[made_[v].source]);
    return rows;
  }

  model::NumberRows<double> counts() const {
    const model::NumberRows<double>& from = tree_->arrays().counts;
    if (from.empty()) return {};
    const std::size_t width = from.width();
    if (from.in_full() != nullptr) {
      std::vector<double> rows = picked(from);
      for (std::size_t i = 0; i < order_.size(); ++i) {
        if (!is_whole(order_[i])) sum_counts(order_[i], {rows.data() + i * width, width});
      }
      return {width, std::move(rows)};
    }
    model::NumberRows<double> rows(width);
    std::vector<double> sum(width);
    for (const NodeId v : order_) {
      if (is_whole(v)) {
        rows.add(from[made_[v].source]);
        continue;
      }
      sum_counts(v, sum);
      rows.add(sum);
    }
    return rows;
  }

  // The rows of all new nodes, in full. Adding one after the other would take four times as long for a few classes.
  std::vector<double> picked(const model::NumberRows<double>& from) const {
    const std::size_t width = from.width();
    const double* all = from.in_full();
    std::vector<double> rows(order_.size() * width);
    double* to = rows.data();
    for (const NodeId v : order_) {
      const double* row = all + static_cast<std::size_t>(made_[v].source) * width;
      for (std::size_t k = 0; k < width; ++k) *to++ = row[k];
    }
    return rows;
  }

  // Whether a node has all rows of its source, and no others.
  bool is_whole(NodeId v) const { return made_[v].also == kNothing && made_[v].scale == 1; }

  void sum_counts(NodeId v, std::span<double> sum) const {
    std::fill(sum.begin(), sum.end(), 0.0);
    for (NodeId each = v; each != kNothing; each = made_[each].also) {
      tree_->arrays().counts[made_[each].source].for_each(
          [&](std::size_t k, double count) { sum[k] += count * made_[each].scale; });
    }
  }

  const ColumnTests& tests_;
  std::vector<std::int64_t> listed_by_test_;
  std::size_t n_shared_ = 0;
  const model::Tree* tree_ = nullptr;
  std::vector<Source> sources_;
  struct Change {
    std::int32_t feature;
    std::int32_t before;
  };
  std::vector<Known> known_;           // first of all: what is known of each feature before any test
  std::vector<std::int32_t> current_;  // per feature: what is known where the walk is
  std::vector<Change> log_;
  std::vector<std::uint64_t> pool_;
  std::vector<Made> made_;
  std::vector<NodeId> order_, index_;  // of the new tree: nodes, and their indices in it
  std::vector<Todo> todo_;
};

void check(const ColumnTests& tests) {
  const std::size_t n = tests.feature.size();
  if (tests.first_branch.size() != n || tests.missing.size() != n || tests.bound_begin.size() != n + 1 ||
      tests.category_begin.size() != n + 1 || tests.bound_begin.back() != static_cast<std::int64_t>(tests.bound.size()) ||
      tests.category_begin.back() != static_cast<std::int64_t>(tests.category.size())) {
    throw std::invalid_argument("the arrays of the tests do not match each other");
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::int32_t feature = tests.feature[i];
    if (feature < 0 || static_cast<std::size_t>(feature) >= tests.n_values.size()) {
      throw std::invalid_argument("column " + std::to_string(feature) + " does not exist");
    }
    for (auto c = tests.category_begin[i]; c < tests.category_begin[i + 1]; ++c) {
      if (tests.category[c] < 0 || tests.category[c] >= tests.n_values[feature]) {
        throw std::invalid_argument("category " + std::to_string(tests.category[c]) + " does not exist");
      }
    }
  }
}

}  // namespace

std::vector<model::TreePtr> retested(std::span<const model::TreePtr> trees, std::span<const std::vector<std::int32_t>> of_node,
                                     const ColumnTests& tests, std::size_t max_nodes, runtime::StopPoll& poll) {
  check(tests);
  Retest retest(tests);
  std::vector<model::TreePtr> result;
  std::size_t n_nodes = 0;
  for (std::size_t i = 0; i < trees.size(); ++i) {
    poll();
    result.push_back(model::build_tree(retest.run(*trees[i], of_node[i], max_nodes - n_nodes)));
    n_nodes += result.back()->n_nodes();
  }
  return result;
}

}  // namespace sightline::load
