#include "sightline/proof/merge.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <unordered_map>

#include "sightline/model/hash_consed_nodes.hpp"
#include "sightline/model/known_test.hpp"
#include "sightline/proof/box_shares.hpp"
#include "sightline/proof/box_walk.hpp"
#include "sightline/proof/boxed_ensemble.hpp"
#include "sightline/proof/merged_leaves.hpp"
#include "sightline/proof/smallest/smallest_merge.hpp"
#include "sightline/runtime/budget.hpp"

namespace sightline::proof {
namespace {

// What the levels of one path may take; beyond it the search stops as over any budget.
constexpr std::size_t kMaxPathBytes = std::size_t{1} << 30;

// Of the time, what the search for the whole may take before one for the largest parts begins.
constexpr double kShareForAll = 0.75;

// So many boxes are about as fast as a diagram; then a graph's diagram is tried, up to so many states in all and
// per node that the graph may have.
constexpr std::int64_t kBoxesBeforeDiagram = 20'000;
constexpr std::int64_t kStatesOfQuickDiagram = 200'000;
constexpr std::int64_t kStatesPerNode = 20;

// Where rows without a value go in one node.
double share_of_missing(const model::Tree& tree, model::NodeId v, std::size_t branch) { return tree.shares(v)[branch]; }

class Merger {
 public:
  Merger(model::EnsemblePtr ensemble, const model::LabelRule& rule, const MergeOptions& options, runtime::StopPoll& poll)
      : options_(options),
        poll_(poll),
        budget_(kAnyNumber, kShareForAll * options.max_seconds, poll),
        model_(std::move(ensemble), rule, poll),
        walk_(first_box()),
        shares_(model_, options.rows, options.may_be_missing),
        leaves_(options.n_classes > 0 ? MergedLeaves(options.n_classes) : MergedLeaves(options.tolerance, options.as_graph)),
        usual_shares_(mean_over_nodes(model_, &share_of_missing)) {
    walk_.add(model_);
  }

  // Depth first, which holds one path at a time. If that does not end within the budget, it has
  // settled one corner of the space and nothing of the rest: then parts are split only while
  // they hold many rows, in rounds that halve what is many, and the last round that ends counts.
  MergedNodes run() {
    std::optional<MergedNodes> result = finished(search());
    std::int64_t n_boxes = budget_.steps();
    if (!result) result = round_of(kOneLeaf);
    for (double least = 1; !result->complete; least /= 2) {
      const double spent = std::chrono::duration<double>(Clock::now() - begin_).count();
      budget_ = runtime::Budget(kAnyNumber, options_.max_seconds - spent, poll_);
      std::optional<MergedNodes> round = round_of(least);
      n_boxes += budget_.steps();
      if (budget_.exhausted() || !round) break;
      result = std::move(round);
    }
    result->n_boxes = n_boxes;
    return std::move(*result);
  }

  // Depth first only; nothing if that does not end within so many boxes.
  std::optional<MergedNodes> run_within(std::int64_t max_boxes) {
    budget_ = runtime::Budget(max_boxes, options_.max_seconds, poll_);
    std::optional<MergedNodes> result = finished(search());
    if (!result || !result->complete) return std::nullopt;
    result->n_boxes = budget_.steps();
    return result;
  }

 private:
  using Id = model::HashConsedNodes::Id;
  using Clock = std::chrono::steady_clock;
  static constexpr std::int64_t kAnyNumber = std::numeric_limits<std::int64_t>::max();
  static constexpr double kOneLeaf = 2;  // no part has a larger share than 1

  // A test of the result: one of the ensemble's, and where rows without the value go.
  struct Asked {
    Question question;
    std::int32_t missing_to;  // -1: no row without the value comes here
  };

  std::optional<MergedNodes> finished(Id root);
  std::optional<MergedNodes> round_of(double min_share);
  Box first_box() const;
  Id search();
  bool is_open();
  Id answer();
  Id likeliest();
  void pass_impossible(std::size_t n_outcomes);
  Id joined();
  std::optional<Id> joined_leaves(std::span<const Id> parts);
  std::int32_t asked_number(const Question& question);
  double n_nodes() const { return options_.as_graph ? static_cast<double>(shared_.size()) : tree_nodes_; }
  bool within_budget();
  bool has_room_for(const Question& question);
  MergedNodes tree_arrays(Id root) const;
  MergedNodes arrays_of(const std::vector<Id>& order) const;
  void add_node(model::TreeArrays& arrays, Id id, std::span<const model::NodeId> children) const;
  std::vector<double> shares_of(const Asked& asked) const;
  std::vector<std::uint8_t> proved() const;
  void find_outputs();

