#include "sightline/proof/smallest/smallest_merge.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>

#include "sightline/proof/box_walk.hpp"
#include "sightline/proof/boxed_ensemble.hpp"
#include "sightline/proof/joined_nodes.hpp"
#include "sightline/proof/smallest/label_diagram.hpp"
#include "sightline/proof/smallest/leaf_states.hpp"
#include "sightline/proof/smallest/plan_search.hpp"
#include "sightline/proof/smallest/plan_writer.hpp"
#include "sightline/proof/smallest/row_states.hpp"

namespace sightline::proof::smallest {
namespace {

// Plans are as deep as there are units, at most, and searching goes down by recursion.
constexpr std::int32_t kMaxUnits = 2048;
// What diagrams and plans may take.
constexpr std::size_t kMaxBytes = std::size_t{1} << 29;
// Of the time, what the diagram of the whole may take, and what other orders of its features may take.
constexpr double kShareForWhole = 0.3;
constexpr double kShareForOrders = 0.1;
// Where the whole does not fit: of the time, what diagrams of parts may take, and what the walk to them may take.
constexpr double kShareForParts = 0.5;
constexpr double kShareForWalk = 0.75;
// How large the diagram of a part may be before the part is split.
constexpr std::int64_t kPartStates = 4096;
// A part is tried again when it has lost this share of the leaves of the last one that did not fit.
constexpr double kLostLeaves = 0.3;

class Merger {
 public:
  Merger(model::EnsemblePtr ensemble, const model::LabelRule& rule, const MergeOptions& options, runtime::StopPoll& poll)
      : options_(options), poll_(poll), model_(std::move(ensemble), rule, poll), walk_(first_box()) {
    walk_.add(model_);
  }

  std::optional<MergedNodes> run() {
    if (Atoms::least_units(model_.ensemble()) > kMaxUnits) return std::nullopt;
    order_ = Atoms::usual_order(model_.ensemble());
    if (!build_whole()) return std::nullopt;
    const std::optional<Id> whole = whole_;
    LeafStates states(label_->diagram());
    Search search(states, [this] { return goes_on(); });
    search_ = &search;
    if (whole) {
      plan_by_questions(*whole);
      root_ = add_part(*whole);
      if (options_.as_graph) first_graph_ = written();
    } else if (!options_.smallest || !split_whole()) {
      return std::nullopt;
    }
    std::vector<Id> roots;
    for (const Part& part : parts_) roots.push_back(part.root);
    const bool for_rows = options_.weigh_rows && options_.rows != nullptr;
    if (options_.smallest && !for_rows) search.improve(roots);
    return for_rows ? few_tests() : options_.as_graph ? few_nodes() : few_leaves();
  }

 private:
  using Id = Diagram::Id;
  using Clock = std::chrono::steady_clock;
  using Search = PlanSearch<LeafStates>;

  // A box whose label has a diagram, and the steps that lead to it.
  struct Part {
    Id root;
    std::vector<Step> steps;
  };
  static constexpr std::int32_t kNobody = std::numeric_limits<std::int32_t>::max();
  // A test above the parts. What follows: another test, ~part, or kNobody if no row goes there.
  struct Upper {
    std::int32_t test;
    std::vector<std::int32_t> next;
  };
  struct Written {
    JoinedNodes nodes;
    JoinedNodes::Id root;
    std::size_t size() const { return nodes.graph_size(root); }
  };
  struct Frame {
    Id state;
    std::int32_t test;  // -1: it does not matter to the state
  };

  Box first_box() const;
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  bool goes_on() {
    poll_();
    return seconds() < options_.max_seconds && label_->memory() < kMaxBytes;
  }
  bool build_whole();
  bool build_ordered(const std::vector<std::int32_t>& order, double max_seconds);
  double measure() const;
  void try_orders();
  void plan_by_questions(Id root);
  std::int32_t pass(Id state, std::int32_t test);
  bool split_whole();
  double seconds_for_parts() const { return kShareForParts * options_.max_seconds - seconds(); }
  bool may_build() const { return seconds_for_parts() > 0 && label_->memory() < kMaxBytes; }
  std::optional<std::int32_t> part_here();
  std::int32_t add_part(Id root) {
    parts_.push_back({root, steps_});
    return ~static_cast<std::int32_t>(parts_.size() - 1);
  }
  std::size_t n_live_leaves() const;
  JoinedNodes no_nodes() const { return {model_.ensemble().n_values(), options_.n_classes}; }
  JoinedNodes::Id joined(JoinedNodes& nodes, const std::vector<JoinedNodes::Id>& parts) const;
  Written written();
  Written written_diagram();
  std::optional<MergedNodes> few_leaves();
  std::optional<MergedNodes> few_nodes();
  std::optional<MergedNodes> few_tests();
  MergedNodes proved(model::TreeArrays arrays) const;
  double least_leaves();

