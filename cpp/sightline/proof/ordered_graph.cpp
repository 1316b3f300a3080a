#include "sightline/proof/ordered_graph.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_map>

#include "sightline/proof/joined_nodes.hpp"
#include "sightline/proof/residual_trees.hpp"

namespace sightline::proof {
namespace {

using Order = std::vector<std::size_t>;  // of indexes in ResidualTrees::features

// The graph of one order: forwards the states that are reached, feature by feature;
// backwards the nodes that tell them apart.
class Construction {
 public:
  Construction(const VotingTrees& trees, ResidualTrees& residuals, const OrderedGraphOptions& options, runtime::StopPoll& poll)
      : trees_(trees), residuals_(residuals), options_(options), poll_(poll), nodes_(trees.n_values(), trees.n_classes()) {}

  // False beyond this many states.
  bool build(const Order& order, std::int64_t max_states);

  std::int64_t n_states() const { return n_states_; }
  std::size_t size() const { return nodes_.graph_size(root_); }
  model::TreeArrays arrays() const { return nodes_.graph(root_); }

 private:
  using Id = JoinedNodes::Id;

  // A class is decided (a label), or a state of the next level follows (its number).
  struct Next {
    std::int32_t label = -1;
    std::int32_t state = -1;
  };
  // The states of one level, and where each of its cells leads.
  struct States {
    std::vector<std::int64_t> points;  // per state and class
    std::vector<ResidualTrees::Id> trees;
    std::vector<std::size_t> trees_begin{0};
    std::vector<Next> next;  // per state and cell; one only where the feature does not matter
    std::vector<std::size_t> next_begin{0};
    std::unordered_map<std::string, std::int32_t> numbers;
    std::size_t size() const { return trees_begin.size() - 1; }
  };

  Next enter(States& states);
  bool expand(std::size_t level, std::size_t index, std::int64_t max_states);
  Id joined(const FeatureCells& cells, std::span<const Id> children);
  Id joined_numbers(const FeatureCells& cells, std::span<const Id> children, std::size_t missing_cell);
  Id joined_values(const FeatureCells& cells, std::span<const Id> children, std::size_t missing_cell);
  Id id_of(const Next& next, const std::vector<Id>& ids) { return next.label >= 0 ? nodes_.leaf(next.label) : ids[next.state]; }

  const VotingTrees& trees_;
  ResidualTrees& residuals_;
  const OrderedGraphOptions& options_;
  runtime::StopPoll& poll_;
  JoinedNodes nodes_;
  std::vector<States> levels_;
  std::int64_t n_states_ = 0;
  Id root_ = 0;

