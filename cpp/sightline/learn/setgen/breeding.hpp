// SET-GEN: genomes and the operators that make new ones.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sightline/runtime/random.hpp"

namespace sightline::learn::setgen {

// A genome is a list of features and blanks. Features may come in any order and repeat. In a genome of bits, entry i is
// feature i or blank.
inline constexpr std::int32_t kBlank = -1;

struct BreedingRates {
  double crossover = 0.1;  // share of entries from the second parent
  double mutation = 0.1;   // share of entries drawn again
  double blank = 0.5;      // share of the drawn entries left blank
  // Relative frequencies of crossover, mutation and deletion.
  std::array<double, 3> operators = {1, 1, 1};
  bool one_point = false;  // crossover takes all entries from a random one on, instead of each with its own chance
  bool bits = false;       // genomes of bits, which keep their places in crossover
};

// Genomes, one after another, and the likelihood of each to become a parent.
struct Population {
  std::span<const std::int32_t> genomes;
  std::span<const double> likelihood;  // relative; none negative, at least one positive
};

// Child i uses random stream i of the seed, so it does not depend on threads or batches.
class Breeder {
 public:
  Breeder(std::int32_t n_features, std::size_t genome_size, std::uint64_t seed, const BreedingRates& rates)
      : n_features_(n_features), genome_size_(genome_size), seed_(seed), rates_(rates) {}

  std::size_t genome_size() const { return genome_size_; }

  // Writes the genomes first, first + 1, … to `result`, one after another.
  void fill(std::uint64_t first, std::span<std::int32_t> result) const;
  void breed(std::uint64_t first, const Population& population, std::span<std::int32_t> result) const;

 private:
  std::int32_t random_entry(std::size_t index, runtime::RandomStream& random) const;
  void cross(std::span<const std::int32_t> secondary, std::span<std::int32_t> child, runtime::RandomStream& random) const;
  void mutate(std::span<std::int32_t> child, runtime::RandomStream& random) const;
  void remove_feature(std::span<std::int32_t> child, runtime::RandomStream& random) const;

  std::int32_t n_features_;
  std::size_t genome_size_;
  std::uint64_t seed_;
  BreedingRates rates_;
};

}  // namespace sightline::learn::setgen
