#include "sightline/proof/smallest/diagram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace sightline::proof::smallest {
namespace {

// Entries of the cache of cuts, at most: beyond it, cuts are made again.
constexpr std::size_t kMaxCache = std::size_t{1} << 22;

// Found by experiment: leaves of good trees grow as paths to the power of 3/4.
float guessed_leaves(double paths) {
  const double root = std::sqrt(paths);
  return static_cast<float>(root * std::sqrt(root));
}

std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// High bits choose the slot, low bits are its tag.
std::uint64_t hash_of(std::int32_t level, std::span<const Diagram::Run> runs) {
  auto hash = static_cast<std::uint64_t>(level);
  for (const Diagram::Run& run : runs) {
    hash ^= static_cast<std::uint64_t>(static_cast<std::uint32_t>(run.child)) << 20 ^ static_cast<std::uint64_t>(run.last);
    hash *= 0x9e3779b97f4a7c15ull;
    hash ^= hash >> 29;
  }
  return mixed(hash);
}

// The tests of one function are neighbors: a search asks for all of them, one after the other.
std::size_t cache_slot(Diagram::Id id, std::int32_t test, std::size_t size) {
  return (mixed(static_cast<std::uint64_t>(id)) + static_cast<std::uint64_t>(test)) & (size - 1);
}

}  // namespace

Diagram::Diagram(const Atoms& atoms)
    : atoms_(atoms),
      n_levels_(static_cast<std::int32_t>(atoms.n_levels())),
      n_words_((static_cast<std::size_t>(atoms.n_units()) + 63) / 64),
      counted_(n_words_, 0),
      slots_(256),
      cache_(256) {
  for (const Level& level : atoms.levels()) prepare(level);
}

void Diagram::prepare(const Level& level) {
  const std::size_t mask = level_units_.size();
  level_units_.resize(mask + n_words_, 0);
  if (level.ordered && level.missing_apart) with_missing_.push_back(atoms_.level_of(level.feature));
  for (std::int32_t i = 0; i < level.n_units; ++i) {
    const std::int32_t unit = level.first_unit + i;
    const std::uint64_t bit = std::uint64_t{1} << (unit % 64);
    level_units_[mask + static_cast<std::size_t>(unit) / 64] |= bit;
    const bool is_missing = level.ordered && i == level.n_known - 1;
    // A threshold takes the boundary of missing values with it.
    if (!is_missing) counted_[unit / 64] |= bit;
    if (!level.ordered) {
      unit_tests_.push_back({level.first_test, level.end_test, -1});
    } else if (is_missing) {
      unit_tests_.push_back({level.end_test - 1, level.end_test, -1});
    } else if (level.missing_apart) {
      // Tests come in pairs: missing values on the second side, and on the first.
      const std::int32_t test = level.first_test + 2 * i;
      unit_tests_.push_back({test, test + 1, level.first_unit + level.n_known - 1});
    } else {
      unit_tests_.push_back({level.first_test + i, level.first_test + i + 1, -1});
    }
  }
}

Diagram::Id Diagram::add_terminal() {
  const Id id = add(n_levels_, {});
  paths_[id] = 1;
  nodes_[id].guess = 1;
  return id;
}

Diagram::Id Diagram::node(std::int32_t level, std::span<const Run> runs) {
  made_.clear();
  Id only = kDead;
  bool constant = true;
  for (const Run& run : runs) {
    if (!made_.empty() && made_.back().child == run.child) {
      made_.back().last = run.last;
      continue;
    }
    made_.push_back(run);
    if (run.child == kDead) continue;
    constant = constant && (only == kDead || only == run.child);
    only = run.child;
  }
  return constant ? only : find_or_add(level, made_);
}

Diagram::Id Diagram::find_or_add(std::int32_t level, std::span<const Run> runs) {
  const std::uint64_t hash = hash_of(level, runs);
  const std::size_t slot = slot_of(hash, level, runs);
  if (slots_[slot].id != kDead) return slots_[slot].id;
  const Id id = add(level, runs);
  slots_[slot] = {static_cast<std::uint32_t>(hash), id};
  if (2 * nodes_.size() > slots_.size()) grow();
  return id;
}

