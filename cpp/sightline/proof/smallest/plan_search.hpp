// Searches for the cheapest plan: which test to ask in each state.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

namespace sightline::proof::smallest {

// A plan makes a test in every state that is not closed; each outcome leads to another state. It costs what asking
// costs in each state, and what the closed states cost in which it ends. `States` says what that is:
//   State, and index(State), which is dense
//   is_closed(s), closed_cost(s), closed_least(s)     where nothing is asked, and a lower bound
//   asking(s)                  cost of a test
//   least(s)                   lower bound of the cost of any plan
//   guess(s)                   about what a good plan costs
//   for_each_test(s, use)      the tests that may be asked
//   append_outcomes(s, test, states)
//   is_dead(s)                 whether no row comes there
//   certain_gain(test)         by how much less each outcome of a test costs than the state, at least
//   unit()                     cost of the smallest plan
// There is a complete plan at any moment: states not visited yet get the test that the heuristic ranks best.
template <class States>
class PlanSearch {
 public:
  using State = typename States::State;

  // `goes_on` is polled now and then; once it returns false, nothing is improved any more.
  PlanSearch(States& states, std::function<bool()> goes_on) : states_(states), goes_on_(std::move(goes_on)) {}

  double cost(State s);
  double least(State s);
  std::int32_t test(State s) {
    cost(s);
    return known(s).test;
  }
  bool is_known(State s) { return states_.is_closed(s) || known(s).cost > 0; }
  // A test chosen by the caller.
  void propose(State s, std::int32_t test);

  // Improves the plans of some states in rounds, each of which looks at more tests, until all are cheapest or
  // time is up. The last round looks at everything, so that it proves what it ends with.
  void improve(const std::vector<State>& roots);
  bool is_optimal(State s) { return cost(s) <= least(s); }

 private:
  void propose(State s, std::int32_t test, double cost);

  struct Known {
    double cost = 0;  // 0: not visited
    double least = 0;
    std::int32_t test = -1;
    std::int32_t round = -1;  // the last that looked at the state
  };
  struct Candidate {
    double guess;
    double cost;
    std::int32_t test;
  };
  // Of the tests that guesses call best, so many are compared by the cost of known plans, and of these so
  // many are followed.
  struct Round {
    std::size_t compared, followed;
  };
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  static constexpr Round kRounds[] = {{8, 1}, {6, 2}, {8, 2}, {12, 3}, {16, 4}, {99, 6}, {kAll, kAll}};
  static constexpr std::int32_t kFinished = std::numeric_limits<std::int32_t>::max();

  Known& known(State s) {
    const std::size_t i = states_.index(s);
    if (i >= known_.size()) known_.resize(2 * i + 64);
    return known_[i];
  }
  bool goes_on() {
    if (++n_steps_ % 16 == 0 && !goes_on_()) is_over_ = true;
    return !is_over_;
  }
  std::span<const State> split(State s, std::int32_t test);
  double cost_of(State s, std::int32_t test);
  double least_of(State s, std::int32_t test);
  void plan_by_guesses(State s);
  double search(State s, std::int32_t round);
  double follow(State s, const Candidate& candidate, std::int32_t round, double best);
  double collect(State s, double best);
  void climb(const std::vector<State>& roots, std::int32_t round);
  void add_up(const std::vector<State>& roots, std::vector<std::pair<double, State>>& plan);

