#include "sightline/distill/ism/grow.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <queue>

#include "sightline/distill/ism/bounds.hpp"
#include "sightline/distill/ism/contract.hpp"
#include "sightline/distill/ism/gain.hpp"
#include "sightline/distill/ism/joined.hpp"
#include "sightline/distill/ism/propagation.hpp"

namespace sightline::distill::ism {
namespace {

struct GrownNode {
  std::int32_t test = -1;
  std::vector<std::int32_t> children;
  std::int32_t missing_branch = 0;
  double weight = 0;
  std::vector<double> counts;  // by the ensemble's labels
  std::vector<double> output;
  double distance = 0;  // of the rows' numbers from the output, summed
  double priority = 0;
  Rest rest = Rest::kLimit;
};

// A node's forest is stored if it has at most this share of the nodes of the one that it is contracted from. A larger one
// is contracted again: the system hands out new pages more slowly than nodes are passed over.
constexpr double kMaxShareStored = 0.5;

// A node that can be split, with everything needed to split it.
struct Open {
  std::int32_t node;
  std::int32_t depth;
  double reach;  // estimated share of all rows
  Context context;
  // Its own, or an ancestor's, which the intervals of the context contract to its own.
  std::shared_ptr<const Forest> forest;
  bool has_own_forest;
  std::vector<std::uint32_t> rows;
  Choice choice;
};

class Grower {
 public:
  Grower(const PreparedEnsemble& prepared, const CodedRows& rows, const Options& options, runtime::StopPoll& poll)
      : prepared_(prepared),
        tests_(prepared.tests()),
        rows_(rows),
        options_(options),
        poll_(poll),
        contract_(prepared, options.literal_matching),
        propagation_(prepared, options.literal_matching),
        chooser_(prepared, rows, options, propagation_),
        bounds_(prepared),
        has_numbers_(prepared.decision().gives_numbers()),
        root_deviation_(rows.number_scale().scale) {}

  Growth run() {
    std::vector<std::uint32_t> everyone(rows_.size());
    std::iota(everyone.begin(), everyone.end(), 0);
    const std::shared_ptr<const Forest> whole(std::shared_ptr<void>(), &prepared_.forest());
    start(add_node(), 0, 1.0, prepared_.everything(), whole->view(), whole, std::move(everyone));
    joined_ = JoinedLeaves(options_.join_siblings, label_of(nodes_[0]));
    const std::size_t max_unjoined = options_.max_leaves * (options_.join_siblings ? kMaxLeavesPerJoined : 1);
    while (!open_.empty()) {
      poll_();
      if (over_budget()) {
        complete_ = false;
        break;
      }
      std::unique_ptr<Open> next = take_next();
      const std::size_t n_more = tests_.first_outcome[next->choice.test + 1] - tests_.first_outcome[next->choice.test] - 1;
      if (options_.max_leaves > 0 && n_leaves_ + n_more > max_unjoined) break;
      n_leaves_ += n_more;
      split(*next);
      if (options_.max_leaves > 0 && joined_.size() > options_.max_leaves) {
        take_back(next->node);
        break;
      }
    }
    return finish();
  }

 private:
  std::int32_t add_node() {
    nodes_.emplace_back();
    return static_cast<std::int32_t>(nodes_.size() - 1);
  }

  bool over_budget() const {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started_;
    return nodes_.size() >= options_.max_nodes || spent.count() > options_.max_seconds;
  }

  // With a limit, the most useful split comes first. Without one, depth first gives the same tree
  // and holds fewer contracted forests at a time.
  bool before(const Open& a, const Open& b) const {
    const double pa = nodes_[a.node].priority;
    const double pb = nodes_[b.node].priority;
    return pa != pb ? pa > pb : a.node < b.node;
  }

  std::unique_ptr<Open> take_next() {
    if (options_.max_leaves > 0) {
      std::pop_heap(open_.begin(), open_.end(), [&](const auto& a, const auto& b) { return before(*b, *a); });
    }
    std::unique_ptr<Open> next = std::move(open_.back());
    open_.pop_back();
    return next;
  }

  void wait(std::unique_ptr<Open> open) {
    open_.push_back(std::move(open));
    if (options_.max_leaves > 0) {
      std::push_heap(open_.begin(), open_.end(), [&](const auto& a, const auto& b) { return before(*b, *a); });
    }
  }