Diagram::Id Diagram::add(std::int32_t level, std::span<const Run> runs) {
  const auto id = static_cast<Id>(nodes_.size());
  const auto first = static_cast<std::uint32_t>(runs_.size());
  runs_.insert(runs_.end(), runs.begin(), runs.end());
  nodes_.push_back({0, first, static_cast<std::uint32_t>(runs.size()), level, 1, 0});
  paths_.push_back(0);
  support_.resize(support_.size() + n_words_, 0);
  if (level == n_levels_) return id;
  Node& node = nodes_.back();
  node.levels = std::uint64_t{1} << (level % 64);
  for (const Run& run : runs) {
    if (run.child == kDead) continue;
    paths_[id] += paths_[run.child];
    node.levels |= nodes_[run.child].levels;
  }
  node.guess = guessed_leaves(paths_[id]);
  find_support(id);
  node.least_leaves = 1 + count_units(id);
  return id;
}

void Diagram::find_support(Id id) {
  std::uint64_t* own = support_.data() + static_cast<std::size_t>(id) * n_words_;
  const Level& level = atoms_.level(nodes_[id].level);
  const auto depend = [&](std::int32_t unit) { own[unit / 64] |= std::uint64_t{1} << (unit % 64); };
  const auto all = runs(id);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (level.ordered && i + 1 < all.size()) depend(level.first_unit + all[i].last);
    if (all[i].child == kDead) continue;
    const std::uint64_t* below = support(all[i].child);
    for (std::size_t w = 0; w < n_words_; ++w) own[w] |= below[w];
  }
  if (!level.ordered) depend(level.first_unit);
}

std::int32_t Diagram::count_units(Id id) const {
  const std::uint64_t* own = support(id);
  std::int32_t n = 0;
  for (std::size_t w = 0; w < n_words_; ++w) n += std::popcount(own[w] & counted_[w]);
  for (const std::int32_t index : with_missing_) {
    const Level& level = atoms_.level(index);
    if (!depends_on(id, level.first_unit + level.n_known - 1)) continue;
    bool other = false;
    for (std::int32_t i = 0; i + 1 < level.n_known; ++i) other = other || depends_on(id, level.first_unit + i);
    n += other ? 0 : 1;
  }
  return n;
}

bool Diagram::depends_on_units(Id id, std::int32_t index) const {
  const std::uint64_t* own = support(id);
  const std::uint64_t* mask = level_units_.data() + static_cast<std::size_t>(index) * n_words_;
  std::uint64_t common = 0;
  for (std::size_t w = 0; w < n_words_; ++w) common |= own[w] & mask[w];
  return common != 0;
}