  // First, so that the preparation below counts as well.
  const Clock::time_point begin_ = Clock::now();
  const MergeOptions& options_;
  runtime::StopPoll& poll_;
  BoxedEnsemble model_;
  BoxWalk walk_;
  std::vector<std::int32_t> order_;
  std::unique_ptr<Atoms> atoms_;
  std::unique_ptr<LabelDiagram> label_;
  std::optional<Id> whole_;
  Search* search_ = nullptr;
  std::vector<Part> parts_;
  std::vector<Upper> upper_;  // children before parents
  std::int32_t root_ = 0;
  std::optional<Written> first_graph_;
  std::vector<Step> steps_;
  std::vector<std::size_t> too_many_leaves_;
};

Box Merger::first_box() const {
  Box box(model_.ensemble().n_values());
  for (std::size_t f = 0; f < options_.may_be_missing.size(); ++f) {
    if (!options_.may_be_missing[f]) box.forbid_missing(f);
  }
  return box;
}

bool Merger::build_ordered(const std::vector<std::int32_t>& order, double max_seconds) {
  atoms_ = std::make_unique<Atoms>(model_.ensemble(), options_.may_be_missing, order);
  if (atoms_->n_units() > kMaxUnits) return false;
  label_ = std::make_unique<LabelDiagram>(model_, *atoms_, options_.n_classes, poll_);
  whole_ = label_->build(walk_.box(), {}, {options_.max_states, kMaxBytes / 2, max_seconds});
  return true;
}

bool Merger::build_whole() {
  const double before = seconds();
  if (!build_ordered(order_, kShareForWhole * options_.max_seconds)) return false;
  const double taken = seconds() - before;
  if (whole_ && options_.smallest && taken * static_cast<double>(order_.size()) < kShareForOrders * options_.max_seconds)
    try_orders();
  return true;
}

// What an order is to make small: of a tree, the ways through the diagram, which make guesses better; of a graph, the
// diagram itself.
double Merger::measure() const {
  return options_.as_graph ? static_cast<double>(label_->diagram().n_below(*whole_)) : label_->diagram().paths(*whole_);
}

// Swaps each feature with the next one if that helps; for a graph, in rounds while it does.
void Merger::try_orders() {
  double best = measure();
  bool is_best = true, improved = true;
  while (improved && seconds() < kShareForOrders * options_.max_seconds) {
    improved = false;
    for (std::size_t i = 0; i + 1 < order_.size(); ++i) {
      std::vector<std::int32_t> order = order_;
      std::swap(order[i], order[i + 1]);
      build_ordered(order, options_.max_seconds);
      is_best = whole_ && measure() < best;
      if (!is_best) continue;
      best = measure();
      order_ = std::move(order);
      improved = options_.as_graph;
    }
  }
  if (!is_best) build_ordered(order_, options_.max_seconds);
}

// The outcome that leaves a state as it is, or -1.
std::int32_t Merger::pass(Id state, std::int32_t test) {
  const std::int32_t n = atoms_->tests()[test].n_outcomes;
  for (std::int32_t i = 0; i < n; ++i) {
    if (label_->diagram().outcome(state, test, i) == state) return i;
  }
  return -1;
}

// The plan that asks what the walk over boxes would ask, each state once. A test that leaves the state as it is on
// one side is not asked: that side goes on.
void Merger::plan_by_questions(Id root) {
  const std::size_t depth = walk_.depth();
  std::vector<Frame> frames;
  Id state = root;
  while (true) {
    if (!search_->is_known(state) && seconds() < options_.max_seconds) {
      poll_();
      const Question question = model_.question(walk_.box());
      const std::int32_t test = atoms_->test_of(question, walk_.box());
      const std::int32_t passing = pass(state, test);
      if (passing >= 0) {
        walk_.take(question, static_cast<std::size_t>(passing));
        frames.push_back({state, -1});
        continue;
      }
      walk_.ask(question);
      frames.push_back({state, test});
      state = label_->diagram().outcome(state, test, static_cast<std::int32_t>(walk_.outcome()));
      continue;
    }
    while (!frames.empty()) {
      const Frame& frame = frames.back();
      if (frame.test < 0) {
        walk_.abandon(walk_.depth() - 1);
      } else if (walk_.next()) {
        state = label_->diagram().outcome(frame.state, frame.test, static_cast<std::int32_t>(walk_.outcome()));
        break;
      } else {
        walk_.close();
        search_->propose(frame.state, atoms_->asked_for(frame.test));
      }
      frames.pop_back();
    }
    if (walk_.depth() == depth && frames.empty()) return;
  }
}

std::size_t Merger::n_live_leaves() const {
  std::size_t n = 0;
  for (std::size_t t = 0; t < model_.ensemble().n_trees(); ++t) n += static_cast<std::size_t>(model_.forest().tree(t).size);
  return n;
}

// The present box as a part, if its label is known or its diagram fits.
std::optional<std::int32_t> Merger::part_here() {
  const std::int32_t label = model_.verdict(walk_.box());
  if (label != BoxedModel::kOpen) return add_part(label);
  const std::size_t n_leaves = n_live_leaves();
  const double limit = (1 - kLostLeaves) * static_cast<double>(too_many_leaves_.back());
  too_many_leaves_.push_back(too_many_leaves_.back());
  if (static_cast<double>(n_leaves) > limit || !may_build()) return std::nullopt;
  const std::optional<Id> root =
      label_->build(walk_.box(), steps_, {std::min(kPartStates, options_.max_states), kMaxBytes, seconds_for_parts()});
  if (!root) {
    too_many_leaves_.back() = n_leaves;
    return std::nullopt;
  }
  too_many_leaves_.pop_back();
  plan_by_questions(*root);
  return add_part(*root);
}

// Walks over boxes until the diagram of each fits; when time for diagrams is over, until the label of each is known.
// False if that does not end in time, or takes too many nodes.
bool Merger::split_whole() {
  too_many_leaves_.assign(1, n_live_leaves());
  std::vector<Upper> open;
  while (true) {
    poll_();
    if (seconds() > kShareForWalk * (options_.max_seconds + kSecondsOver)) return false;
    if (upper_.size() + parts_.size() > static_cast<std::size_t>(options_.max_nodes)) return false;
    std::optional<std::int32_t> found = part_here();
    if (!found) {
      const Question question = model_.question(walk_.box());
      open.push_back({atoms_->test_of(question, walk_.box()), std::vector<std::int32_t>(question.n_outcomes(), kNobody)});
      walk_.ask(question);
      steps_.push_back({open.back().test, static_cast<std::int32_t>(walk_.outcome())});
      continue;
    }
    while (true) {
      if (open.empty()) {
        root_ = *found;
        return true;
      }
      open.back().next[walk_.outcome()] = *found;
      if (walk_.next()) {
        steps_.back().outcome = static_cast<std::int32_t>(walk_.outcome());
        break;
      }
      walk_.close();
      steps_.pop_back();
      too_many_leaves_.pop_back();
      const std::int32_t asked = atoms_->asked_for(open.back().test);
      if (asked != open.back().test) open.back() = {asked, {open.back().next[1], open.back().next[0]}};
      upper_.push_back(std::move(open.back()));
      open.pop_back();
      found = static_cast<std::int32_t>(upper_.size() - 1);
    }
  }
}

// The tests above the parts, with what was written for each part.
JoinedNodes::Id Merger::joined(JoinedNodes& nodes, const std::vector<JoinedNodes::Id>& parts) const {
  std::vector<JoinedNodes::Id> above;
  const auto id_of = [&](std::int32_t next) { return next < 0 ? parts[~next] : above[next]; };
  for (const Upper& one : upper_) {
    const auto some = std::find_if(one.next.begin(), one.next.end(), [](std::int32_t next) { return next != kNobody; });
    std::vector<JoinedNodes::Id> children;
    for (const std::int32_t next : one.next) children.push_back(id_of(next == kNobody ? *some : next));
    above.push_back(nodes.node(atoms_->tests()[one.test].form, children));
  }
  return id_of(root_);
}

std::optional<MergedNodes> Merger::few_leaves() {
  const Written plan = written();
  if (plan.nodes.tree_size(plan.root) > static_cast<double>(options_.max_nodes)) return std::nullopt;
  MergedNodes merged = proved(plan.nodes.tree(plan.root));
  merged.cost = static_cast<double>(std::count(merged.arrays.test.begin(), merged.arrays.test.end(), model::Test::kLeaf));
  merged.least = least_leaves();
  return merged;
}

// What the present plan asks, equal states once.
Merger::Written Merger::written() {
  Written result{no_nodes(), 0};
  PlanWriter writer(result.nodes, label_->diagram(), *search_);
  std::vector<JoinedNodes::Id> parts;
  for (const Part& part : parts_) parts.push_back(writer.leaf_plan(part.root));
  result.root = joined(result.nodes, parts);
  return result;
}

// The diagram as it is.
Merger::Written Merger::written_diagram() {
  Written result{no_nodes(), 0};
  PlanWriter writer(result.nodes, label_->diagram(), *search_);
  std::vector<JoinedNodes::Id> parts;
  for (const Part& part : parts_) parts.push_back(writer.diagram(part.root));
  result.root = joined(result.nodes, parts);
  return result;
}

// The smallest of the states of the first and of the last plan, and the diagram.
std::optional<MergedNodes> Merger::few_nodes() {
  std::vector<Written> graphs;
  if (first_graph_) graphs.push_back(std::move(*first_graph_));
  graphs.push_back(written());
  graphs.push_back(written_diagram());
  const Written& smallest =
      *std::min_element(graphs.begin(), graphs.end(), [](const Written& a, const Written& b) { return a.size() < b.size(); });
  const std::size_t size = smallest.size();
  if (size > static_cast<std::size_t>(options_.max_nodes)) return std::nullopt;
  MergedNodes merged = proved(smallest.nodes.graph(smallest.root));
  merged.cost = static_cast<double>(size);
  // A graph has a test for every unit of any part, and the labels.
  for (const Part& part : parts_) {
    const double n_tests = label_->diagram().least_leaves(part.root) - 1;
    merged.least = std::max(merged.least, n_tests + (n_tests > 0 ? 2 : 1));
  }
  return merged;
}

std::optional<MergedNodes> Merger::few_tests() {
  RowStates states(label_->diagram(), *search_, *options_.rows);
  PlanSearch<RowStates> search(states, [&] { return goes_on() && label_->memory() + states.memory() < kMaxBytes; });
  std::vector<RowStates::State> roots;
  double asked_above = 0;
  for (const Part& part : parts_) {
    roots.push_back(states.state(part.root, part.steps));
    asked_above += states.weight(roots.back()) * static_cast<double>(part.steps.size());
  }
  search.improve(roots);
  JoinedNodes nodes = no_nodes();
  PlanWriter writer(nodes, label_->diagram(), *search_);
  std::vector<JoinedNodes::Id> parts;
  for (const RowStates::State root : roots) parts.push_back(writer.row_plan(states, search, root));
  const JoinedNodes::Id root = joined(nodes, parts);
  const double n_nodes = options_.as_graph ? static_cast<double>(nodes.graph_size(root)) : nodes.tree_size(root);
  if (n_nodes > static_cast<double>(options_.max_nodes)) return std::nullopt;
  MergedNodes merged = proved(options_.as_graph ? nodes.graph(root) : nodes.tree(root));
  merged.cost = asked_above;
  for (const RowStates::State state : roots) {
    merged.cost += search.cost(state);
    merged.least = std::max(merged.least, search.least(state));
  }
  const double n_rows = std::max(1.0, states.total());
  merged.cost /= n_rows;
  merged.least /= n_rows;
  return merged;
}

MergedNodes Merger::proved(model::TreeArrays arrays) const {
  MergedNodes merged;
  merged.is_proved.assign(arrays.n_nodes(), 1);
  merged.arrays = std::move(arrays);
  merged.complete = true;
  merged.n_boxes = static_cast<std::int64_t>(label_->diagram().size());
  return merged;
}

// A tree for all rows is one for the rows of a part.
double Merger::least_leaves() {
  double least = 0;
  for (const Part& part : parts_) least = std::max(least, search_->least(part.root));
  return least;
}

}  // namespace

std::optional<MergedNodes> merge(model::EnsemblePtr ensemble, const model::LabelRule& rule, const MergeOptions& options,
                                 runtime::StopPoll& poll) {
  return Merger(std::move(ensemble), rule, options, poll).run();
}

}  // namespace sightline::proof::smallest
