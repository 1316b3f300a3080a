// Atoms: sets of values of a feature that no test of an ensemble separates.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "sightline/model/ensemble.hpp"
#include "sightline/proof/boxed_model.hpp"
#include "sightline/proof/joined_nodes.hpp"

namespace sightline::proof::smallest {

// A test as it divides the atoms of its feature.
struct AtomTest {
  std::int32_t level = 0;
  std::int32_t n_outcomes = 2;
  std::vector<std::int32_t> outcome{};  // per atom
  // Outcome 0 is atoms 0 to `prefix`; -1 where it is not of this form.
  std::int32_t prefix = -1;
  // Per outcome of a test with more than two: the test that separates this outcome from the others.
  std::vector<std::int32_t> one_outcome{};
  TestForm form{};
};

// A test and one of its outcomes.
struct Step {
  std::int32_t test;
  std::int32_t outcome;
};

// The atoms of one feature. Ordered: the intervals between thresholds, ascending. Otherwise groups of
// categories. Missing values have an atom of their own, the last, unless every test treats them like one
// of the other atoms.
struct Level {
  std::int32_t feature = -1;
  bool ordered = true;
  std::int32_t n_known = 1;           // atoms of known values
  bool missing_apart = false;         // whether another atom follows, that of missing values
  std::int32_t missing_in = -1;       // otherwise the atom that they share; -1: no row without the value is covered
  std::vector<double> value;          // per atom: one value of it; NaN where missing
  std::vector<double> thresholds;     // ordered: atom i ends with the i-th
  std::vector<std::int32_t> atom_of;  // else: per category
  std::int32_t first_unit = 0, n_units = 0;
  std::int32_t first_test = 0, end_test = 0;

  std::int32_t n_atoms() const { return n_known + (missing_apart ? 1 : 0); }
  std::int32_t atom(double value) const;
};

// All features that an ensemble tests, in an order, and the tests that a tree may ask: the ensemble's own with
// missing values on either side, whether a value is known, and one category of a multiway test against the
// others. A unit is what makes a function depend on a feature: a boundary between neighboring atoms of an
// ordered feature, or any other feature as a whole.
class Atoms {
 public:
  Atoms(const model::Ensemble& ensemble, const std::vector<bool>& may_be_missing, const std::vector<std::int32_t>& order);

  // The features that are tested, those first that many trees test near their roots.
  static std::vector<std::int32_t> usual_order(const model::Ensemble& ensemble);
  // A lower bound on n_units(): the different thresholds. Atoms take quadratic memory in those of a feature, so this
  // is what to ask before they are made.
  static std::size_t least_units(const model::Ensemble& ensemble);

  std::size_t n_levels() const { return levels_.size(); }
  const Level& level(std::size_t index) const { return levels_[index]; }
  const std::vector<Level>& levels() const { return levels_; }
  std::int32_t level_of(std::int32_t feature) const { return level_of_[feature]; }
  std::int32_t n_units() const { return n_units_; }
  const std::vector<AtomTest>& tests() const { return tests_; }
  // The test that divides the atoms of a box as a question does.
  std::int32_t test_of(const Question& question, const Box& box) const;
  // The same test, or that with its outcomes the other way round which trees ask.
  std::int32_t asked_for(std::int32_t test) const;
  // The branch of a node that an atom takes, or -1 where missing values are spread over several.
  static std::int32_t branch(const model::DecisionNodes& nodes, model::NodeId node, double value);

 private:
  struct NodeOf {
    std::int32_t tree;
    model::NodeId node;
  };

  void add_ordered(std::int32_t feature, const std::vector<NodeOf>& asking);
  void add_categories(std::int32_t feature, const std::vector<NodeOf>& asking);
  void add_known_test(std::int32_t index);
  void add_subset_tests(std::int32_t index, const TestForm& form, const std::vector<std::int32_t>& by_category);
  void add_multiway_tests(std::int32_t index, const TestForm& form, const std::set<std::int32_t>& branches_of_missing);
  void join_missing(Level& level, const std::vector<NodeOf>& asking) const;
  std::int32_t usual_branch(const TestForm& form) const;
  std::int32_t missing_branch_of(const Level& level, const AtomTest& test) const;
  std::int32_t add(AtomTest test);
  const model::Tree& tree(const NodeOf& at) const { return *ensemble_.parts().trees[at.tree]; }

  const model::Ensemble& ensemble_;
  const std::vector<bool>& may_be_missing_;
  std::vector<Level> levels_;
  std::vector<std::int32_t> level_of_;  // per feature
  std::vector<AtomTest> tests_;
  std::map<std::pair<std::int32_t, std::vector<std::int32_t>>, std::int32_t> numbers_;  // by level and outcomes
  std::vector<std::int32_t> missing_test_;                                              // per level
  std::vector<std::int32_t> known_test_;                                                // per level
  std::vector<std::size_t> first_node_;                                                 // per tree
  std::vector<std::int32_t> node_test_;
  std::map<TestForm, std::vector<double>> shares_;  // of missing values, added up over equal tests
  std::int32_t n_units_ = 0;
};

}  // namespace sightline::proof::smallest
