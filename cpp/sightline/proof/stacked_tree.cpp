#include "sightline/proof/stacked_tree.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "sightline/proof/box_walk.hpp"
#include "sightline/proof/joined_nodes.hpp"

namespace sightline::proof {
namespace {

// Nodes that may be made for one that is left once equal branches are joined.
constexpr std::int64_t kNodesPerResult = 64;

// Where a row is: at a node of one of the trees, with the points from those before.
struct Place {
  std::size_t tree;
  model::NodeId node;
  std::vector<std::int64_t> points;
};

// The tree while it is made: parents before children.
struct Made {
  Question question;  // without nodes: a leaf
  std::size_t first_child = 0;
  std::int32_t label = 0;  // of a leaf
  bool is_leaf() const { return question.nodes == nullptr; }
  TestForm form() const {
    return question.about_missing ? TestForm::whether_known(question.feature()) : TestForm::of(*question.nodes, question.node);
  }
};

class Stacker {
 public:
  Stacker(const VotingTrees& trees, const StackOptions& options, runtime::StopPoll& poll)
      : trees_(trees), options_(options), poll_(poll), walk_(first_box()) {}

  std::optional<model::TreeArrays> run() {
    if (!(options_.step <= StackStep::kRounded ? stack() : walk())) return std::nullopt;
    return options_.step == StackStep::kEqual ? joined() : written();
  }

 private:
  Box first_box() const {
    Box box(trees_.n_values());
    for (std::size_t f = 0; !options_.may_be_missing && f < trees_.n_values().size(); ++f) box.forbid_missing(f);
    return box;
  }

  Place start() const { return {0, 0, std::vector<std::int64_t>(trees_.n_classes(), 0)}; }
  void count_vote(Place& index) const;
  bool stack();
  bool walk();
  bool settle(Place& index) const;
  Question question_at(const Place& index) const;
  model::NodeId make(const Question& question);
  model::NodeId make_leaf(const std::vector<std::int64_t>& points);
  bool within_budget() const {
    const std::int64_t factor = options_.step == StackStep::kEqual ? kNodesPerResult : 1;
    return static_cast<std::int64_t>(made_.size()) <= factor * options_.max_nodes;
  }
  void write_output(const Made& made, std::size_t leaf, double* output) const;
  model::TreeArrays written() const;
  std::optional<model::TreeArrays> joined() const;

