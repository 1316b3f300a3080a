#include "sightline/learn/stumps/votes.hpp"

#include <algorithm>
#include <bit>

// One instruction per word if the processor has it; chosen when the library is loaded.
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(SIGHTLINE_COVERAGE)
#define SIGHTLINE_COUNTS_BITS __attribute__((target_clones("popcnt", "default")))
#else
#define SIGHTLINE_COUNTS_BITS
#endif

namespace sightline::learn::stumps {
namespace {

constexpr std::size_t kBits = 64;

SIGHTLINE_COUNTS_BITS std::int64_t different_bits(const Votes::Word* first, const Votes::Word* second, std::size_t n) {
  std::int64_t result = 0;
  for (std::size_t i = 0; i < n; ++i) result += std::popcount(first[i] ^ second[i]);
  return result;
}

SIGHTLINE_COUNTS_BITS std::int64_t different_rows(const Votes::Word* first, const Votes::Word* second, std::size_t n,
                                                  std::size_t n_planes) {
  std::int64_t result = 0;
  for (std::size_t i = 0; i < n; ++i) {
    Votes::Word differs = 0;
    for (std::size_t plane = 0; plane < n_planes; ++plane) differs |= first[plane * n + i] ^ second[plane * n + i];
    result += std::popcount(differs);
  }
  return result;
}

}  // namespace

Votes::Votes(std::size_t n_rows, std::int32_t n_classes)
    : n_rows_(n_rows),
      words_per_plane_((n_rows + kBits - 1) / kBits),
      n_planes_(n_classes > 2 ? std::bit_width(static_cast<std::uint32_t>(n_classes - 1)) : 1) {}

void Votes::pack(std::span<const std::uint8_t> classes, std::vector<Word>& words) const {
  const std::size_t begin = words.size();
  words.resize(begin + n_words(), 0);
  for (std::size_t plane = 0; plane < n_planes_; ++plane) {
    Word* out = words.data() + begin + plane * words_per_plane_;
    for (std::size_t first = 0; first < n_rows_; first += kBits) {
      const std::size_t n = std::min(kBits, n_rows_ - first);
      Word word = 0;
      for (std::size_t i = 0; i < n; ++i) word |= static_cast<Word>((classes[first + i] >> plane) & 1) << i;
      *out++ = word;
    }
  }
}

std::int32_t Votes::vote(std::size_t stump, std::size_t row) const {
  std::int32_t result = 0;
  for (std::size_t plane = 0; plane < n_planes_; ++plane) {
    const Word word = words(stump)[plane * words_per_plane_ + row / kBits];
    result |= static_cast<std::int32_t>((word >> (row % kBits)) & 1) << plane;
  }
  return result;
}

std::int64_t Votes::agreements(const Word* first, const Word* second) const {
  const std::int64_t different = n_planes_ == 1 ? different_bits(first, second, words_per_plane_)
                                                : different_rows(first, second, words_per_plane_, n_planes_);
  return static_cast<std::int64_t>(n_rows_) - different;
}

}  // namespace sightline::learn::stumps
