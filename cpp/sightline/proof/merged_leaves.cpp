#include "sightline/proof/merged_leaves.hpp"

#include <algorithm>
#include <cmath>

namespace sightline::proof {
namespace {

double middle_of(const ScoreBounds& numbers) {
  return numbers.low == numbers.high ? numbers.low : numbers.low / 2 + numbers.high / 2;
}

}  // namespace

// Differences round monotonically, so the ends bound all numbers between them.
bool MergedLeaves::is_narrow(const ScoreBounds& numbers) const {
  const double middle = middle_of(numbers);
  return numbers.high - middle <= *tolerance_ && middle - numbers.low <= *tolerance_;
}

bool MergedLeaves::fits(const ScoreBounds& numbers) const {
  return numbers.low == numbers.high || (on_grid_ ? cell_of(numbers).has_value() : is_narrow(numbers));
}

std::optional<ScoreBounds> MergedLeaves::cell_of(const ScoreBounds& numbers) const {
  const double width = 2 * *tolerance_;
  const double low = std::floor(numbers.low / width) * width;
  const ScoreBounds cell{low, low + width};
  const bool holds = cell.low <= numbers.low && numbers.high <= cell.high && is_narrow(cell);
  return holds ? std::optional(cell) : std::nullopt;
}

MergedLeaves::Kind MergedLeaves::kind_of(const ScoreBounds& numbers, bool proved) {
  const auto [found, is_new] = kinds_.emplace(std::tuple(numbers.low, numbers.high, proved), static_cast<Kind>(leaves_.size()));
  if (is_new) leaves_.push_back({numbers, proved});
  return found->second;
}

MergedLeaves::Kind MergedLeaves::of_numbers(const ScoreBounds& numbers, bool proved) {
  return kind_of(on_grid_ && proved ? cell_of(numbers).value_or(numbers) : numbers, proved);
}

std::optional<MergedLeaves::Kind> MergedLeaves::joined(std::span<const Kind> kinds) {
  if (!of_numbers() || on_grid_ || *tolerance_ == 0) return std::nullopt;
  ScoreBounds all;
  for (const Kind kind : kinds) {
    if (!leaves_[kind].proved) return std::nullopt;
    all = all.joined(leaves_[kind].numbers);
  }
  if (!fits(all)) return std::nullopt;
  return kind_of(all, true);
}

void MergedLeaves::write(Kind kind, double* output) const {
  std::fill(output, output + n_outputs_, 0.0);
  const ScoreBounds& numbers = leaves_[kind].numbers;
  if (of_numbers()) {
    output[0] = middle_of(numbers);
  } else {
    output[static_cast<std::size_t>(numbers.low)] = 1;
  }
}

}  // namespace sightline::proof
