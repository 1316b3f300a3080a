#include "sightline/proof/smallest/label_diagram.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>

namespace sightline::proof::smallest {
namespace {

// Sums of multiples of the unit whose magnitudes stay below the largest, in units, are exact in doubles, and
// so far apart that no division makes different ones equal.
constexpr double kExactUnit = 0x1p-32;
constexpr double kLargestExact = 0x1p46;

bool is_multiple(double value) { return std::isfinite(value) && value / kExactUnit == std::nearbyint(value / kExactUnit); }

std::uint64_t hash_of(std::span<const std::int32_t> key) {
  std::uint64_t hash = key.size();
  for (const std::int32_t value : key) {
    hash = (hash ^ static_cast<std::uint32_t>(value)) * 0x9e3779b97f4a7c15ull;
    hash ^= hash >> 29;
  }
  return hash;
}

bool box_has(const Box& box, std::int32_t feature, double value) {
  if (std::isnan(value)) return box.may_be_missing(feature);
  if (box.n_values(feature) > 0) return box.allowed(feature).contains(static_cast<std::size_t>(value));
  return box.interval(feature).contains(value);
}

}  // namespace

LabelDiagram::LabelDiagram(BoxedEnsemble& model, const Atoms& atoms, std::size_t n_labels, runtime::StopPoll& poll)
    : model_(model),
      atoms_(atoms),
      trees_(model, atoms, poll),
      diagram_(atoms),
      poll_(poll),
      is_exact_(sums_are_exact()),
      slack_(is_exact_ ? 0 : 2 * model.slack().slack),
      base_(model.base_values()),
      sums_(trees_.width()),
      total_(model.n_axes()),
      slots_(1024, -1) {
  for (std::size_t k = 0; k < n_labels; ++k) diagram_.add_terminal();
}

bool LabelDiagram::sums_are_exact() const {
  const model::EnsembleParts& parts = model_.ensemble().parts();
  const model::LabelRule& rule = model_.rule();
  const auto& single = parts.single_precision;
  if (trees_.any_spreads() || rule.formula || rule.ties != model::Ties::kScores ||
      std::find(single.begin(), single.end(), 1) != single.end())
    return false;
  double magnitude = 0;
  for (const double value : parts.base) {
    if (!is_multiple(value)) return false;
    magnitude += std::abs(value);
  }
  for (std::size_t t = 0; t < parts.trees.size(); ++t) {
    double largest = 0;
    const auto add = [&](double value) {
      largest = std::max(largest, std::abs(value));
      return is_multiple(value);
    };
    if (parts.combine == model::Combine::kVote) {
      if (!add(parts.tree_weight[t]) || !add(parts.vote_against[t])) return false;
    } else {
      const model::Tree& tree = *parts.trees[t];
      for (model::NodeId v = 0; v < static_cast<model::NodeId>(tree.n_nodes()); ++v) {
        if (!tree.is_leaf(v)) continue;
        for (const double value : tree.output(v).in_full()) {
          if (!add(parts.tree_weight[t] * value)) return false;
        }
      }
    }
    magnitude += largest;
  }
  for (const double divisor : rule.divide_by) {
    if (!(divisor > 0 && divisor < 1 / kExactUnit && divisor > kExactUnit)) return false;
  }
  return magnitude / kExactUnit < kLargestExact;
}

std::size_t LabelDiagram::memory() const {
  return diagram_.memory() + trees_.memory() + keys_.capacity() * sizeof(std::int32_t) + known_.capacity() * sizeof(Known) +
         slots_.capacity() * sizeof(std::int32_t);
}

std::optional<Diagram::Id> LabelDiagram::build(const Box& box, std::span<const Step> steps, const BuildLimits& limits) {
  if (base_.empty()) return 0;  // there is one class
  const auto begin = std::chrono::steady_clock::now();
  const auto roots = trees_.convert(steps, limits);
  if (!roots) return std::nullopt;
  const double taken = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  row_ = box.witness();
  is_live_.assign(atoms_.n_levels(), {});
  for (std::size_t i = 0; i < atoms_.n_levels(); ++i) {
    const Level& level = atoms_.level(i);
    for (const double value : level.value) is_live_[i].push_back(box_has(box, level.feature, value));
  }
  budget_.emplace(limits.max_states, limits.max_seconds - taken, poll_);
  max_bytes_ = limits.max_bytes;
  const Id result = labeled(*roots);
  return budget_->exhausted() ? std::nullopt : std::optional(result);
}

bool LabelDiagram::leads(std::size_t winner, std::size_t other, double margin) const {
  if (!is_exact_) return margin > slack_;
  return other < winner ? margin > 0 : margin >= 0;
}

std::int32_t LabelDiagram::pair_verdict() {
  const std::size_t n = base_.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t other = 0;
    while (other < n && (other == k || leads(k, other, base_[k] - base_[other] + sums_[k * n + other]))) ++other;
    if (other == n) return static_cast<std::int32_t>(k);
  }
  return -1;
}

