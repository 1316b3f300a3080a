#include "sightline/proof/smallest/atoms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace sightline::proof::smallest {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// A test apart from where missing values go.
TestForm known_form(const model::DecisionNodes& nodes, model::NodeId node) {
  TestForm form = TestForm::of(nodes, node);
  form.missing_to = -1;
  return form;
}

// Some number above a threshold.
double above(double threshold) {
  const double next = std::nextafter(threshold, std::numeric_limits<double>::infinity());
  return std::max(next, std::min(std::ceil(threshold) + 1, std::numeric_limits<double>::max()));
}

// No number lies above the largest double, none at or below minus infinity.
bool cuts_numbers(double threshold) { return std::isfinite(threshold) && threshold < std::numeric_limits<double>::max(); }

bool divides(const std::vector<std::int32_t>& outcome) {
  return std::any_of(outcome.begin(), outcome.end(), [&](std::int32_t o) { return o != outcome[0]; });
}

}  // namespace

std::int32_t Level::atom(double x) const {
  if (std::isnan(x)) return missing_apart ? n_known : missing_in;
  if (!ordered) return atom_of[static_cast<std::size_t>(x)];
  return static_cast<std::int32_t>(std::lower_bound(thresholds.begin(), thresholds.end(), x) - thresholds.begin());
}

std::vector<std::int32_t> Atoms::usual_order(const model::Ensemble& ensemble) {
  std::vector<double> score(ensemble.n_features(), 0.0);
  for (const model::TreePtr& tree : ensemble.parts().trees) {
    for (model::NodeId v = 0; v < static_cast<model::NodeId>(tree->n_nodes()); ++v) {
      if (!tree->is_leaf(v)) score[tree->feature(v)] += std::ldexp(1.0, -tree->levels()[v]);
    }
  }
  std::vector<std::int32_t> order;
  for (std::size_t f = 0; f < score.size(); ++f) {
    if (score[f] > 0) order.push_back(static_cast<std::int32_t>(f));
  }
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return score[a] > score[b]; });
  return order;
}

std::size_t Atoms::least_units(const model::Ensemble& ensemble) {
  std::vector<std::pair<std::int32_t, double>> cuts;
  for (const model::TreePtr& tree : ensemble.parts().trees) {
    for (model::NodeId v = 0; v < static_cast<model::NodeId>(tree->n_nodes()); ++v) {
      if (tree->is_leaf(v) || ensemble.n_values()[tree->feature(v)] > 0) continue;
      if (cuts_numbers(tree->threshold(v))) cuts.emplace_back(tree->feature(v), tree->threshold(v) + 0.0);
    }
  }
  std::sort(cuts.begin(), cuts.end());
  return static_cast<std::size_t>(std::unique(cuts.begin(), cuts.end()) - cuts.begin());
}

Atoms::Atoms(const model::Ensemble& ensemble, const std::vector<bool>& may_be_missing, const std::vector<std::int32_t>& order)
    : ensemble_(ensemble), may_be_missing_(may_be_missing), level_of_(ensemble.n_features(), -1) {
  std::vector<std::vector<NodeOf>> asking(ensemble.n_features());
  std::size_t n_nodes = 0;
  for (std::int32_t t = 0; t < static_cast<std::int32_t>(ensemble.n_trees()); ++t) {
    const model::Tree& one = *ensemble.parts().trees[t];
    first_node_.push_back(n_nodes);
    n_nodes += one.n_nodes();
    for (model::NodeId v = 0; v < static_cast<model::NodeId>(one.n_nodes()); ++v) {
      if (one.is_leaf(v)) continue;
      asking[one.feature(v)].push_back({t, v});
      std::vector<double>& shares = shares_[known_form(one, v)];
      shares.resize(one.children(v).size(), 0.0);
      for (std::size_t b = 0; b < shares.size(); ++b) shares[b] += one.shares(v)[b];
    }
  }
  node_test_.assign(n_nodes, -1);
  for (const std::int32_t feature : order) {
    level_of_[feature] = static_cast<std::int32_t>(levels_.size());
    if (ensemble.n_values()[feature] == 0) {
      add_ordered(feature, asking[feature]);
    } else {
      add_categories(feature, asking[feature]);
    }
    const Level& level = levels_.back();
    for (const NodeOf& at : asking[feature]) {
      std::vector<std::int32_t> outcome;
      // Where missing values are spread, whether the value is known is asked before: then they do not come here.
      for (const double value : level.value) outcome.push_back(std::max(branch(tree(at), at.node, value), 0));
      // Few nodes divide atoms as no other test does: those that send all known values to the second branch.
      AtomTest test{.level = level_of_[feature], .outcome = std::move(outcome), .form = TestForm::of(tree(at), at.node)};
      node_test_[first_node_[at.tree] + at.node] = add(std::move(test));
    }
  }
}

std::int32_t Atoms::branch(const model::DecisionNodes& nodes, model::NodeId node, double value) {
  return std::isnan(value) ? nodes.missing_branch(node) : static_cast<std::int32_t>(nodes.branch(node, value));
}

