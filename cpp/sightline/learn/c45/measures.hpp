// The comparisons and measures of C4.5 release 8, as Weka's J48 computes them.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace sightline::learn::c45 {

// J48 compares weights and gains with this tolerance; near-ties go to the earlier candidate.
inline constexpr double kTolerance = 1e-6;

inline bool equal(double a, double b) { return std::abs(a - b) < kTolerance; }
inline bool greater(double a, double b) { return a - b > kTolerance; }
inline bool smaller(double a, double b) { return b - a > kTolerance; }
inline bool at_least(double a, double b) { return b - a < kTolerance || a >= b; }
inline bool at_most(double a, double b) { return a - b < kTolerance || a <= b; }

inline double xlogx(double x) { return x < kTolerance ? 0 : x * std::log2(x); }
double sum_xlogx(std::span<const double> values);

// xlogx of integers, for the common case that every row has weight 1.
class XlogxTable {
 public:
  explicit XlogxTable(std::size_t largest) : value_(largest + 2) {
    for (std::size_t n = 0; n < value_.size(); ++n) value_[n] = xlogx(static_cast<double>(n));
  }
  double operator[](std::size_t n) const { return value_[n]; }
  // xlogx(n + 1) - xlogx(n)
  double step(std::size_t n) const { return value_[n + 1] - value_[n]; }

 private:
  std::vector<double> value_;
};

}  // namespace sightline::learn::c45
