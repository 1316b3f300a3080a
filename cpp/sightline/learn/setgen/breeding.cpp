#include "sightline/learn/setgen/breeding.hpp"

#include <algorithm>
#include <numeric>

namespace sightline::learn::setgen {
namespace {

// The index of a draw among cumulative likelihoods. Entries of likelihood 0 are never drawn.
std::size_t pick(std::span<const double> cumulated, runtime::RandomStream& random) {
  const double draw = random.uniform() * cumulated.back();
  return std::min<std::size_t>(std::upper_bound(cumulated.begin(), cumulated.end(), draw) - cumulated.begin(),
                               cumulated.size() - 1);
}

}  // namespace

void Breeder::fill(std::uint64_t first, std::span<std::int32_t> result) const {
  for (std::size_t begin = 0; begin < result.size(); begin += genome_size_) {
    runtime::RandomStream random(seed_, first++);
    for (std::size_t i = 0; i < genome_size_; ++i) result[begin + i] = random_entry(i, random);
  }
}

void Breeder::breed(std::uint64_t first, const Population& population, std::span<std::int32_t> result) const {
  std::vector<double> cumulated(population.likelihood.size());
  std::partial_sum(population.likelihood.begin(), population.likelihood.end(), cumulated.begin());
  std::array<double, 3> operators;
  std::partial_sum(rates_.operators.begin(), rates_.operators.end(), operators.begin());
  for (std::size_t begin = 0; begin < result.size(); begin += genome_size_) {
    runtime::RandomStream random(seed_, first++);
    const std::size_t which = pick(operators, random);
    const auto parent = population.genomes.subspan(pick(cumulated, random) * genome_size_, genome_size_);
    const auto child = result.subspan(begin, genome_size_);
    std::copy(parent.begin(), parent.end(), child.begin());
    if (which == 0) {
      cross(population.genomes.subspan(pick(cumulated, random) * genome_size_, genome_size_), child, random);
    } else if (which == 1) {
      mutate(child, random);
    } else {
      remove_feature(child, random);
    }
  }
}

std::int32_t Breeder::random_entry(std::size_t index, runtime::RandomStream& random) const {
  if (random.chance(rates_.blank)) return kBlank;
  return static_cast<std::int32_t>(rates_.bits ? index : random.below(n_features_));
}

// Rotates the second parent of a list, so that its features can appear anywhere.
void Breeder::cross(std::span<const std::int32_t> secondary, std::span<std::int32_t> child, runtime::RandomStream& random) const {
  const std::size_t shift = rates_.bits ? 0 : random.below(genome_size_);
  const std::size_t point = rates_.one_point ? random.below(genome_size_) : 0;
  for (std::size_t i = point; i < genome_size_; ++i) {
    if (rates_.one_point || random.chance(rates_.crossover)) child[i] = secondary[(i + genome_size_ - shift) % genome_size_];
  }
}

void Breeder::mutate(std::span<std::int32_t> child, runtime::RandomStream& random) const {
  for (std::size_t i = 0; i < child.size(); ++i) {
    if (random.chance(rates_.mutation)) child[i] = random_entry(i, random);
  }
}

// Removes all occurrences of one feature, chosen uniformly. An empty genome stays empty.
void Breeder::remove_feature(std::span<std::int32_t> child, runtime::RandomStream& random) const {
  std::vector<std::int32_t> present(child.begin(), child.end());
  std::sort(present.begin(), present.end());
  present.erase(std::unique(present.begin(), present.end()), present.end());
  if (present.front() == kBlank) present.erase(present.begin());
  if (present.empty()) return;
  std::replace(child.begin(), child.end(), present[random.below(present.size())], kBlank);
}

}  // namespace sightline::learn::setgen