// Atoms that are gone repeat their neighbors, so a test must not put them elsewhere. Where no value is missing, missing
// values go with the second side, the last of the known ones. If a threshold only separates missing values from known
// ones, the test checks for missing values.
std::int32_t Atoms::test_of(const Question& question, const Box& box) const {
  const Level& level = levels_[level_of_[question.feature()]];
  if (question.about_missing) return known_test_[level_of_[question.feature()]];
  if (!level.ordered || !level.missing_apart) return node_test_[first_node_[question.tree] + question.node];
  if (!box.may_be_missing(level.feature)) {
    return level.first_test + 2 * level.atom(question.nodes->threshold(question.node) + 0.0);
  }
  const bool first = box.known_branch_possible(*question.nodes, question.node, 0);
  const bool second = box.known_branch_possible(*question.nodes, question.node, 1);
  if (first && second) return node_test_[first_node_[question.tree] + question.node];
  return first ? known_test_[level_of_[level.feature]] : missing_test_[level_of_[level.feature]];
}

std::int32_t Atoms::asked_for(std::int32_t test) const {
  const std::int32_t level = tests_[test].level;
  return test == missing_test_[level] ? known_test_[level] : test;
}

// Missing values join the atom that takes the same branch as they do at every node.
void Atoms::join_missing(Level& level, const std::vector<NodeOf>& asking) const {
  if (!may_be_missing_[level.feature]) return;
  for (std::int32_t atom = 0; atom < level.n_known; ++atom) {
    const bool same = std::all_of(asking.begin(), asking.end(), [&](const NodeOf& at) {
      return branch(tree(at), at.node, level.value[atom]) == tree(at).missing_branch(at.node);
    });
    if (!same) continue;
    level.missing_in = atom;
    return;
  }
  level.missing_apart = true;
  level.value.push_back(kMissing);
}

std::int32_t Atoms::usual_branch(const TestForm& form) const {
  const auto found = shares_.find(form);
  if (found == shares_.end()) return 1;
  return static_cast<std::int32_t>(std::max_element(found->second.begin(), found->second.end()) - found->second.begin());
}

// Where rows without the value go: with their atom, or the usual way if no such row is covered.
std::int32_t Atoms::missing_branch_of(const Level& level, const AtomTest& test) const {
  if (level.missing_apart) return test.outcome.back();
  if (level.missing_in >= 0) return test.outcome[level.missing_in];
  TestForm form = test.form;
  form.missing_to = -1;
  return usual_branch(form);
}

// The number of a test; equal ones have one. A test that divides nothing has none.
std::int32_t Atoms::add(AtomTest test) {
  if (!divides(test.outcome)) return -1;
  const auto [found, is_new] = numbers_.emplace(std::pair(test.level, test.outcome), static_cast<std::int32_t>(tests_.size()));
  if (!is_new) return found->second;
  if (!test.form.asks_whether_known) test.form.missing_to = missing_branch_of(levels_[test.level], test);
  tests_.push_back(std::move(test));
  return found->second;
}

void Atoms::add_known_test(std::int32_t index) {
  Level& level = levels_[index];
  known_test_.push_back(-1);
  missing_test_.push_back(-1);
  level.end_test = static_cast<std::int32_t>(tests_.size());
  if (!level.missing_apart) return;
  AtomTest known{.level = index, .outcome = std::vector<std::int32_t>(level.n_atoms(), 0)};
  known.outcome.back() = 1;
  if (level.ordered) known.prefix = level.n_known - 1;
  known.form = TestForm::whether_known(level.feature);
  known_test_.back() = add(std::move(known));
  level.end_test = static_cast<std::int32_t>(tests_.size());
  if (!level.ordered) return;
  // The other way round, as boxes see some thresholds. It is not written: see asked_for.
  AtomTest missing{.level = index, .outcome = std::vector<std::int32_t>(level.n_atoms(), 1)};
  missing.outcome.back() = 0;
  missing.form = TestForm::whether_known(level.feature);
  missing_test_.back() = add(std::move(missing));
}

