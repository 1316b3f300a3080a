#include "sightline/proof/smallest/plan_writer.hpp"

#include <algorithm>

namespace sightline::proof::smallest {

// A leaf for rows that do not exist.
PlanWriter::Id PlanWriter::some_leaf(Diagram::Id function) {
  while (!diagram_.is_terminal(function)) {
    const auto runs = diagram_.runs(function);
    function = std::find_if(runs.begin(), runs.end(), [](const Diagram::Run& run) { return run.child != Diagram::kDead; })->child;
  }
  return nodes_.leaf(function);
}

// Depth first, with the states that wait on a stack. `closed` writes states without a test.
template <class States, class Closed>
PlanWriter::Id PlanWriter::plan(States& states, PlanSearch<States>& search, std::unordered_map<std::int32_t, Id>& written,
                                std::int32_t root, Closed closed) {
  std::vector<std::int32_t> waiting{root}, next;
  std::vector<Id> children;
  while (!waiting.empty()) {
    const std::int32_t state = waiting.back();
    if (written.contains(state)) {
      waiting.pop_back();
      continue;
    }
    if (states.is_closed(state)) {
      written.emplace(state, closed(state));
      continue;
    }
    const std::int32_t test = search.test(state);
    next.clear();
    states.append_outcomes(state, test, next);
    const std::size_t n_waiting = waiting.size();
    for (const std::int32_t one : next) {
      if (!states.is_dead(one) && !written.contains(one)) waiting.push_back(one);
    }
    if (waiting.size() > n_waiting) continue;
    const auto live = std::find_if(next.begin(), next.end(), [&](std::int32_t one) { return !states.is_dead(one); });
    children.clear();
    for (const std::int32_t one : next) {
      children.push_back(states.is_dead(one) ? some_leaf(states.function(*live)) : written.at(one));
    }
    written.emplace(state, nodes_.node(diagram_.atoms().tests()[test].form, children));
  }
  return written.at(root);
}

PlanWriter::Id PlanWriter::leaf_plan(Diagram::Id function) {
  return plan(leaf_states_, leaves_, by_leaves_, function, [&](Diagram::Id closed) { return nodes_.leaf(closed); });
}

PlanWriter::Id PlanWriter::row_plan(RowStates& states, PlanSearch<RowStates>& search, RowStates::State state) {
  return plan(states, search, by_rows_, state, [&](RowStates::State closed) { return leaf_plan(states.function(closed)); });
}

PlanWriter::Id PlanWriter::diagram(Diagram::Id root) {
  std::vector<Diagram::Id> waiting{root};
  while (!waiting.empty()) {
    const Diagram::Id function = waiting.back();
    if (by_levels_.contains(function)) {
      waiting.pop_back();
      continue;
    }
    const std::size_t n_waiting = waiting.size();
    for (const Diagram::Run& run : diagram_.runs(function)) {
      if (run.child != Diagram::kDead && !by_levels_.contains(run.child)) waiting.push_back(run.child);
    }
    if (waiting.size() > n_waiting) continue;
    by_levels_.emplace(function, diagram_.is_terminal(function) ? nodes_.leaf(function) : level_node(function));
  }
  return by_levels_.at(root);
}

// From the last run down, so that each test checks whether the value is in the first remaining run.
PlanWriter::Id PlanWriter::level_node(Diagram::Id function) {
  const Level& level = diagram_.atoms().level(diagram_.level(function));
  const auto runs = diagram_.runs(function);
  if (!level.ordered) {
    // What no row has goes with some other category.
    const auto live = std::find_if(runs.begin(), runs.end(), [](const Diagram::Run& run) { return run.child != Diagram::kDead; });
    std::vector<Id> by_atom;
    for (std::int32_t atom = 0; atom < level.n_atoms(); ++atom) {
      const Diagram::Id child = diagram_.child(function, atom);
      by_atom.push_back(by_levels_.at(child == Diagram::kDead ? live->child : child));
    }
    return category_node(level, by_atom);
  }
  Id result = by_levels_.at(runs.back().child);
  for (std::size_t i = runs.size() - 1; i-- > 0;) {
    const bool whether_known = level.missing_apart && runs[i].last == level.n_known - 1;
    const std::int32_t step = level.missing_apart ? 2 : 1;
    const std::int32_t test = whether_known ? level.end_test - 1 : level.first_test + step * runs[i].last;
    const Id both[] = {by_levels_.at(runs[i].child), result};
    result = nodes_.node(diagram_.atoms().tests()[test].form, both);
  }
  return result;
}

// One test separates two groups of categories; more groups need one branch per category.
PlanWriter::Id PlanWriter::category_node(const Level& level, const std::vector<Id>& by_atom) {
  TestForm form{model::Test::kMultiway, level.feature, 0, {}, 0, false};
  std::vector<Id> children;
  for (const std::int32_t atom : level.atom_of) children.push_back(by_atom[atom]);
  const Id first = children[0];
  const auto other = std::find_if(children.begin(), children.end(), [&](Id id) { return id != first; });
  const bool two = std::all_of(children.begin(), children.end(), [&](Id id) { return id == first || id == *other; });
  Id known = first;
  const Id missing = level.missing_apart ? by_atom.back() : level.missing_in >= 0 ? by_atom[level.missing_in] : first;
  const auto same = std::find(children.begin(), children.end(), missing);
  if (other != children.end() && two) {
    form.test = model::Test::kSubset;
    for (std::size_t v = 0; v < children.size(); ++v) {
      if (children[v] == first) form.categories.push_back(static_cast<std::int32_t>(v));
    }
    form.missing_to = missing == *other ? 1 : 0;
    const Id both[] = {first, *other};
    known = nodes_.node(form, both);
  } else if (other != children.end()) {
    form.missing_to = same == children.end() ? 0 : static_cast<std::int32_t>(same - children.begin());
    known = nodes_.node(form, children);
  }
  if (same != children.end()) return known;
  const Id both[] = {known, missing};
  return nodes_.node(TestForm::whether_known(level.feature), both);
}

}  // namespace sightline::proof::smallest