  // Examines a new node: it is proved, its rows agree, or it gets the best test. The intervals of the context contract
  // `ancestral` to its forest, if there is one.
  void start(std::int32_t id, std::int32_t depth, double reach, Context context, ForestView forest,
             std::shared_ptr<const Forest> ancestral, std::vector<std::uint32_t> rows) {
    GrownNode& node = nodes_[id];
    count(node, rows);
    if (examine(node, forest, rows)) return;
    if (options_.stop_on_rows && rows_agree(node, rows)) {
      node.rest = Rest::kRowsAgree;
      return;
    }
    if (options_.max_depth >= 0 && depth >= options_.max_depth) return;
    Choice choice = chooser_.choose(forest, context, rows);
    if (choice.test < 0) {
      node.rest = Rest::kNoTest;
      return;
    }
    node.priority = std::max(choice.gain, 0.0) * reach;
    const bool is_own = !ancestral || forest.nodes.size() <= kMaxShareStored * ancestral->nodes.size();
    if (is_own) ancestral = std::make_shared<const Forest>(forest);
    wait(std::make_unique<Open>(
        Open{id, depth, reach, std::move(context), std::move(ancestral), is_own, std::move(rows), std::move(choice)}));
  }

  // Sets the output; whether it is proved for every possible row.
  bool examine(GrownNode& node, ForestView forest, const std::vector<std::uint32_t>& rows) {
    if (has_numbers_) return examine_numbers(node, forest, rows);
    const std::int32_t proved = bounds_.certain_label(forest);
    set_output(node, forest, rows, proved);
    if (proved >= 0) node.rest = Rest::kProved;
    return proved >= 0;
  }

  bool examine_numbers(GrownNode& node, ForestView forest, const std::vector<std::uint32_t>& rows) {
    const model::Decision& decision = prepared_.decision();
    const bool proved = bounds_.is_settled(forest);
    node.output.assign(1, 0.0);
    if (proved) {
      node.rest = Rest::kProved;
      std::vector<double> scores = bounds_.settled_scores(forest);
      for (double& score : scores) score = decision.rule.divided(score);
      decision.probabilities(scores, node.output.data());
    } else if (node.weight > 0) {
      set_mean(node, rows);
    } else {
      decision.probabilities(propagation_.expected_total(forest), node.output.data());
    }
    for (const std::uint32_t row : rows) {
      node.distance += rows_.weight(row) * std::abs(rows_.probability(row)[0] - node.output[0]);
    }
    return proved;
  }

  void set_mean(GrownNode& node, const std::vector<std::uint32_t>& rows) const {
    for (const std::uint32_t row : rows) {
      const double* probability = rows_.probability(row);
      for (std::size_t c = 0; c < node.output.size(); ++c) node.output[c] += rows_.weight(row) * probability[c] / node.weight;
    }
  }

  void count(GrownNode& node, const std::vector<std::uint32_t>& rows) const {
    node.counts.assign(rows_.n_classes(), 0.0);
    for (const std::uint32_t row : rows) node.counts[rows_.label(row)] += rows_.weight(row);
    node.weight = std::accumulate(node.counts.begin(), node.counts.end(), 0.0);
  }

  bool rows_agree(const GrownNode& node, const std::vector<std::uint32_t>& rows) const {
    if (has_numbers_) return rows.empty() || deviation(node, rows) <= options_.min_deviation;
    return rows.empty() || std::count_if(node.counts.begin(), node.counts.end(), [](double w) { return w > 0; }) <= 1;
  }

  // Relative to the root's, so that squares of huge numbers do not overflow.
  double deviation(const GrownNode& node, const std::vector<std::uint32_t>& rows) const {
    if (!(root_deviation_ > 0)) return 0;
    double squares = 0;
    for (const std::uint32_t row : rows) {
      const double distance = (rows_.probability(row)[0] - node.output[0]) / root_deviation_;
      squares += rows_.weight(row) / node.weight * distance * distance;
    }
    return std::sqrt(squares);
  }

