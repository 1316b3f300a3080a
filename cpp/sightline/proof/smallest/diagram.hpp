// Decision diagrams over atoms: equal functions are one node.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "sightline/proof/smallest/atoms.hpp"

namespace sightline::proof::smallest {

// A function of atoms, ordered by levels. A node lists what follows for runs of neighboring atoms of its level. It
// is canonical: two nodes are the same exactly if their functions are, on the rows that can reach them. Atoms
// that a cut takes away repeat their neighbor where atoms are ordered, so that functions of different
// intervals can be the same; else they are dead (kDead).
class Diagram {
 public:
  using Id = std::int32_t;
  static constexpr Id kDead = -1;

  struct Run {
    Id child;
    std::int32_t last;  // atom
    bool operator==(const Run&) const = default;
  };
  // What is left of a function on either side of a test with two outcomes. kDead: no row is there.
  struct Cut {
    Id first, second;
  };

  explicit Diagram(const Atoms& atoms);

  Id add_terminal();
  // The node with these runs, the last of which ends with the last atom; or the one child they lead to.
  Id node(std::int32_t level, std::span<const Run> runs);
  Cut cut(Id id, std::int32_t test);
  // What is left for one outcome of a test.
  Id outcome(Id id, std::int32_t test, std::int32_t outcome);

  const Atoms& atoms() const { return atoms_; }
  std::size_t size() const { return nodes_.size(); }
  bool is_terminal(Id id) const { return nodes_[id].level == n_levels_; }
  std::int32_t level(Id id) const { return nodes_[id].level; }
  std::span<const Run> runs(Id id) const { return {runs_.data() + nodes_[id].first_run, nodes_[id].n_runs}; }
  // The run that holds an atom.
  Id child(Id id, std::int32_t atom) const;
  // Tests and labels of the graph from here on, level by level.
  std::size_t n_below(Id id) const;
  // Ways from here to terminals. Their number grows with that of the leaves of a good tree.
  double paths(Id id) const { return paths_[id]; }
  // `paths` to the power that best predicts how many leaves a good tree has.
  float guess(Id id) const { return nodes_[id].guess; }
  // A tree with this function has at least one test per unit, so it has more leaves than units.
  std::int32_t least_leaves(Id id) const { return nodes_[id].least_leaves; }
  bool depends_on(Id id, std::int32_t unit) const { return support(id)[unit / 64] >> (unit % 64) & 1; }
  bool depends_on_level(Id id, std::int32_t level) const {
    return (nodes_[id].levels >> (level % 64) & 1) != 0 && (n_levels_ <= 64 || depends_on_units(id, level));
  }
  // Calls use(test) for the tests that may split the function.
  template <class Use>
  void for_each_test(Id id, Use use) const;
  std::size_t memory() const;

 private:
  // What cuts and searches look at all the time: half a cache line.
  struct Node {
    std::uint64_t levels;  // on which the function depends, modulo 64
    std::uint32_t first_run;
    std::uint32_t n_runs;
    std::int32_t level;
    std::int32_t least_leaves;
    float guess;
  };
  // The tests that are worth asking where a function depends on a unit.
  struct UnitTests {
    std::int32_t first = 0, end = 0;
    // One more, at `end`, where the function also depends on this unit: missing values on the other side.
    std::int32_t unit_of_missing = -1;
  };
  // A slot in the table of nodes. Most nodes that do not match already differ in the tag.
  struct Slot {
    std::uint32_t tag = 0;
    Id id = kDead;  // kDead: free
  };
  struct CacheEntry {
    Id id = kDead;
    std::int32_t test = 0;
    Cut cut{};
  };

  bool depends_on_units(Id id, std::int32_t level) const;
  const std::uint64_t* support(Id id) const { return support_.data() + static_cast<std::size_t>(id) * n_words_; }
  Id find_or_add(std::int32_t level, std::span<const Run> runs);
  Id add(std::int32_t level, std::span<const Run> runs);
  std::size_t slot_of(std::uint64_t hash, std::int32_t level, std::span<const Run> runs) const;
  void grow();
  void prepare(const Level& level);
  void find_support(Id id);
  std::int32_t count_units(Id id) const;
  Cut cut_here(Id id, const AtomTest& test);
  Cut cut_prefix(Id id, const AtomTest& test);
  Id kept(Id id, const AtomTest& test, std::int32_t side);
  Cut cut_below(Id id, std::int32_t test);

  const Atoms& atoms_;
  std::int32_t n_levels_;
  std::size_t n_words_;
  std::vector<std::uint64_t> counted_;      // units that need a test of their own
  std::vector<std::uint64_t> level_units_;  // n_words_ per level
  std::vector<UnitTests> unit_tests_;
  std::vector<std::int32_t> with_missing_;  // ordered levels where missing values have an atom of their own
  std::vector<Node> nodes_;
  std::vector<double> paths_;  // per node
  std::vector<Run> runs_;
  std::vector<std::uint64_t> support_;
  std::vector<Slot> slots_;  // open addressing
  std::vector<CacheEntry> cache_;
  std::vector<Run> made_;     // the runs of a node that is being made
  std::vector<Run> scratch_;  // of the cuts on the way, one behind the other
};

template <class Use>
void Diagram::for_each_test(Id id, Use use) const {
  for (std::size_t w = 0; w < n_words_; ++w) {
    // `use` may make new nodes, which moves the others.
    for (std::uint64_t bits = support(id)[w]; bits != 0; bits &= bits - 1) {
      const UnitTests& tests = unit_tests_[w * 64 + static_cast<std::size_t>(std::countr_zero(bits))];
      for (std::int32_t test = tests.first; test < tests.end; ++test) use(test);
      if (tests.unit_of_missing >= 0 && depends_on(id, tests.unit_of_missing)) use(tests.end);
    }
  }
}

}  // namespace sightline::proof::smallest