  const VotingTrees& trees_;
  const StackOptions& options_;
  runtime::StopPoll& poll_;
  BoxWalk walk_;
  std::vector<Made> made_;
  std::vector<model::NodeId> children_;    // -1: no row takes this branch
  std::vector<std::int64_t> leaf_points_;  // kStacked only: per leaf and class
};

// Takes the vote of the leaf that was reached and goes on to the next tree.
void Stacker::count_vote(Place& index) const {
  const std::int32_t vote = trees_.vote(index.tree, index.node);
  if (vote >= 0) index.points[vote] += trees_.points(index.tree);
  ++index.tree;
  index.node = 0;
}

model::NodeId Stacker::make(const Question& question) {
  made_.push_back({question, children_.size(), 0});
  children_.insert(children_.end(), question.n_outcomes(), -1);
  return static_cast<model::NodeId>(made_.size() - 1);
}

model::NodeId Stacker::make_leaf(const std::vector<std::int64_t>& points) {
  made_.push_back({Question{}, children_.size(), trees_.winner(points)});
  if (options_.step == StackStep::kStacked) leaf_points_.insert(leaf_points_.end(), points.begin(), points.end());
  return static_cast<model::NodeId>(made_.size() - 1);
}

// Every combination of leaves, whether a row can reach it or not.
bool Stacker::stack() {
  struct Waiting {
    Place index;
    std::size_t slot;  // of its parent
  };
  children_.push_back(0);  // the slot of the root
  std::vector<Waiting> waiting{{start(), 0}};
  while (!waiting.empty()) {
    poll_();
    if (!within_budget()) return false;
    auto [index, slot] = std::move(waiting.back());
    waiting.pop_back();
    while (index.tree < trees_.n_trees() && trees_.tree(index.tree).is_leaf(index.node)) count_vote(index);
    if (index.tree == trees_.n_trees()) {
      children_[slot] = make_leaf(index.points);
      continue;
    }
    const model::Tree& tree = trees_.tree(index.tree);
    const model::NodeId node = make({&tree, static_cast<std::int32_t>(index.tree), index.node, false});
    children_[slot] = node;
    const auto below = tree.children(index.node);
    for (std::size_t b = below.size(); b-- > 0;)
      waiting.push_back({{index.tree, below[b], index.points}, made_[node].first_child + b});
  }
  return within_budget();
}

// Goes on until a test is left that the box does not answer; true where none is, or where
// the trees that are left cannot change the label.
bool Stacker::settle(Place& index) const {
  while (index.tree < trees_.n_trees()) {
    const model::Tree& tree = trees_.tree(index.tree);
    if (tree.is_leaf(index.node)) {
      count_vote(index);
      const bool may_stop = options_.step == StackStep::kEqual;
      if (may_stop && trees_.certain_winner(index.points, trees_.points_from(index.tree)) >= 0) return true;
      continue;
    }
    const std::int32_t branch = walk_.box().decide(tree, index.node);
    if (branch == Box::kUndecided) return false;
    index.node = tree.children(index.node)[branch];
  }
  return true;
}

// If all known values take one branch, the test checks whether there is a value.
Question Stacker::question_at(const Place& index) const {
  const model::Tree& tree = trees_.tree(index.tree);
  std::size_t n_possible = 0;
  for (std::size_t b = 0; b < tree.children(index.node).size(); ++b)
    n_possible += walk_.box().known_branch_possible(tree, index.node, b);
  return {&tree, static_cast<std::int32_t>(index.tree), index.node, n_possible < 2};
}

bool Stacker::walk() {
  std::vector<Place> indexes;  // of the tests asked, one below the other
  std::vector<model::NodeId> path;
  Place index = start();
  while (true) {
    poll_();
    if (!within_budget()) return false;
    const bool is_leaf = settle(index);
    const model::NodeId node = is_leaf ? make_leaf(index.points) : make(question_at(index));
    if (!path.empty()) children_[made_[path.back()].first_child + walk_.outcome()] = node;
    if (!is_leaf) {
      path.push_back(node);
      indexes.push_back(std::move(index));
      walk_.ask(made_[node].question);
    }
    while (is_leaf && walk_.depth() > 0 && !walk_.next()) {
      walk_.close();
      path.pop_back();
      indexes.pop_back();
    }
    if (walk_.depth() == 0) return within_budget();
    index = indexes.back();
    const Question& last = walk_.asked();
    if (!last.about_missing) index.node = last.nodes->children(last.node)[walk_.outcome()];
  }
}

void Stacker::write_output(const Made& made, std::size_t leaf, double* output) const {
  if (options_.step != StackStep::kStacked) {
    output[made.label] = 1;
    return;
  }
  const std::span<const std::int64_t> points(leaf_points_.data() + leaf * trees_.n_classes(), trees_.n_classes());
  const double total = static_cast<double>(std::accumulate(points.begin(), points.end(), std::int64_t{0}));
  for (std::size_t c = 0; c < points.size(); ++c) {
    output[c] = total == 0 ? 1 / static_cast<double>(points.size()) : static_cast<double>(points[c]) / total;
  }
  // By a hair, so that the label is the winner's where several have as many points.
  output[made.label] += 0x1p-40;
}

model::TreeArrays Stacker::written() const {
  model::TreeArrays arrays;
  arrays.n_values = trees_.n_values();
  arrays.n_outputs = trees_.n_classes();
  arrays.reserve(made_.size());
  std::vector<double> output(made_.size() * arrays.n_outputs, 0.0);
  std::vector<model::NodeId> children;
  auto n_nodes = static_cast<model::NodeId>(made_.size());
  std::size_t n_leaves = 0;
  for (std::size_t v = 0; v < made_.size(); ++v) {
    if (made_[v].is_leaf()) {
      arrays.add_node(model::Test::kLeaf, -1, 0, 0);
      write_output(made_[v], n_leaves++, output.data() + v * arrays.n_outputs);
      continue;
    }
    children.clear();
    for (std::size_t b = 0; b < made_[v].question.n_outcomes(); ++b) {
      const model::NodeId child = children_[made_[v].first_child + b];
      children.push_back(child >= 0 ? child : n_nodes++);
    }
    made_[v].form().write(arrays, children);
  }
  // Branches that no row takes: a leaf each, whatever it says.
  while (static_cast<model::NodeId>(arrays.n_nodes()) < n_nodes) {
    arrays.add_node(model::Test::kLeaf, -1, 0, 0);
    output.push_back(1);
    output.insert(output.end(), arrays.n_outputs - 1, 0.0);
  }
  set_outputs(arrays, std::move(output));
  return arrays;
}

std::optional<model::TreeArrays> Stacker::joined() const {
  JoinedNodes nodes(trees_.n_values(), trees_.n_classes());
  std::vector<JoinedNodes::Id> id(made_.size()), parts;
  for (std::size_t v = made_.size(); v-- > 0;) {
    if (made_[v].is_leaf()) {
      id[v] = nodes.leaf(made_[v].label);
      continue;
    }
    const auto begin = children_.begin() + static_cast<std::ptrdiff_t>(made_[v].first_child);
    parts.assign(begin, begin + static_cast<std::ptrdiff_t>(made_[v].question.n_outcomes()));
    for (model::NodeId& part : parts) part = part >= 0 ? id[part] : -1;
    const auto known = std::find_if(parts.begin(), parts.end(), [](JoinedNodes::Id part) { return part >= 0; });
    const bool all_equal = std::all_of(known, parts.end(), [&](JoinedNodes::Id part) { return part < 0 || part == *known; });
    // Nobody takes the other branches: they lead where all do, else to a leaf.
    std::replace(parts.begin(), parts.end(), JoinedNodes::Id{-1}, all_equal ? *known : nodes.leaf(0));
    id[v] = nodes.node(made_[v].form(), parts);
  }
  if (nodes.tree_size(id[0]) > static_cast<double>(options_.max_nodes)) return std::nullopt;
  return nodes.tree(id[0]);
}

}  // namespace

double stacked_size(const VotingTrees& trees) {
  double size = 0, leaves = 1;
  for (std::size_t t = 0; t < trees.n_trees(); ++t) {
    size += leaves * static_cast<double>(trees.tree(t).n_nodes() - trees.tree(t).n_leaves());
    leaves *= static_cast<double>(trees.tree(t).n_leaves());
  }
  return size + leaves;
}

std::optional<model::TreeArrays> stacked_tree(const VotingTrees& trees, const StackOptions& options, runtime::StopPoll& poll) {
  return Stacker(trees, options, poll).run();
}

}  // namespace sightline::proof
