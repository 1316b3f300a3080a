// One of two numbers, without a branch.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace sightline::runtime {

// For conditions that are as good as random: compilers turn `?:` into a branch whenever they like to, and a wrong guess of the
// processor takes as long as twenty other instructions.
template <std::unsigned_integral Number>
constexpr Number select(bool condition, Number yes, Number no) {
  return static_cast<Number>(no ^ ((yes ^ no) & (Number{0} - Number{condition})));
}

template <std::signed_integral Number>
constexpr Number select(bool condition, Number yes, Number no) {
  using Bits = std::make_unsigned_t<Number>;
  return static_cast<Number>(select(condition, static_cast<Bits>(yes), static_cast<Bits>(no)));
}

constexpr double select(bool condition, double yes, double no) {
  return std::bit_cast<double>(select(condition, std::bit_cast<std::uint64_t>(yes), std::bit_cast<std::uint64_t>(no)));
}

}  // namespace sightline::runtime