  States& states_;
  std::function<bool()> goes_on_;
  std::vector<Known> known_;
  std::vector<Candidate> candidates_;  // of the states on the way, one behind the other
  std::vector<State> path_;            // likewise: the states behind their tests
  std::vector<State> next_;            // behind one test
  std::int64_t n_steps_ = 0;
  bool is_over_ = false;
};

// The states behind a test, or nothing where it leaves all to ask on one side.
template <class States>
std::span<const typename PlanSearch<States>::State> PlanSearch<States>::split(State s, std::int32_t test) {
  next_.clear();
  states_.append_outcomes(s, test, next_);
  std::int32_t n_live = 0;
  for (const State next : next_) {
    if (next == s) return {};
    n_live += states_.is_dead(next) ? 0 : 1;
  }
  return n_live > 1 ? std::span<const State>(next_) : std::span<const State>();
}

template <class States>
double PlanSearch<States>::cost_of(State s, std::int32_t test) {
  const std::size_t base = path_.size();
  states_.append_outcomes(s, test, path_);
  double sum = states_.asking(s);
  for (std::size_t i = base, end = path_.size(); i < end; ++i) sum += cost(path_[i]);
  path_.resize(base);
  return sum;
}

template <class States>
double PlanSearch<States>::least_of(State s, std::int32_t test) {
  next_.clear();
  states_.append_outcomes(s, test, next_);
  double sum = states_.asking(s);
  for (const State next : next_) sum += least(next);
  return sum;
}

template <class States>
double PlanSearch<States>::cost(State s) {
  if (states_.is_closed(s)) return states_.closed_cost(s);
  if (known(s).cost == 0) plan_by_guesses(s);
  return known(s).cost;
}

template <class States>
double PlanSearch<States>::least(State s) {
  if (states_.is_closed(s)) return states_.closed_least(s);
  Known& now = known(s);
  if (now.least == 0) now.least = states_.least(s);
  return now.least;
}

template <class States>
void PlanSearch<States>::propose(State s, std::int32_t test, double cost) {
  Known& now = known(s);
  if (now.cost > 0 && now.cost <= cost) return;
  now.cost = cost;
  now.test = test;
}

template <class States>
void PlanSearch<States>::propose(State s, std::int32_t test) {
  propose(s, test, cost_of(s, test));
}

// When time is up, the first test that splits the state must do. Recursion is as deep as the plan: every test takes
// at least one unit away.
template <class States>
void PlanSearch<States>::plan_by_guesses(State s) {
  std::int32_t best = -1;
  double lowest = std::numeric_limits<double>::infinity();
  const bool look = goes_on();
  states_.for_each_test(s, [&](std::int32_t test) {
    if (!look && best >= 0) return;
    const std::span<const State> parts = split(s, test);
    double now = 0;
    for (const State part : parts) now += states_.guess(part);
    if (parts.empty() || now >= lowest) return;
    lowest = now;
    best = test;
  });
  propose(s, best);
}

// Collects the tests that may be cheaper than the best plan; returns a lower bound of all plans.
template <class States>
double PlanSearch<States>::collect(State s, double best) {
  double lowest = std::numeric_limits<double>::infinity(), floor = 0;
  states_.for_each_test(s, [&](std::int32_t test) {
    const std::span<const State> parts = split(s, test);
    if (parts.empty()) return;
    double bound = states_.asking(s), guess = 0;
    for (const State part : parts) {
      const double below = least(part);
      bound += below;
      guess += states_.guess(part);
      if (!states_.is_dead(part)) floor = std::max(floor, below + states_.certain_gain(test));
    }
    lowest = std::min(lowest, bound);
    if (bound < best) candidates_.push_back({guess, 0, test});
  });
  return std::max(lowest, floor);
}

template <class States>
double PlanSearch<States>::follow(State s, const Candidate& candidate, std::int32_t round, double best) {
  const std::size_t base = path_.size();
  states_.append_outcomes(s, candidate.test, path_);
  const std::size_t end = path_.size();
  double sum = states_.asking(s), bound = 0;
  for (std::size_t i = base; i < end && bound < best; ++i) {
    sum += search(path_[i], round);
    bound = sum;
    for (std::size_t rest = i + 1; rest < end; ++rest) bound += least(path_[rest]);
  }
  path_.resize(base);
  return bound;
}

template <class States>
double PlanSearch<States>::search(State s, std::int32_t round) {
  if (states_.is_closed(s)) return states_.closed_cost(s);
  double best = cost(s);
  if (known(s).round >= round || !goes_on()) return best;
  known(s).round = best <= least(s) ? kFinished : round;
  if (known(s).round == kFinished) return best;
  const std::size_t base = candidates_.size();
  const auto begin = [&] { return candidates_.begin() + static_cast<std::ptrdiff_t>(base); };
  const double floor = collect(s, best);
  const Round limits = kRounds[round];
  const bool is_cut = candidates_.size() - base > limits.compared;
  if (is_cut) {
    const auto by_guess = [](const Candidate& a, const Candidate& b) { return a.guess < b.guess; };
    std::nth_element(begin(), begin() + static_cast<std::ptrdiff_t>(limits.compared), candidates_.end(), by_guess);
    candidates_.resize(base + limits.compared);
  }
  for (std::size_t i = base; i < candidates_.size(); ++i) {
    const double now = cost_of(s, candidates_[i].test);
    candidates_[i].cost = now;
    if (now < best) propose(s, candidates_[i].test, best = now);
  }
  std::sort(begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
    return a.cost != b.cost ? a.cost < b.cost : a.guess != b.guess ? a.guess < b.guess : a.test < b.test;
  });
  double proved = std::numeric_limits<double>::infinity();
  std::size_t n_followed = 0;
  for (std::size_t i = base; i < candidates_.size(); ++i) {
    const Candidate candidate = candidates_[i];
    if (!is_over_ && n_followed < limits.followed && least_of(s, candidate.test) < best) {
      ++n_followed;
      const double now = follow(s, candidate, round, best);
      if (now < best) propose(s, candidate.test, best = now);
    }
    proved = std::min(proved, least_of(s, candidate.test));
  }
  candidates_.resize(base);
  Known& now = known(s);
  now.least = std::max({now.least, floor, is_cut ? 0 : std::min(proved, best)});
  now.least = std::min(now.least, now.cost);
  if (now.cost <= now.least) now.round = kFinished;
  return best;
}

