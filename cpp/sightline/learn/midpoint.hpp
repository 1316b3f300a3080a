// The threshold between two neighboring values.
#pragma once

#include <cmath>

namespace sightline::learn {

// At least `below` and less than `above`, so that x <= t separates them despite rounding.
inline double midpoint(double below, double above) {
  double t = (below + above) / 2;
  if (!std::isfinite(t)) t = below / 2 + above / 2;
  return t < above ? t : below;
}

}  // namespace sightline::learn
