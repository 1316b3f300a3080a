// Computes the expected scores of an ensemble under every outcome of every test in one pass.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightline/distill/ism/forest.hpp"

namespace sightline::distill::ism {

// Expected scores of the ensemble in a context A, and in A and o for each outcome o of each
// open test, by Quinlan's rule: if a node of a tree is not decided, both branches count with
// their training shares.
//
// A node v that tests feature f changes its tree's expectation only under those outcomes of
// f that decide it. Then one side takes over the share of the other, which adds
//     reach(v) * amplification * share(other side) * (scores(side) - scores(other side)),
// where the amplification undoes the shares of the f-ancestors that are decided as well. The
// thresholds that decide a numeric node in one direction form a range. One addition at each end
// of the range, and prefix sums at the end, serve all tests together: the cost is one pass over
// nodes and tests, times scores, instead of one pass per test. A nominal node is compared with
// each outcome of its feature.
class Propagation {
 public:
  explicit Propagation(const PreparedEnsemble& prepared, bool literal_matching);

  void run(ForestView forest, const Context& context);
  // Expected scores in the context alone; outcomes are not computed.
  std::span<const double> expected_total(ForestView forest) {
    expect(forest);
    return total_;
  }

  // In the context alone.
  std::span<const double> total() const { return total_; }
  // In the context and this outcome of an open test.
  std::span<const double> scores(std::int32_t outcome) const {
    return {outcome_scores_.data() + static_cast<std::size_t>(outcome) * n_scores_, n_scores_};
  }
  // Training share of an outcome at the nodes with exactly its test; 0 for all if there is none.
  double pooled_weight(std::int32_t outcome) const { return pooled_[outcome]; }

 private:
  struct NumericPath {
    std::int32_t first_outcome;  // of the feature
    std::int32_t first_yes;      // tests before it contradict the path if answered yes
    std::int32_t end_no;         // tests from it on contradict the path if answered no
    double yes_factor, no_factor;
  };
  // A node on the path to the current one, and what its feature's path was before the step to one of its children.
  struct Visit {
    std::int32_t node;
    std::int32_t no_child;
    double reach;
    enum class Stage : std::uint8_t { kNew, kAtYes, kAtNo } stage = Stage::kNew;
    std::int32_t saved_index = 0;
    double saved_factor = 0;
  };

  void clear(const Context& context);
  void expect(ForestView forest);
  // How many scores a tree adds to is known to the compiler if it is one or two; kAdded is 0 if there are more.
  template <std::size_t kAdded>
  void expect_nodes(ForestView forest);
  template <std::size_t kAdded, bool kNominal>
  void walk(ForestView forest, std::size_t tree);
  template <std::size_t kAdded>
  void add_numeric(const Node& node, const Visit& visit);
  template <std::size_t kAdded>
  void add_nominal(const Node& node, const Visit& visit);
  template <std::size_t kAdded>
  void add(std::int32_t outcome, double factor, const double* plus, const double* minus);
  // Adds for all outcomes from `first` up to `end` that have the same side.
  template <std::size_t kAdded>
  void add_range(std::int32_t first, std::int32_t end, double factor, const double* plus, const double* minus);
  void prefetch(const Node& node) const;
  // Narrow the path to one child, and undo that. The path to a leaf is never needed.
  void enter_numeric(const Node& node, Visit& visit);
  void leave_numeric(const Node& node, const Visit& visit);
  void enter_nominal(const Node& node, const Visit& visit);
  void leave_nominal(const Node& node);
  // A nominal node has prepared frames for both children; the top one was used or is not needed.
  void drop_factors(const Node& node);
  void finish(const Context& context);
  double* at(std::int32_t outcome) { return outcome_scores_.data() + static_cast<std::size_t>(outcome) * n_scores_; }
  std::size_t n_outcomes(std::int32_t feature) const {
    return static_cast<std::size_t>(tests_.first_outcome[tests_.first[feature + 1]] -
                                    tests_.first_outcome[tests_.first[feature]]);
  }

  const PreparedEnsemble& prepared_;
  const Tests& tests_;
  bool literal_;
  std::size_t n_scores_;
  std::size_t n_added_;

  std::vector<double> total_;
  std::vector<double> outcome_scores_;
  std::vector<double> pooled_;
  std::vector<double> expected_;  // per node of the forest
  std::vector<NumericPath> numeric_;
  std::vector<Visit> stack_;
  std::size_t first_score_ = 0;

  bool has_nominal_;
  // Nominal features: amplification per outcome (0: contradicts the path), and the categories still
  // possible, each as a stack of frames. The top frame of a feature is current.
  std::vector<std::vector<double>> factors_;
  std::vector<std::vector<std::uint64_t>> categories_;
  std::vector<std::uint64_t> scratch_;
};

}  // namespace sightline::distill::ism