// The states of the present plan and what they cost, children before parents. Takes over what was found meanwhile.
template <class States>
void PlanSearch<States>::add_up(const std::vector<State>& roots, std::vector<std::pair<double, State>>& plan) {
  plan.clear();
  std::unordered_map<std::size_t, bool> is_done;
  std::vector<State> waiting(roots.rbegin(), roots.rend());
  while (!waiting.empty()) {
    const State s = waiting.back();
    if (states_.is_closed(s)) {
      waiting.pop_back();
      continue;
    }
    const auto [found, is_new] = is_done.emplace(states_.index(s), false);
    if (is_new) {
      states_.append_outcomes(s, test(s), waiting);
      continue;
    }
    waiting.pop_back();
    if (found->second) continue;
    found->second = true;
    const double now = cost_of(s, known(s).test);
    if (now < known(s).cost) known(s).cost = now;
    plan.emplace_back(now, s);
  }
}

// Small states first: what is found there is used by the larger ones.
template <class States>
void PlanSearch<States>::climb(const std::vector<State>& roots, std::int32_t round) {
  std::vector<std::pair<double, State>> plan;
  add_up(roots, plan);
  const double unit = states_.unit();
  for (double size = 8 * unit; !is_over_; size *= 4) {
    double largest = 0;
    for (const auto& [cost, s] : plan) largest = std::max(largest, cost);
    std::erase_if(plan, [&](const auto& one) { return one.first > size || known(one.second).round >= round; });
    std::sort(plan.begin(), plan.end(), [&](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first : states_.index(a.second) < states_.index(b.second);
    });
    for (const auto& [cost, s] : plan) {
      if (is_over_) break;
      search(s, round);
    }
    add_up(roots, plan);
    if (size >= largest) break;
  }
}

template <class States>
void PlanSearch<States>::improve(const std::vector<State>& roots) {
  const auto all_optimal = [&] { return std::all_of(roots.begin(), roots.end(), [&](State s) { return is_optimal(s); }); };
  const std::int32_t n_rounds = static_cast<std::int32_t>(std::size(kRounds));
  for (std::int32_t round = 0; round < n_rounds && !is_over_ && !all_optimal(); ++round) {
    climb(roots, round);
  }
  // What was found last.
  std::vector<std::pair<double, State>> plan;
  add_up(roots, plan);
}

}  // namespace sightline::proof::smallest