void Atoms::add_ordered(std::int32_t feature, const std::vector<NodeOf>& asking) {
  const auto index = static_cast<std::int32_t>(levels_.size());
  Level made;
  made.feature = feature;
  for (const NodeOf& at : asking) {
    const double threshold = tree(at).threshold(at.node) + 0.0;
    if (cuts_numbers(threshold)) made.thresholds.push_back(threshold);
  }
  std::sort(made.thresholds.begin(), made.thresholds.end());
  made.thresholds.erase(std::unique(made.thresholds.begin(), made.thresholds.end()), made.thresholds.end());
  made.n_known = static_cast<std::int32_t>(made.thresholds.size()) + 1;
  made.value = made.thresholds;
  made.value.push_back(made.thresholds.empty() ? 0.0 : above(made.thresholds.back()));
  join_missing(made, asking);
  made.first_unit = n_units_;
  made.n_units = made.n_atoms() - 1;
  n_units_ += made.n_units;
  made.first_test = static_cast<std::int32_t>(tests_.size());
  levels_.push_back(std::move(made));
  const Level& level = levels_.back();
  for (std::int32_t cut = 0; cut + 1 < level.n_known; ++cut) {
    AtomTest test{.level = index, .prefix = cut};
    test.form = {model::Test::kThreshold, feature, level.thresholds[cut], {}, -1, false};
    for (std::int32_t atom = 0; atom < level.n_atoms(); ++atom) test.outcome.push_back(atom > cut);
    AtomTest missing_first = test;
    add(std::move(test));
    if (!level.missing_apart) continue;
    missing_first.prefix = -1;
    missing_first.outcome.back() = 0;
    add(std::move(missing_first));
  }
  add_known_test(index);
}

void Atoms::add_categories(std::int32_t feature, const std::vector<NodeOf>& asking) {
  const auto index = static_cast<std::int32_t>(levels_.size());
  const std::int32_t n_values = ensemble_.n_values()[feature];
  std::map<TestForm, std::vector<std::int32_t>> forms;  // the branch of each category
  std::set<std::int32_t> missing_to{0};                 // of multiway tests
  for (const NodeOf& at : asking) {
    missing_to.insert(std::max(tree(at).missing_branch(at.node), 0));
    std::vector<std::int32_t>& by_category = forms[known_form(tree(at), at.node)];
    if (!by_category.empty()) continue;
    for (std::int32_t v = 0; v < n_values; ++v) by_category.push_back(branch(tree(at), at.node, v));
  }
  Level made;
  made.feature = feature;
  made.ordered = false;
  std::map<std::vector<std::int32_t>, std::int32_t> groups;
  for (std::int32_t v = 0; v < n_values; ++v) {
    std::vector<std::int32_t> branches;
    for (const auto& [form, by_category] : forms) branches.push_back(by_category[v]);
    const auto [found, is_new] = groups.emplace(std::move(branches), static_cast<std::int32_t>(groups.size()));
    if (is_new) made.value.push_back(v);
    made.atom_of.push_back(found->second);
  }
  made.n_known = static_cast<std::int32_t>(made.value.size());
  join_missing(made, asking);
  made.first_unit = n_units_;
  made.n_units = made.n_atoms() > 1 ? 1 : 0;
  n_units_ += made.n_units;
  made.first_test = static_cast<std::int32_t>(tests_.size());
  levels_.push_back(std::move(made));
  for (const auto& [form, by_category] : forms) {
    if (form.test == model::Test::kMultiway) {
      add_multiway_tests(index, form, missing_to);
    } else {
      add_subset_tests(index, form, by_category);
    }
  }
  add_known_test(index);
}

void Atoms::add_subset_tests(std::int32_t index, const TestForm& form, const std::vector<std::int32_t>& by_category) {
  const Level& level = levels_[index];
  for (std::int32_t missing_to = 0; missing_to < (level.missing_apart ? 2 : 1); ++missing_to) {
    AtomTest test{.level = index, .form = form};
    for (std::int32_t atom = 0; atom < level.n_known; ++atom) {
      test.outcome.push_back(by_category[static_cast<std::size_t>(level.value[atom])]);
    }
    // If all known values take one side, the test checks whether the value is known.
    if (!divides(test.outcome)) return;
    if (level.missing_apart) test.outcome.push_back(missing_to);
    add(std::move(test));
  }
}

// One branch per category, each of which has an atom of its own.
void Atoms::add_multiway_tests(std::int32_t index, const TestForm& form, const std::set<std::int32_t>& branches_of_missing) {
  const Level& level = levels_[index];
  if (level.n_known < 2) return;
  std::vector<std::int32_t> identity(level.n_known);
  std::iota(identity.begin(), identity.end(), 0);
  const auto one_value = [&](std::int32_t value, bool missing_too) {
    AtomTest test{.level = index};
    test.form = {model::Test::kSubset, level.feature, 0, {value}, -1, false};
    for (std::int32_t atom = 0; atom < level.n_known; ++atom) test.outcome.push_back(atom == value ? 0 : 1);
    if (level.missing_apart) test.outcome.push_back(missing_too ? 0 : 1);
    return add(std::move(test));
  };
  for (std::int32_t v = 0; v < level.n_known; ++v) {
    one_value(v, false);
    if (level.missing_apart) one_value(v, true);
  }
  for (const std::int32_t missing_to : branches_of_missing) {
    AtomTest test{.level = index, .n_outcomes = level.n_known, .outcome = identity, .form = form};
    if (level.missing_apart) test.outcome.push_back(missing_to);
    for (std::int32_t v = 0; v < level.n_known; ++v) test.one_outcome.push_back(one_value(v, v == missing_to));
    if (level.n_known > 2) add(std::move(test));
  }
}

}  // namespace sightline::proof::smallest
