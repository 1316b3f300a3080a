// Prepares an ensemble for ISM: numbers its tests, and converts its trees.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightline/model/decision.hpp"
#include "sightline/model/ensemble.hpp"
#include "sightline/proof/box.hpp"

namespace sightline::distill::ism {

// The rows without missing values that reach a node of the new tree. Numbers are stored as ranks:
// test i of a feature has rank 2i + 1, and all values between tests i - 1 and i have rank 2i. Ranks
// ascend with thresholds, so x <= threshold is rank(x) <= rank.
using Context = proof::Box;

// The tests that the new tree may use, numbered feature by feature. The outcomes (branches) of
// tests are numbered in the same order. The tests of a numeric feature ascend by threshold and end
// with a sentinel that is never used, so a range of tests can end there without running into the
// next feature.
struct Tests {
  std::vector<std::int32_t> n_values;  // per feature: declared values, 0 where numeric
  std::vector<std::int32_t> first;     // per feature, and one more
  std::vector<model::Test> kind;       // per test
  std::vector<std::int32_t> feature;
  std::vector<double> threshold;
  std::vector<std::int32_t> first_outcome;  // per test, and one more

  // Nominal outcomes: the categories that lead there.
  std::vector<std::size_t> first_word;  // per outcome
  std::vector<std::uint64_t> words;

  std::size_t n_features() const { return n_values.size(); }
  std::size_t n_tests() const { return kind.size(); }
  std::size_t n_outcomes() const { return static_cast<std::size_t>(first_outcome.back()); }
  std::size_t n_words(std::size_t f) const { return proof::n_category_words(n_values[f]); }
  bool is_nominal(std::size_t f) const { return n_values[f] > 0; }
  // Thresholds of a numeric feature, without the sentinel.
  std::int32_t n_thresholds(std::size_t f) const { return first[f + 1] - first[f] - 1; }
  proof::CategoryBits categories_at(std::size_t word, std::size_t f) const { return {words.data() + word, n_words(f)}; }
  proof::CategoryBits categories(std::int32_t outcome, std::size_t f) const { return categories_at(first_word[outcome], f); }

  // The range of numeric tests that a context leaves open, relative to the first test of the feature.
  std::int32_t first_open(const Context& context, std::size_t f) const {
    return (static_cast<std::int32_t>(context.interval(f).low) + 1) / 2;
  }
  std::int32_t end_open(const Context& context, std::size_t f) const {
    return (static_cast<std::int32_t>(context.interval(f).high) - 1) / 2;
  }
};

// A binary node of the prepared trees. Nodes are in preorder, so the yes child comes next. A
// multiway node of the ensemble becomes a chain of nodes, one per value.
struct Node {
  std::int32_t feature;  // at a leaf: ~(its number among the leaves of all trees)
  std::int32_t size;     // nodes of the subtree, this one included
  // Numeric: how many tests of the feature have a smaller threshold than this node, and how many
  // have one that is not larger. Nominal: n_smaller is the index into the nominal nodes.
  std::int32_t n_smaller;
  std::int32_t n_not_larger;
  double share;  // of the yes child, never exactly 0 or 1

  bool is_leaf() const { return feature < 0; }
  std::int32_t leaf() const { return ~feature; }
  double rank() const { return n_smaller + n_not_larger; }
};

struct ForestView {
  std::span<const Node> nodes;
  std::span<const std::int32_t> root;  // per tree, and one more

  std::size_t n_trees() const { return root.size() - 1; }
  std::int32_t no_child(std::int32_t v) const { return v + 1 + nodes[v + 1].size; }
};

struct Forest {
  std::vector<Node> nodes;
  std::vector<std::int32_t> root;

  Forest() = default;
  explicit Forest(ForestView view) : nodes(view.nodes.begin(), view.nodes.end()), root(view.root.begin(), view.root.end()) {}

  ForestView view() const { return {nodes, root}; }
  std::int32_t no_child(std::int32_t v) const { return v + 1 + nodes[v + 1].size; }
};

class PreparedEnsemble {
 public:
  // Uses at most `max_thresholds` tests per numeric feature, spread evenly over those of the
  // ensemble, or all of them if it is 0.
  PreparedEnsemble(model::EnsemblePtr ensemble, model::Decision decision, std::size_t max_thresholds);

  const Tests& tests() const { return tests_; }
  const Forest& forest() const { return forest_; }
  const model::Ensemble& ensemble() const { return *ensemble_; }
  const model::Decision& decision() const { return decision_; }
  std::size_t n_scores() const { return ensemble_->n_scores(); }
  std::size_t n_classes() const { return decision_.n_classes(n_scores()); }
  // How many scores each tree adds to: all of them, or one.
  std::size_t n_added() const { return n_added_; }
  std::size_t first_score(std::size_t tree) const { return n_added_ == 1 ? score_of_tree_[tree] : 0; }
  // The scores that a leaf adds, after the division of the decision rule.
  const double* leaf(std::int32_t leaf) const { return leaf_scores_.data() + leaf * n_added_; }
  model::NodeId source_leaf(std::int32_t leaf) const { return leaf_source_[leaf]; }
  std::span<const double> base() const { return base_; }

  struct NominalNode {
    std::size_t first_word;    // of the categories of the yes child
    std::int32_t test;         // of the node, or of the chain it belongs to
    std::int32_t yes_outcome;  // of that test
  };
  const NominalNode& nominal(const Node& node) const { return nominal_[node.n_smaller]; }
  proof::CategoryBits yes_categories(const Node& node) const {
    return tests_.categories_at(nominal(node).first_word, node.feature);
  }

  Context everything() const;
  // Narrows a context by one outcome of a test.
  void narrow(Context& context, std::int32_t test, std::int32_t outcome) const;
  // Whether a test is still open, that is, several of its outcomes are possible.
  bool is_open(const Context& context, std::int32_t test) const;

 private:
  friend class Preparation;

  model::EnsemblePtr ensemble_;
  model::Decision decision_;
  Tests tests_;
  Forest forest_;
  std::vector<NominalNode> nominal_;
  std::size_t n_added_ = 0;
  std::vector<std::int32_t> score_of_tree_;
  std::vector<double> leaf_scores_;
  std::vector<model::NodeId> leaf_source_;
  std::vector<double> base_;
};

}  // namespace sightline::distill::ism
