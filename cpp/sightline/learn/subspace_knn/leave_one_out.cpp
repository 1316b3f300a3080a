#include "sightline/learn/subspace_knn/leave_one_out.hpp"

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

}  // namespace sightline::learn::subspace_knn