  // The mean of the ensemble's probabilities over the rows, or its expectation without rows. The
  // label must be the proved one or that of most rows; if the mean favors a different one, the shares of
  // the labels are used instead.
  void set_output(GrownNode& node, ForestView forest, const std::vector<std::uint32_t>& rows, std::int32_t proved) {
    node.output.assign(rows_.n_classes(), 0.0);
    std::size_t label = proved >= 0 ? proved : model::argmax(node.counts, 0);
    if (node.weight > 0) {
      set_mean(node, rows);
    } else {
      prepared_.decision().probabilities(propagation_.expected_total(forest), node.output.data());
      if (proved < 0) label = model::argmax(node.output, 0);
    }
    if (model::argmax(node.output, 0) == label) return;
    if (node.weight > 0 && model::argmax(node.counts, 0) == label) {
      for (std::size_t c = 0; c < node.output.size(); ++c) node.output[c] = node.counts[c] / node.weight;
    } else {
      std::fill(node.output.begin(), node.output.end(), 0.0);
      node.output[label] = 1;
    }
  }

  void split(Open& open) {
    const std::int32_t test = open.choice.test;
    const std::int32_t first = tests_.first_outcome[test];
    const std::int32_t n_branches = tests_.first_outcome[test + 1] - first;
    std::vector<std::vector<std::uint32_t>> parts(n_branches);
    std::vector<std::uint32_t> missing;
    for (const std::uint32_t row : open.rows) {
      const std::int32_t branch = rows_.branch(test, row);
      (branch < 0 ? missing : parts[branch]).push_back(row);
    }
    const std::int32_t missing_branch = heaviest(parts, open.choice.probability);
    parts[missing_branch].insert(parts[missing_branch].end(), missing.begin(), missing.end());

    std::vector<std::int32_t> children(n_branches);
    for (std::int32_t b = 0; b < n_branches; ++b) children[b] = add_node();
    GrownNode& node = nodes_[open.node];
    node.test = test;
    node.rest = Rest::kSplit;
    node.children = children;
    node.missing_branch = missing_branch;
    const bool shares = contract_.follows_intervals(test);
    const std::shared_ptr<const Forest> from = shares ? std::move(open.forest) : own_forest(open);
    // The first branch is examined last, so that depth-first growth continues with it.
    for (std::int32_t b = n_branches; b-- > 0;) {
      Context context = open.context;
      prepared_.narrow(context, test, first + b);
      if (is_impossible(context, test)) {
        imitate(children[b], open.node);
        continue;
      }
      const ForestView forest = contract_(*from, context, test, first + b);
      start(children[b], open.depth + 1, open.reach * open.choice.probability[b], std::move(context), forest,
            shares ? from : nullptr, std::move(parts[b]));
    }
    if (options_.max_leaves > 0) count_split(nodes_[open.node], open.node);
  }

  std::shared_ptr<const Forest> own_forest(const Open& open) {
    if (open.has_own_forest) return open.forest;
    return std::make_shared<const Forest>(contract_.by_intervals(*open.forest, open.context));
  }

  static std::int32_t label_of(const GrownNode& node) { return static_cast<std::int32_t>(model::argmax(node.output, 0)); }

  void count_split(const GrownNode& node, std::int32_t id) {
    std::vector<std::int32_t> labels;
    for (const std::int32_t child : node.children) labels.push_back(label_of(nodes_[child]));
    joined_.split(id, node.children, labels);
  }

  // Undoes the last split, which made the tree too large.
  void take_back(std::int32_t id) {
    nodes_.resize(nodes_.size() - nodes_[id].children.size());
    nodes_[id].children.clear();
    nodes_[id].test = -1;
    nodes_[id].rest = Rest::kLimit;
  }

  // Rows with a missing value follow the majority of the other rows.
  std::int32_t heaviest(const std::vector<std::vector<std::uint32_t>>& parts, const std::vector<double>& probability) const {
    std::vector<double> weight(parts.size(), 0.0);
    for (std::size_t b = 0; b < parts.size(); ++b) {
      for (const std::uint32_t row : parts[b]) weight[b] += rows_.weight(row);
    }
    const auto& decisive = *std::max_element(weight.begin(), weight.end()) > 0 ? weight : probability;
    return static_cast<std::int32_t>(model::argmax(decisive, 0));
  }