  // The state that is being made.
  std::vector<std::int64_t> points_;
  std::vector<ResidualTrees::Id> open_;
  std::string key_;
};

// Gives the state in points_ and open_ a number: leaves are counted, the rest sorted, and
// what the points have in common taken away, so that equal futures are equal states.
Construction::Next Construction::enter(States& states) {
  std::int64_t open_points = 0;
  std::size_t n = 0;
  for (const ResidualTrees::Id id : open_) {
    if (!residuals_.is_leaf(id)) {
      open_[n++] = id;
      open_points += residuals_.points(id);
    } else if (residuals_.vote(id) >= 0) {
      points_[residuals_.vote(id)] += residuals_.points(id);
    }
  }
  open_.resize(n);
  const std::int32_t winner = trees_.certain_winner(points_, open_points);
  if (winner >= 0) return {winner, -1};
  std::sort(open_.begin(), open_.end());
  // Classes that cannot win any more are all the same: as far back as just hopeless.
  const std::int64_t hopeless = *std::max_element(points_.begin(), points_.end()) - open_points - 1;
  for (std::int64_t& points : points_) points = std::max<std::int64_t>(points - hopeless, 0);
  key_.assign(reinterpret_cast<const char*>(points_.data()), points_.size() * sizeof points_[0]);
  key_.append(reinterpret_cast<const char*>(open_.data()), open_.size() * sizeof open_[0]);
  const auto [found, is_new] = states.numbers.emplace(key_, static_cast<std::int32_t>(states.size()));
  if (is_new) {
    ++n_states_;
    states.points.insert(states.points.end(), points_.begin(), points_.end());
    states.trees.insert(states.trees.end(), open_.begin(), open_.end());
    states.trees_begin.push_back(states.trees.size());
  }
  return {-1, found->second};
}

bool Construction::expand(std::size_t level, std::size_t index, std::int64_t max_states) {
  States& from = levels_[level];
  States& to = levels_[level + 1];
  const std::size_t n_classes = trees_.n_classes();
  const FeatureCells& cells = residuals_.features()[index];
  for (std::size_t s = 0; s < from.size(); ++s) {
    poll_();
    const std::span<const ResidualTrees::Id> open(from.trees.data() + from.trees_begin[s],
                                                  from.trees.data() + from.trees_begin[s + 1]);
    const bool matters =
        std::any_of(open.begin(), open.end(), [&](auto id) { return residuals_.restricted(id, index, 0) != id; });
    const std::size_t n_cells = options_.may_be_missing ? cells.size() : cells.missing();
    for (std::size_t cell = 0; cell < (matters ? n_cells : 1); ++cell) {
      const auto points = from.points.begin() + static_cast<std::ptrdiff_t>(s * n_classes);
      points_.assign(points, points + static_cast<std::ptrdiff_t>(n_classes));
      open_.clear();
      for (const ResidualTrees::Id id : open) open_.push_back(residuals_.restricted(id, index, cell));
      from.next.push_back(enter(to));
    }
    from.next_begin.push_back(from.next.size());
    if (n_states_ > max_states) return false;
  }
  return true;
}

bool Construction::build(const Order& order, std::int64_t max_states) {
  levels_.assign(order.size() + 1, States{});
  n_states_ = 0;
  points_.assign(trees_.n_classes(), 0);
  open_ = residuals_.roots();
  const Next first = enter(levels_[0]);
  for (std::size_t level = 0; level < order.size(); ++level) {
    if (!expand(level, order[level], max_states)) return false;
  }
  std::vector<Id> ids, above, children;
  for (std::size_t level = order.size(); level-- > 0;) {
    const States& states = levels_[level];
    above.clear();
    for (std::size_t s = 0; s < states.size(); ++s) {
      children.clear();
      for (std::size_t i = states.next_begin[s]; i < states.next_begin[s + 1]; ++i)
        children.push_back(id_of(states.next[i], ids));
      above.push_back(children.size() == 1 ? children[0] : joined(residuals_.features()[order[level]], children));
    }
    ids.swap(above);
  }
  root_ = id_of(first, ids);
  return true;
}

// The node that tests a feature: `children` by cell, missing values last.
Construction::Id Construction::joined(const FeatureCells& cells, std::span<const Id> children) {
  const auto known = children.first(cells.missing());
  std::size_t missing_cell = cells.usual_for_missing;
  bool has_own_answer = false;
  if (options_.may_be_missing) {
    // It goes with known values that lead to the same, if there are any.
    const auto same = static_cast<std::size_t>(std::find(known.begin(), known.end(), children.back()) - known.begin());
    has_own_answer = same == known.size();
    if (!has_own_answer) missing_cell = same;
  }
  const Id result = cells.n_values > 0 ? joined_values(cells, known, missing_cell) : joined_numbers(cells, known, missing_cell);
  if (!has_own_answer) return result;
  const Id both[] = {result, children.back()};
  return nodes_.node(TestForm::whether_known(cells.feature), both);
}

// From the highest interval down, so that each test checks whether the value is in the lowest.
Construction::Id Construction::joined_numbers(const FeatureCells& cells, std::span<const Id> children, std::size_t missing_cell) {
  Id result = children.back();
  for (std::size_t i = children.size() - 1; i-- > 0;) {
    if (children[i] == children[i + 1]) continue;
    const Id both[] = {children[i], result};
    TestForm form{model::Test::kThreshold, cells.feature, cells.thresholds[i], {}, missing_cell <= i ? 0 : 1, false};
    result = nodes_.node(form, both);
  }
  return result;
}

Construction::Id Construction::joined_values(const FeatureCells& cells, std::span<const Id> children, std::size_t missing_cell) {
  TestForm form{model::Test::kMultiway, cells.feature, 0, {}, static_cast<std::int32_t>(missing_cell), false};
  const auto other = std::find_if(children.begin(), children.end(), [&](Id id) { return id != children[0]; });
  if (other == children.end()) return children[0];
  // With two ends only, the values of the end to which fewer lead are named.
  if (!std::all_of(children.begin(), children.end(), [&](Id id) { return id == children[0] || id == *other; }))
    return nodes_.node(form, children);
  const auto n_first = static_cast<std::size_t>(std::count(children.begin(), children.end(), children[0]));
  const Id named = 2 * n_first <= children.size() ? children[0] : *other;
  const Id both[] = {named, named == children[0] ? *other : children[0]};
  form.test = model::Test::kSubset;
  for (std::size_t v = 0; v < children.size(); ++v) {
    if (children[v] == named) form.categories.push_back(static_cast<std::int32_t>(v));
  }
  form.missing_to = children[missing_cell] == named ? 0 : 1;
  return nodes_.node(form, both);
}

// Moves each feature to the position where the graph is smallest, round after round.
class OrderSearch {
 public:
  OrderSearch(const VotingTrees& trees, const OrderedGraphOptions& options, runtime::StopPoll& poll)
      : trees_(trees), options_(options), poll_(poll), residuals_(trees), best_(residuals_.features().size()) {
    std::iota(best_.begin(), best_.end(), std::size_t{0});
    std::stable_sort(best_.begin(), best_.end(), [&](auto a, auto b) { return residuals_.n_uses(a) > residuals_.n_uses(b); });
  }