std::size_t Diagram::slot_of(std::uint64_t hash, std::int32_t level, std::span<const Run> wanted) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash >> 32 & mask;
  while (slots_[slot].id != kDead) {
    const Id id = slots_[slot].id;
    if (slots_[slot].tag == static_cast<std::uint32_t>(hash) && nodes_[id].level == level && std::ranges::equal(runs(id), wanted))
      break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

void Diagram::grow() {
  slots_.assign(2 * slots_.size(), Slot{});
  const std::size_t mask = slots_.size() - 1;
  for (Id id = 0; id < static_cast<Id>(size()); ++id) {
    if (is_terminal(id)) continue;
    const std::uint64_t hash = hash_of(level(id), runs(id));
    std::size_t slot = hash >> 32 & mask;
    while (slots_[slot].id != kDead) slot = (slot + 1) & mask;
    slots_[slot] = {static_cast<std::uint32_t>(hash), id};
  }
  if (cache_.size() >= kMaxCache) return;
  std::vector<CacheEntry> old(slots_.size());
  old.swap(cache_);
  for (const CacheEntry& entry : old) {
    if (entry.id != kDead) cache_[cache_slot(entry.id, entry.test, cache_.size())] = entry;
  }
}

std::size_t Diagram::memory() const {
  return nodes_.capacity() * sizeof(Node) + paths_.capacity() * sizeof(double) + runs_.capacity() * sizeof(Run) +
         support_.capacity() * sizeof(std::uint64_t) + slots_.capacity() * sizeof(Slot) + cache_.capacity() * sizeof(CacheEntry);
}

std::size_t Diagram::n_below(Id id) const {
  std::vector<char> seen(size(), false);
  std::vector<Id> waiting{id};
  std::size_t n = 0;
  while (!waiting.empty()) {
    const Id now = waiting.back();
    waiting.pop_back();
    if (now == kDead || seen[now]) continue;
    seen[now] = true;
    // A node has one test per boundary between its runs.
    n += std::max<std::size_t>(1, runs(now).size()) - (is_terminal(now) ? 0 : 1);
    for (const Run& run : runs(now)) waiting.push_back(run.child);
  }
  return n;
}

Diagram::Id Diagram::child(Id id, std::int32_t atom) const {
  const auto all = runs(id);
  return std::find_if(all.begin(), all.end(), [&](const Run& run) { return atom <= run.last; })->child;
}

Diagram::Id Diagram::outcome(Id id, std::int32_t test, std::int32_t outcome) {
  const AtomTest& asked = atoms_.tests()[test];
  if (!asked.one_outcome.empty()) return cut(id, asked.one_outcome[outcome]).first;
  const Cut both = cut(id, test);
  return outcome == 0 ? both.first : both.second;
}

Diagram::Cut Diagram::cut(Id id, std::int32_t number) {
  if (id == kDead) return {kDead, kDead};
  const AtomTest& test = atoms_.tests()[number];
  if (level(id) > test.level || !depends_on_level(id, test.level)) return {id, id};
  if (level(id) == test.level) return cut_here(id, test);
  const CacheEntry& known = cache_[cache_slot(id, number, cache_.size())];
  if (known.id == id && known.test == number) return known.cut;
  const Cut result = cut_below(id, number);
  cache_[cache_slot(id, number, cache_.size())] = {id, number, result};
  return result;
}

// Recursion goes down by at least one level at a time.
Diagram::Cut Diagram::cut_below(Id id, std::int32_t test) {
  const std::size_t n = runs(id).size();
  const std::size_t base = scratch_.size();
  scratch_.resize(base + 2 * n);
  bool first_is_dead = false, second_is_dead = false, first_is_same = true, second_is_same = true;
  for (std::size_t i = 0; i < n; ++i) {
    const Run run = runs(id)[i];
    const Cut below = cut(run.child, test);
    scratch_[base + i] = {below.first, run.last};
    scratch_[base + n + i] = {below.second, run.last};
    first_is_same = first_is_same && below.first == run.child;
    second_is_same = second_is_same && below.second == run.child;
    // Every function that depends on a feature has the same atoms of it. If one has none left, none has.
    first_is_dead = first_is_dead || (run.child != kDead && below.first == kDead);
    second_is_dead = second_is_dead || (run.child != kDead && below.second == kDead);
  }
  const std::span<const Run> all(scratch_.data() + base, 2 * n);
  const Id first = first_is_dead ? kDead : first_is_same ? id : node(level(id), all.first(n));
  const Id second = second_is_dead ? kDead : second_is_same ? id : node(level(id), all.subspan(n));
  scratch_.resize(base);
  return {first, second};
}

Diagram::Cut Diagram::cut_here(Id id, const AtomTest& test) {
  if (test.prefix >= 0) return cut_prefix(id, test);
  const Id first = kept(id, test, 0);
  return {first, kept(id, test, 1)};
}

Diagram::Cut Diagram::cut_prefix(Id id, const AtomTest& test) {
  const std::int32_t end = atoms_.level(test.level).n_atoms() - 1;
  const std::size_t n = runs(id).size();
  const std::size_t base = scratch_.size();
  scratch_.insert(scratch_.end(), runs(id).begin(), runs(id).end());
  const std::span<Run> all(scratch_.data() + base, n);
  std::size_t i = 0;
  while (all[i].last < test.prefix) ++i;
  const std::size_t behind = all[i].last == test.prefix ? i + 1 : i;
  Cut result{};
  // A boundary behind the last one, or before the first one, leaves everything on one side.
  result.second = behind == 0 ? id : node(test.level, all.subspan(std::min(behind, n - 1)));
  if (i + 1 < n) all[i].last = end;
  result.first = i + 1 < n ? node(test.level, all.first(i + 1)) : id;
  scratch_.resize(base);
  return result;
}

// The function of the atoms on one side only.
Diagram::Id Diagram::kept(Id id, const AtomTest& test, std::int32_t side) {
  const Level& level = atoms_.level(test.level);
  std::vector<Run> result;
  std::size_t run = 0;
  const auto all = runs(id);
  for (std::int32_t atom = 0; atom < level.n_atoms(); ++atom) {
    if (atom > all[run].last) ++run;
    if (test.outcome[atom] == side) {
      result.push_back({all[run].child, atom});
    } else if (!level.ordered) {
      result.push_back({kDead, atom});
    } else if (!result.empty()) {
      result.back().last = atom;
    }
  }
  return node(test.level, result);
}

}  // namespace sightline::proof::smallest