  bool is_impossible(const Context& context, std::int32_t test) const { return !context.may_be_known(tests_.feature[test]); }

  // A branch that no row can take gets the output of its parent.
  void imitate(std::int32_t child, std::int32_t parent) {
    nodes_[child].output = nodes_[parent].output;
    nodes_[child].counts.assign(rows_.n_classes(), 0.0);
    nodes_[child].rest = Rest::kProved;
  }

  Growth finish() {
    Growth growth;
    growth.complete = complete_;
    const std::vector<std::int32_t> step = best_first_steps();
    model::TreeArrays a;
    a.n_values = tests_.n_values;
    a.n_outputs = rows_.n_classes();
    // Depth first, so that the builder keeps the order and it matches that of `step` and `rest`.
    std::vector<std::int32_t> order;
    std::vector<model::NodeId> index(nodes_.size(), 0);
    std::vector<std::int32_t> stack{0};
    while (!stack.empty()) {
      const std::int32_t id = stack.back();
      stack.pop_back();
      index[id] = static_cast<model::NodeId>(order.size());
      order.push_back(id);
      stack.insert(stack.end(), nodes_[id].children.rbegin(), nodes_[id].children.rend());
    }
    for (const std::int32_t id : order) {
      add_to(a, nodes_[id], index);
      growth.step.push_back(step[id]);
      growth.rest.push_back(nodes_[id].rest);
      if (has_numbers_) growth.distance.push_back(nodes_[id].distance);
    }
    growth.source.resize(order.size());
    std::iota(growth.source.begin(), growth.source.end(), 0);
    growth.tree = model::build_tree(std::move(a));
    return growth;
  }

  void add_to(model::TreeArrays& a, const GrownNode& node, const std::vector<model::NodeId>& index) const {
    const model::Test kind = node.test < 0 ? model::Test::kLeaf : tests_.kind[node.test];
    const std::int32_t f = node.test < 0 ? -1 : tests_.feature[node.test];
    a.add_node(kind, f, kind == model::Test::kThreshold ? tests_.threshold[node.test] : 0, node.weight);
    for (std::size_t b = 0; b < node.children.size(); ++b) {
      a.add_branch(index[node.children[b]], static_cast<std::int32_t>(b) == node.missing_branch ? 1.0 : 0.0);
    }
    if (kind == model::Test::kSubset) {
      const proof::CategoryBits yes = tests_.categories(tests_.first_outcome[node.test], f);
      for (std::int32_t value = 0; value < tests_.n_values[f]; ++value) {
        if (proof::contains(yes, value)) a.add_category(value);
      }
    }
    a.output.add(node.output);
    a.counts.add(node.counts);
  }

  std::vector<std::int32_t> best_first_steps() const {
    std::vector<std::int32_t> step(nodes_.size(), -1);
    const auto later = [&](std::int32_t a, std::int32_t b) {
      return nodes_[a].priority != nodes_[b].priority ? nodes_[a].priority < nodes_[b].priority : a > b;
    };
    std::priority_queue<std::int32_t, std::vector<std::int32_t>, decltype(later)> queue(later);
    queue.push(0);
    std::int32_t n = 0;
    while (!queue.empty()) {
      const std::int32_t id = queue.top();
      queue.pop();
      if (nodes_[id].children.empty()) continue;
      step[id] = n++;
      for (const std::int32_t child : nodes_[id].children) queue.push(child);
    }
    return step;
  }

  const PreparedEnsemble& prepared_;
  const Tests& tests_;
  const CodedRows& rows_;
  const Options& options_;
  runtime::StopPoll& poll_;
  Contractor contract_;
  Propagation propagation_;
  Chooser chooser_;
  Bounds bounds_;
  bool has_numbers_;
  double root_deviation_;
  std::vector<GrownNode> nodes_;
  std::vector<std::unique_ptr<Open>> open_;
  std::size_t n_leaves_ = 1;
  JoinedLeaves joined_{false, 0};
  bool complete_ = true;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace

Growth grow(const PreparedEnsemble& prepared, const CodedRows& rows, const Options& options, runtime::StopPoll& poll) {
  return Grower(prepared, rows, options, poll).run();
}

}  // namespace sightline::distill::ism
