#include "sightline/learn/subspace_knn/leave_one_out.hpp"

#include <functional>
#include <limits>

#include "sightline/runtime/simd_dispatch.hpp"

namespace sightline::learn::subspace_knn {
namespace {

template <class Distance>
inline void move_all(const Distance* old, const Distance* more, bool adds, std::size_t n, Distance* out) {
  if (adds) {
    for (std::size_t j = 0; j < n; ++j) out[j] = old[j] + more[j];
  } else {
    for (std::size_t j = 0; j < n; ++j) out[j] = old[j] - more[j];
  }
}

template <class Distance>
inline void lower_all(const Distance* distances, std::size_t n, Distance* minima) {
  Distance least[kGroups];
  std::copy(minima, minima + kGroups, least);
  std::size_t begin = 0;
  for (; begin + kGroups <= n; begin += kGroups) {
    for (std::size_t group = 0; group < kGroups; ++group) {
      const Distance distance = distances[begin + group];
      least[group] = distance < least[group] ? distance : least[group];
    }
  }
  for (; begin < n; ++begin) least[begin % kGroups] = std::min(least[begin % kGroups], distances[begin]);
  std::copy(least, least + kGroups, minima);
}

// The least value that at least k values do not exceed. Counting needs no branches, and it is unpredictable which values
// are among the k smallest. Always inlined: each copy of a dispatched loop needs its own.
template <std::size_t kValues, class Distance>
[[gnu::always_inline]] inline Distance kth_smallest(const Distance* values, std::size_t k) {
  std::int32_t n_at_most[kValues] = {};
  for (std::size_t other = 0; other < kValues; ++other) {
    for (std::size_t i = 0; i < kValues; ++i) n_at_most[i] += values[other] <= values[i] ? 1 : 0;
  }
  Distance least = std::numeric_limits<Distance>::max();
  for (std::size_t i = 0; i < kValues; ++i) {
    const Distance value = n_at_most[i] >= static_cast<std::int32_t>(k) ? values[i] : std::numeric_limits<Distance>::max();
    least = value < least ? value : least;
  }
  return least;
}

// Of a few neighbors, the limit comes from parts, each of several groups: there are fewer of them to compare.
template <class Distance>
[[gnu::always_inline]] inline Distance limit(const Distance* minima, std::size_t k) {
  if (k > kParts) return kth_smallest<kGroups>(minima, k);
  Distance parts[kParts];
  std::copy(minima, minima + kParts, parts);
  for (std::size_t begin = kParts; begin < kGroups; begin += kParts) {
    for (std::size_t part = 0; part < kParts; ++part) {
      const Distance distance = minima[begin + part];
      parts[part] = distance < parts[part] ? distance : parts[part];
    }
  }
  return kth_smallest<kParts>(parts, k);
}

// The lowest bits of eight bytes, the first byte in the lowest bit.
inline std::uint64_t packed(const std::uint8_t* flags) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < 8; ++i) bits |= std::uint64_t{flags[i]} << (8 * i);
  return bits * 0x0102040810204080 >> 56;
}

// All comparisons come first, so that they become vector instructions.
template <class Distance, class Compare>
[[gnu::always_inline]] inline std::uint64_t groups_where(const Distance* minima, Distance most, const Compare& compare) {
  std::uint8_t flags[kGroups];
  for (std::size_t group = 0; group < kGroups; ++group) flags[group] = compare(minima[group], most) ? 1 : 0;
  std::uint64_t bits = 0;
  for (std::size_t group = 0; group < kGroups; group += 8) bits |= packed(flags + group) << group;
  return bits;
}

}  // namespace

SIGHTLINE_SIMD_DISPATCH void move_distances(const std::int32_t* old, const std::int32_t* more, bool adds, std::size_t n,
                                            std::int32_t* out) {
  move_all(old, more, adds, n, out);
}

SIGHTLINE_SIMD_DISPATCH void move_distances(const double* old, const double* more, bool adds, std::size_t n, double* out) {
  move_all(old, more, adds, n, out);
}

SIGHTLINE_SIMD_DISPATCH void lower_minima(const std::int32_t* distances, std::size_t n, std::int32_t* minima) {
  lower_all(distances, n, minima);
}

SIGHTLINE_SIMD_DISPATCH void lower_minima(const double* distances, std::size_t n, double* minima) {
  lower_all(distances, n, minima);
}

SIGHTLINE_SIMD_DISPATCH std::int32_t limit_of_nearest(const std::int32_t* minima, std::size_t k) { return limit(minima, k); }

SIGHTLINE_SIMD_DISPATCH double limit_of_nearest(const double* minima, std::size_t k) { return limit(minima, k); }

SIGHTLINE_SIMD_DISPATCH std::uint64_t groups_below(const std::int32_t* minima, std::int32_t most) {
  return groups_where(minima, most, std::less<std::int32_t>());
}

SIGHTLINE_SIMD_DISPATCH std::uint64_t groups_below(const double* minima, double most) {
  return groups_where(minima, most, std::less<double>());
}

SIGHTLINE_SIMD_DISPATCH std::uint64_t groups_at(const std::int32_t* minima, std::int32_t most) {
  return groups_where(minima, most, std::equal_to<std::int32_t>());
}

SIGHTLINE_SIMD_DISPATCH std::uint64_t groups_at(const double* minima, double most) {
  return groups_where(minima, most, std::equal_to<double>());
}

}  // namespace sightline::learn::subspace_knn