// The label of all rows of a state by bounds, or -1.
std::int32_t LabelDiagram::verdict(std::span<const Id> state) {
  if (!model_.slack().has_bounds) return -1;
  std::fill(sums_.begin(), sums_.end(), 0.0);
  const std::size_t width = trees_.width();
  for (const Id id : state) {
    const double* bounds = trees_.bounds(id);
    for (std::size_t a = 0; a < width; ++a) sums_[a] += bounds[a];
  }
  if (trees_.has_pairs()) return pair_verdict();
  const std::size_t n = base_.size();
  for (std::size_t a = 0; a < n; ++a) total_[a] = {base_[a] + sums_[a], base_[a] - sums_[n + a]};
  if (model_.has_formula()) return model_.certain_by_formula(total_);
  const model::LabelRule& rule = model_.rule();
  const double low = total_[0].low - slack_, high = total_[0].high + slack_;
  if (rule.above ? rule.divided(low) > rule.label_above : low > 0) return 1;
  if (rule.above ? rule.divided(high) <= rule.label_above : is_exact_ ? high <= 0 : high < 0) return 0;
  return -1;
}

// What decides the label of a state. If sums are exact: the functions that are left, in any order, and the sum of the
// terminals, up to what all classes have in common. Otherwise the order of the sum matters, so all
// functions in the order of the trees.
void LabelDiagram::make_key(std::span<const Id> state) {
  key_.clear();
  if (!is_exact_) {
    key_.assign(state.begin(), state.end());
    return;
  }
  const std::size_t n = base_.size();
  std::fill(sums_.begin(), sums_.end(), 0.0);
  for (const Id id : state) {
    if (!trees_.diagram().is_terminal(id)) {
      key_.push_back(id);
      continue;
    }
    const auto values = trees_.values(id);
    for (std::size_t a = 0; a < n; ++a) sums_[a] += values[a];
  }
  std::sort(key_.begin(), key_.end());
  const double common = trees_.has_pairs() ? sums_[0] : 0;
  for (std::size_t a = 0; a < n; ++a) {
    const double sum = sums_[a] - common + 0.0;
    std::int32_t halves[2];
    std::memcpy(halves, &sum, sizeof sum);
    key_.insert(key_.end(), {halves[0], halves[1]});
  }
}

std::size_t LabelDiagram::slot_of_key() const {
  const std::uint64_t hash = hash_of(key_);
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (slots_[slot] >= 0) {
    const Known& known = known_[slots_[slot]];
    if (known.hash == hash && known.size == key_.size() &&
        std::equal(key_.begin(), key_.end(), keys_.begin() + static_cast<std::ptrdiff_t>(known.begin))) {
      break;
    }
    slot = (slot + 1) & mask;
  }
  return slot;
}

void LabelDiagram::grow() {
  slots_.assign(2 * slots_.size(), -1);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < known_.size(); ++i) {
    std::size_t slot = known_[i].hash & mask;
    while (slots_[slot] >= 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::int32_t>(i);
  }
}

Diagram::Id LabelDiagram::labeled(std::span<const Id> state) {
  const std::int32_t certain = verdict(state);
  if (certain >= 0) return certain;
  const auto is_terminal = [&](Id id) { return trees_.diagram().is_terminal(id); };
  if (std::all_of(state.begin(), state.end(), is_terminal)) return model_.label(row_.data());
  make_key(state);
  const std::size_t slot = slot_of_key();
  if (slots_[slot] >= 0) return known_[slots_[slot]].result;
  if (!budget_->spend()) return 0;
  if (memory() > max_bytes_) budget_->exhaust();
  const std::vector<std::int32_t> key = key_;
  const Id result = expanded({state.begin(), state.end()});
  if (budget_->exhausted()) return 0;
  key_ = key;
  const std::size_t free = slot_of_key();
  slots_[free] = static_cast<std::int32_t>(known_.size());
  known_.push_back({hash_of(key_), keys_.size(), static_cast<std::uint32_t>(key_.size()), result});
  keys_.insert(keys_.end(), key_.begin(), key_.end());
  if (2 * known_.size() > slots_.size()) grow();
  return result;
}

// Moves the row to an atom of a run that the box has.
void LabelDiagram::place(const Level& level, std::int32_t first, std::int32_t last) {
  const std::vector<char>& live = is_live_[atoms_.level_of(level.feature)];
  const auto found = std::find(live.begin() + first, live.begin() + last + 1, 1);
  if (found <= live.begin() + last) row_[level.feature] = level.value[found - live.begin()];
}

// Recursion goes down by at least one level at a time.
Diagram::Id LabelDiagram::expanded(std::vector<Id> state) {
  const Diagram& trees = trees_.diagram();
  std::int32_t level = std::numeric_limits<std::int32_t>::max();
  for (const Id id : state) level = std::min(level, trees.level(id));
  std::vector<std::int32_t> ends;
  for (const Id id : state) {
    if (trees.level(id) != level) continue;
    for (const Diagram::Run& run : trees.runs(id)) ends.push_back(run.last);
  }
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  const Level& split = atoms_.level(level);
  const double before = row_[split.feature];
  std::vector<Diagram::Run> runs;
  std::vector<Id> below(state.size());
  std::int32_t first = 0;
  for (const std::int32_t end : ends) {
    bool is_dead = false;
    for (std::size_t t = 0; t < state.size(); ++t) {
      below[t] = trees.level(state[t]) == level ? trees.child(state[t], end) : state[t];
      is_dead = is_dead || below[t] == Diagram::kDead;
    }
    place(split, first, end);
    runs.push_back({is_dead ? Diagram::kDead : labeled(below), end});
    if (budget_->exhausted()) break;
    first = end + 1;
  }
  row_[split.feature] = before;
  return budget_->exhausted() ? 0 : diagram_.node(level, runs);
}

}  // namespace sightline::proof::smallest
