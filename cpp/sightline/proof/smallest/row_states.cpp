#include "sightline/proof/smallest/row_states.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sightline::proof::smallest {
namespace {

std::uint64_t pair_of(std::int32_t a, std::int32_t b) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(a)) << 32 | static_cast<std::uint32_t>(b);
}

}  // namespace

RowStates::RowStates(Diagram& diagram, PlanSearch<LeafStates>& leaves, const table::Columns& rows)
    : diagram_(diagram), leaves_(leaves), n_levels_(diagram.atoms().n_levels()) {
  std::map<std::vector<std::int32_t>, std::int32_t> numbers;
  std::vector<double> row(rows.size());
  std::vector<std::int32_t> atoms(n_levels_);
  for (std::size_t i = 0; i < rows.n_rows(); ++i) {
    rows.gather(i, i + 1, row.data());
    for (std::size_t l = 0; l < n_levels_; ++l) {
      const Level& level = diagram.atoms().level(l);
      atoms[l] = level.atom(row[level.feature]);
    }
    if (std::find(atoms.begin(), atoms.end(), -1) != atoms.end()) continue;
    const auto [found, is_new] = numbers.emplace(atoms, static_cast<std::int32_t>(numbers.size()));
    if (is_new) {
      atoms_.insert(atoms_.end(), atoms.begin(), atoms.end());
      weight_.push_back(0);
    }
    weight_[found->second] += 1;
  }
  std::vector<std::int32_t> all(weight_.size());
  std::iota(all.begin(), all.end(), 0);
  set_of(std::move(all));
}

std::int32_t RowStates::set_of(std::vector<std::int32_t> members) {
  const auto [found, is_new] = set_numbers_.emplace(std::move(members), static_cast<std::int32_t>(sets_.size()));
  if (is_new) {
    double weight = 0;
    for (const std::int32_t row : found->first) weight += weight_[row];
    sets_.push_back({found->first, weight});
    bytes_ += 2 * sizeof(std::int32_t) * found->first.size() + 128;
  }
  return found->second;
}

std::int32_t RowStates::part(std::int32_t rows, std::int32_t test, std::int32_t outcome) {
  std::vector<std::int32_t>& known = parts_[pair_of(rows, test)];
  if (known.empty()) {
    const AtomTest& asked = diagram_.atoms().tests()[test];
    std::vector<std::vector<std::int32_t>> members(asked.n_outcomes);
    for (const std::int32_t row : sets_[rows].members) {
      members[asked.outcome[atoms_[static_cast<std::size_t>(row) * n_levels_ + asked.level]]].push_back(row);
    }
    for (std::vector<std::int32_t>& some : members) known.push_back(set_of(std::move(some)));
    bytes_ += 64 + sizeof(std::int32_t) * members.size();
  }
  return known[outcome];
}

RowStates::State RowStates::state_of(Diagram::Id function, std::int32_t rows) {
  if (function == Diagram::kDead) return kDead;
  const auto [found, is_new] = numbers_.emplace(pair_of(function, rows), static_cast<State>(states_.size()));
  if (is_new) {
    states_.push_back({function, rows});
    bytes_ += 96;
  }
  return found->second;
}

RowStates::State RowStates::state(Diagram::Id function, std::span<const Step> steps) {
  std::int32_t rows = 0;
  for (const Step& step : steps) rows = part(rows, step.test, step.outcome);
  return state_of(function, rows);
}

double RowStates::guess(State s) const {
  if (is_dead(s) || diagram_.is_terminal(function(s))) return kCostOfLeaf;
  return weight(s) * std::max(1.0, std::log2(diagram_.paths(function(s))) / 2) + kCostOfLeaf * diagram_.guess(function(s));
}

void RowStates::append_outcomes(State s, std::int32_t test, std::vector<State>& states) {
  next_.clear();
  LeafStates(diagram_).append_outcomes(function(s), test, next_);
  const std::int32_t rows = states_[s].rows;
  for (std::size_t i = 0; i < next_.size(); ++i) {
    states.push_back(state_of(next_[i], part(rows, test, static_cast<std::int32_t>(i))));
  }
}

}  // namespace sightline::proof::smallest
