// SET-GEN: genomes and the operators that make new ones.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sightline/runtime/random.hpp"

namespace sightline::learn::setgen {

// A genome is a list of features, in any order and repeated at will, and blanks.
inline constexpr std::int32_t kBlank = -1;

struct BreedingRates {
  double crossover = 0.1;  // entries from the secondary parent
  double mutation = 0.1;   // entries filled anew
  double blank = 0.5;      // of the entries filled anew, those left empty
  // How often a child is made by crossover, mutation and deletion, in any unit.
  std::array<double, 3> operators = {1, 1, 1};
};

// Genomes, one after the other, and how likely each becomes a parent.
struct Population {
  std::span<const std::int32_t> genomes;
  std::span<const double> likelihood;  // in any unit, none negative, some positive
};

// Child number i is drawn from stream i of the seed: the same whoever makes it, in whatever batch.
class Breeder {
 public:
  Breeder(std::int32_t n_features, std::size_t genome_size, std::uint64_t seed, const BreedingRates& rates)
      : n_features_(n_features), genome_size_(genome_size), seed_(seed), rates_(rates) {}

  std::size_t genome_size() const { return genome_size_; }

  // Genomes first, first + 1, …, one after the other in `result`.
  void fill(std::uint64_t first, std::span<std::int32_t> result) const;
  void breed(std::uint64_t first, const Population& population, std::span<std::int32_t> result) const;

 private:
  std::int32_t random_entry(runtime::RandomStream& random) const;
  void cross(std::span<const std::int32_t> secondary, std::span<std::int32_t> child, runtime::RandomStream& random) const;
  void mutate(std::span<std::int32_t> child, runtime::RandomStream& random) const;
  void remove_feature(std::span<std::int32_t> child, runtime::RandomStream& random) const;

  std::int32_t n_features_;
  std::size_t genome_size_;
  std::uint64_t seed_;
  BreedingRates rates_;
};

}  // namespace sightline::learn::setgen
