#include "sightline/model/curve.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace sightline::model {
namespace {

constexpr int kTableBits = 11;
constexpr std::uint64_t kTableSize = 1u << kTableBits;
constexpr std::uint64_t kFraction = (std::uint64_t{1} << 52) - 1;
// Adding it rounds a double to a whole number, which its low bits then hold.
constexpr double kRounder = 3.0 * (std::uint64_t{1} << 51);
constexpr std::uint64_t kExponentBias = (std::uint64_t{1} << (kTableBits + 10)) - kTableSize;
constexpr double kLeastExponent = -708.39641853226408, kLargestExponent = 709.78271289338397;

// The fractions of 2^(i / size).
const std::array<std::uint64_t, kTableSize>& powers_of_two() {
  static const auto table = [] {
    std::array<std::uint64_t, kTableSize> powers{};
    for (std::uint64_t i = 0; i < kTableSize; ++i) {
      powers[i] = std::bit_cast<std::uint64_t>(std::pow(2.0, static_cast<double>(i) * (1.0 / kTableSize))) & kFraction;
    }
    return powers;
  }();
  return table;
}

double rounded(double value, bool single) { return single ? static_cast<float>(value) : value; }

double inverse_yeo_johnson(double x, double power) {
  constexpr double kNone = std::numeric_limits<double>::epsilon();
  if (x >= 0) return std::abs(power) < kNone ? std::exp(x) - 1 : std::pow(x * power + 1, 1 / power) - 1;
  return std::abs(power - 2) > kNone ? 1 - std::pow(-(2 - power) * x + 1, 1 / (2 - power)) : 1 - std::exp(-x);
}

double inverse_box_cox(double x, double power) { return std::exp(power == 0 ? x : std::log1p(power * x) / power); }

}  // namespace

double fast_exp(double x) {
  if (x <= kLeastExponent) return 0;
  if (x >= kLargestExponent) return std::numeric_limits<double>::infinity();
  static const double steps = kTableSize / std::log(2.0), step = 1 / steps;
  const double shifted = x * steps + kRounder;
  const auto bits = std::bit_cast<std::uint64_t>(shifted);
  const double rest = (shifted - kRounder) * step - x;
  const double cubic = (3.0000000027955394 - rest) * (rest * rest) * 0.16666666685227835064 - rest + 1.0;
  const std::uint64_t power = ((bits + kExponentBias) >> kTableBits) << 52;
  return cubic * std::bit_cast<double>(power | powers_of_two()[bits % kTableSize]);
}

double curve(const Step& step, double x) {
  const auto at = [&](auto function) -> double { return step.single ? function(static_cast<float>(x)) : function(x); };
  switch (step.op) {
    case Op::kExp:
    case Op::kNumpyExp:
      return at([](auto v) { return std::exp(v); });
    case Op::kFastExp:
      return fast_exp(x);
    case Op::kLog1p:
    case Op::kNumpyLog1p:
      return at([](auto v) { return std::log1p(v); });
    case Op::kSqrt:
      return at([](auto v) { return std::sqrt(v); });
    case Op::kSquare:
      return at([](auto v) { return v * v; });
    case Op::kSignedSquare:
      return at([](auto v) { return v < 0 ? -v * v : v * v; });
    case Op::kSnap:
      return x - step.numbers[0] < 0 ? 0 : x + step.numbers[0] > 1 ? 1 : x;
    case Op::kYeoJohnson:
      return rounded(inverse_yeo_johnson(x, step.numbers[0]), step.single);
    case Op::kBoxCox:
      return rounded(inverse_box_cox(x, step.numbers[0]), step.single);
    case Op::kNormalCdf:
      return std::erfc(-x / std::sqrt(2.0)) / 2;
    case Op::kNumpyExp2:
      return at([](auto v) { return std::exp2(v); });
    case Op::kNumpyExpm1:
      return at([](auto v) { return std::expm1(v); });
    case Op::kNaturalLog:
    case Op::kNumpyLog:
      return at([](auto v) { return std::log(v); });
    case Op::kNumpyLog2:
      return at([](auto v) { return std::log2(v); });
    case Op::kNumpyLog10:
      return at([](auto v) { return std::log10(v); });
    case Op::kNumpyCbrt:
      return at([](auto v) { return std::cbrt(v); });
    case Op::kNumpySinh:
      return at([](auto v) { return std::sinh(v); });
    case Op::kNumpyArcsinh:
      return at([](auto v) { return std::asinh(v); });
    default:
      throw std::logic_error("not an operation of one number");
  }
}

}  // namespace sightline::model