  // First, so that the preparation below counts as well.
  const Clock::time_point begin_ = Clock::now();
  const MergeOptions& options_;
  runtime::StopPoll& poll_;
  runtime::Budget budget_;
  BoxedEnsemble model_;
  BoxWalk walk_;
  BoxShares shares_;
  double min_share_ = 0;  // smaller parts are not split
  bool complete_ = true;
  MergedLeaves leaves_;

  model::HashConsedNodes shared_;
  std::unordered_map<std::int64_t, std::int32_t> numbers_;
  std::vector<Asked> asked_;  // by the tests' numbers in shared_
  // By the ensemble's test numbers: where rows go without the value, on average over its nodes.
  std::vector<std::vector<double>> usual_shares_;
  // Of the questions on the way, one below the other: the parts so far, -1 where impossible.
  std::vector<Id> parts_;
  std::vector<std::int32_t> path_tests_;
  double tree_nodes_ = 0;
  // Nodes that end the search, if nothing more is split: one per question on the way and per part that waits.
  double nodes_to_end_ = 1;
  std::vector<double> outputs_;  // per shared node and output
};

Box Merger::first_box() const {
  Box box(model_.ensemble().n_values());
  for (std::size_t f = 0; f < options_.may_be_missing.size(); ++f) {
    if (!options_.may_be_missing[f]) box.forbid_missing(f);
  }
  return box;
}

// Nothing if it is too large: a tree repeats a part for every impossible outcome, which the search does not count.
std::optional<MergedNodes> Merger::finished(Id root) {
  if (!options_.as_graph && shared_.tree_size(root) > static_cast<double>(options_.max_nodes)) return std::nullopt;
  find_outputs();
  MergedNodes result = options_.as_graph ? arrays_of(shared_.graph_order(root)) : tree_arrays(root);
  result.complete = complete_;
  return result;
}

std::optional<MergedNodes> Merger::round_of(double min_share) {
  shared_ = model::HashConsedNodes();
  tree_nodes_ = 0;
  nodes_to_end_ = 1;
  complete_ = true;
  min_share_ = min_share;
  return finished(search());
}

bool Merger::within_budget() {
  if (model_.memory() > kMaxPathBytes) budget_.exhaust();
  return budget_.spend();
}

// Whether the result stays within its nodes if this question is asked and nothing is after it.
bool Merger::has_room_for(const Question& question) {
  const double n_more = nodes_to_end_ + static_cast<double>(question.n_outcomes());
  if (n_nodes() + n_more > static_cast<double>(options_.max_nodes)) budget_.exhaust();
  return !budget_.exhausted();
}

bool Merger::is_open() {
  if (options_.n_classes > 0) return model_.verdict(walk_.box()) == BoxedModel::kOpen;
  return !model_.is_settled(walk_.box()) && !leaves_.fits(model_.numbers(walk_.box()));
}

model::HashConsedNodes::Id Merger::answer() {
  if (options_.n_classes > 0) {
    const std::int32_t label = model_.verdict(walk_.box());
    return label >= 0 ? shared_.leaf(leaves_.of_label(label, true)) : likeliest();
  }
  const ScoreBounds numbers = model_.numbers(walk_.box());
  return leaves_.fits(numbers) ? shared_.leaf(leaves_.of_numbers(numbers, true)) : likeliest();
}

// A guess where nothing is proved.
model::HashConsedNodes::Id Merger::likeliest() {
  complete_ = false;
  if (options_.n_classes > 0) return shared_.leaf(leaves_.of_label(model_.expected_label(), false));
  const double number = model_.expected_number();
  return shared_.leaf(leaves_.of_numbers({number, number}, false));
}

model::HashConsedNodes::Id Merger::search() {
  while (true) {
    const bool go_on = within_budget();
    if (go_on && shares_.here() >= min_share_ && is_open()) {
      const Question question = model_.question(walk_.box());
      if (has_room_for(question)) {
        path_tests_.push_back(asked_number(question));
        walk_.ask(question);
        nodes_to_end_ += static_cast<double>(question.n_outcomes());
        pass_impossible(walk_.outcome());
        shares_.open();
        shares_.enter(walk_.asked(), walk_.outcome());
        continue;
      }
    }
    Id found = answer();
    tree_nodes_ += 1;
    nodes_to_end_ -= 1;
    while (true) {
      if (walk_.depth() == 0) return found;
      const std::size_t outcome = walk_.outcome();
      parts_.push_back(found);
      const bool more = walk_.next();
      pass_impossible(walk_.outcome() - outcome - 1);
      if (more) {
        shares_.enter(walk_.asked(), walk_.outcome());
        break;
      }
      found = joined();
      walk_.close();
      shares_.close();
    }
  }
}

void Merger::pass_impossible(std::size_t n_outcomes) {
  parts_.insert(parts_.end(), n_outcomes, -1);
  nodes_to_end_ -= static_cast<double>(n_outcomes);
}

// One leaf for all parts, if they are leaves that are close enough to each other.
std::optional<model::HashConsedNodes::Id> Merger::joined_leaves(std::span<const Id> parts) {
  std::vector<MergedLeaves::Kind> kinds;
  for (const Id id : parts) {
    if (!shared_.is_leaf(id)) return std::nullopt;
    kinds.push_back(shared_.leaf_kind(id));
  }
  const std::optional<MergedLeaves::Kind> kind = leaves_.joined(kinds);
  return kind ? std::optional(shared_.leaf(*kind)) : std::nullopt;
}

// The node of the last question, or the one part that all its outcomes lead to.
model::HashConsedNodes::Id Merger::joined() {
  const std::size_t n = walk_.asked().n_outcomes();
  const std::span<Id> parts(parts_.data() + parts_.size() - n, n);
  const Id first = *std::find_if(parts.begin(), parts.end(), [](Id id) { return id >= 0; });
  bool all_equal = true;
  for (const Id id : parts) {
    if (id < 0) continue;
    all_equal = all_equal && id == first;
    tree_nodes_ -= shared_.tree_size(id);
  }
  std::replace(parts.begin(), parts.end(), Id{-1}, first);
  const std::optional<Id> one = all_equal ? std::optional(first) : joined_leaves(parts);
  const Id result = one ? *one : shared_.node(path_tests_.back(), parts);
  tree_nodes_ += shared_.tree_size(result);
  nodes_to_end_ -= 1;
  parts_.resize(parts_.size() - n);
  path_tests_.pop_back();
  return result;
}

// The branch that has everything, or -1.
std::int32_t sole_branch(const std::vector<double>& shares) {
  const auto whole = std::find(shares.begin(), shares.end(), 1.0);
  return whole == shares.end() ? -1 : static_cast<std::int32_t>(whole - shares.begin());
}

// Where a row without the value comes here, it takes part in what the node is.
std::int32_t Merger::asked_number(const Question& question) {
  const std::int32_t feature = question.feature();
  const bool may_be_missing = walk_.box().may_be_missing(feature);
  std::int32_t missing_to = !may_be_missing ? -1 : question.about_missing ? 1 : question.nodes->missing_branch(question.node);
  const std::int32_t test =
      question.about_missing ? model_.n_tests() + feature : model_.test_number(question.tree, question.node);
  // Where no row without the value comes, a node is the same as where it would go the usual way.
  if (missing_to < 0) missing_to = sole_branch(usual_shares_[test]);
  const std::int64_t key = (static_cast<std::int64_t>(test) << 32) + missing_to + 1;
  const auto [found, is_new] = numbers_.emplace(key, static_cast<std::int32_t>(asked_.size()));
  if (is_new) asked_.push_back({question, missing_to});
  return found->second;
}

std::vector<double> Merger::shares_of(const Asked& asked) const {
  if (asked.missing_to < 0) return usual_shares_[model_.test_number(asked.question.tree, asked.question.node)];
  std::vector<double> shares(asked.question.n_outcomes(), 0.0);
  shares[asked.missing_to] = 1;
  return shares;
}

void Merger::add_node(model::TreeArrays& arrays, Id id, std::span<const model::NodeId> children) const {
  const std::size_t n = leaves_.n_outputs();
  arrays.output.add(std::span<const double>(outputs_.data() + id * n, n));
  if (shared_.is_leaf(id)) {
    arrays.add_node(model::Test::kLeaf, -1, 0, 0);
    return;
  }
  const Asked& asked = asked_[shared_.test(id)];
  const model::DecisionNodes& nodes = *asked.question.nodes;
  const model::NodeId node = asked.question.node;
  const std::int32_t feature = asked.question.feature();
  if (asked.question.about_missing) {
    model::add_known_test(arrays, feature);
  } else {
    arrays.add_node(nodes.test(node), feature, nodes.threshold(node), 0);
    for (const std::int32_t value : nodes.categories(node)) arrays.add_category(value);
  }
  const std::vector<double> shares = shares_of(asked);
  for (std::size_t b = 0; b < children.size(); ++b) arrays.add_branch(children[b], shares[b]);
}

// The output of a node as a leaf: the mean over its branches.
void Merger::find_outputs() {
  const std::size_t n = leaves_.n_outputs();
  outputs_.assign(shared_.size() * n, 0.0);
  for (Id id = 0; id < static_cast<Id>(shared_.size()); ++id) {
    double* output = outputs_.data() + id * n;
    if (shared_.is_leaf(id)) leaves_.write(shared_.leaf_kind(id), output);
    const auto children = shared_.children(id);
    for (const Id child : children) {
      for (std::size_t k = 0; k < n; ++k) output[k] += outputs_[child * n + k] / static_cast<double>(children.size());
    }
  }
}

// Per shared node.
std::vector<std::uint8_t> Merger::proved() const {
  std::vector<std::uint8_t> result(shared_.size(), 1);
  for (Id id = 0; id < static_cast<Id>(shared_.size()); ++id) {
    if (shared_.is_leaf(id)) result[id] = leaves_.is_proved(shared_.leaf_kind(id));
    for (const Id child : shared_.children(id)) result[id] = result[id] && result[child];
  }
  return result;
}

MergedNodes Merger::arrays_of(const std::vector<Id>& order) const {
  MergedNodes result;
  result.arrays.n_values = model_.ensemble().n_values();
  result.arrays.n_outputs = leaves_.n_outputs();
  result.arrays.reserve(order.size());
  const std::vector<std::uint8_t> is_proved = proved();
  std::vector<model::NodeId> index(shared_.size(), 0), children;
  for (std::size_t i = 0; i < order.size(); ++i) index[order[i]] = static_cast<model::NodeId>(i);
  for (const Id id : order) {
    children.clear();
    for (const Id child : shared_.children(id)) children.push_back(index[child]);
    add_node(result.arrays, id, children);
    result.is_proved.push_back(is_proved[id]);
  }
  return result;
}

MergedNodes Merger::tree_arrays(Id root) const {
  MergedNodes result;
  result.arrays.n_values = model_.ensemble().n_values();
  result.arrays.n_outputs = leaves_.n_outputs();
  const std::vector<Id> order = shared_.tree_order(root);
  result.arrays.reserve(order.size());
  result.arrays.output.reserve(order.size(), leaves_.n_outputs());
  result.arrays.child.reserve(order.size());
  result.arrays.share.reserve(order.size());
  const std::vector<std::uint8_t> is_proved = proved();
  std::vector<model::NodeId> children;
  for (std::size_t i = 0; i < order.size(); ++i) {
    children.clear();
    double next = static_cast<double>(i) + 1;
    for (const Id child : shared_.children(order[i])) {
      children.push_back(static_cast<model::NodeId>(next));
      next += shared_.tree_size(child);
    }
    add_node(result.arrays, order[i], children);
    result.is_proved.push_back(is_proved[order[i]]);
  }
  return result;
}

// What is left of the options after some time.
MergeOptions after(const std::chrono::steady_clock::time_point begin, MergeOptions options) {
  if (options.smallest) options.max_seconds += kSecondsOver;
  options.max_seconds -= std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return options;
}

// A graph that takes long to walk to is often a small diagram.
std::optional<MergedNodes> quick_graph(const model::EnsemblePtr& ensemble, const model::LabelRule& rule, MergeOptions options,
                                       runtime::StopPoll& poll) {
  const auto begin = std::chrono::steady_clock::now();
  std::optional<MergedNodes> walked = Merger(ensemble, rule, options, poll).run_within(kBoxesBeforeDiagram);
  if (walked) return walked;
  options.max_states = std::min(kStatesOfQuickDiagram, kStatesPerNode * options.max_nodes);
  return smallest::merge(ensemble, rule, after(begin, options), poll);
}

}  // namespace

MergedNodes merge(model::EnsemblePtr ensemble, const model::LabelRule& rule, const MergeOptions& options,
                  runtime::StopPoll& poll) {
  const auto begin = std::chrono::steady_clock::now();
  std::optional<MergedNodes> found;
  if (options.smallest) {
    found = smallest::merge(ensemble, rule, options, poll);
  } else if (options.as_graph && options.n_classes > 0) {
    found = quick_graph(ensemble, rule, options, poll);
  }
  // Otherwise what is left of the time goes to a walk that settles what it can.
  if (!found) found = Merger(std::move(ensemble), rule, after(begin, options), poll).run();
  return std::move(*found);
}

}  // namespace sightline::proof