  std::optional<OrderedGraph> run() {
    if (!try_order(best_, options_.max_states)) return std::nullopt;
    while (options_.search && improve()) {
    }
    if (best_size_ > static_cast<std::size_t>(options_.max_nodes)) return std::nullopt;
    Construction graph(trees_, residuals_, options_, poll_);
    graph.build(best_, options_.max_states);
    OrderedGraph result{graph.arrays(), {}, n_orders_};
    for (const std::size_t index : best_) result.order.push_back(residuals_.features()[index].feature);
    return result;
  }

 private:
  bool try_order(const Order& order, std::int64_t max_states) {
    Construction graph(trees_, residuals_, options_, poll_);
    ++n_orders_;
    const bool fits = graph.build(order, max_states);
    spent_ += graph.n_states();
    if (!fits || (best_size_ > 0 && graph.size() >= best_size_)) return false;
    best_ = order;
    best_size_ = graph.size();
    best_states_ = graph.n_states();
    return true;
  }

  // One round over all features; whether the graph became smaller.
  bool improve() {
    bool improved = false;
    for (const std::size_t index : Order(best_)) {
      for (std::size_t to = 0; to < best_.size(); ++to) {
        if (spent_ > options_.search_states) return false;
        Order order = best_;
        order.erase(std::find(order.begin(), order.end(), index));
        order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), index);
        // Orders with many more states than the best one rarely have fewer nodes.
        if (order != best_ && try_order(order, std::min(options_.max_states, 2 * best_states_ + 64))) improved = true;
      }
    }
    return improved;
  }

  const VotingTrees& trees_;
  const OrderedGraphOptions& options_;
  runtime::StopPoll& poll_;
  ResidualTrees residuals_;
  Order best_;
  std::size_t best_size_ = 0;
  std::int64_t best_states_ = 0;
  std::int64_t spent_ = 0;
  std::int64_t n_orders_ = 0;
};

}  // namespace

std::optional<OrderedGraph> ordered_graph(const VotingTrees& trees, const OrderedGraphOptions& options, runtime::StopPoll& poll) {
  return OrderSearch(trees, options, poll).run();
}

}  // namespace sightline::proof
