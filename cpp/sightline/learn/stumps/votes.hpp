// The votes of stumps, packed into as few bits as a class index needs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sightline::learn::stumps {

// Plane b of a stump's votes holds bit b of the class it votes for, for 64 rows per word. Two stumps agree on a row if no
// plane differs.
class Votes {
 public:
  using Word = std::uint64_t;

  Votes(std::size_t n_rows, std::int32_t n_classes);

  std::size_t n_rows() const { return n_rows_; }
  std::size_t size() const { return bits_.size() / n_words(); }
  // Words of all planes of one stump.
  std::size_t n_words() const { return n_planes_ * words_per_plane_; }

  // Appends the words of a stump that votes for these classes, row by row.
  void pack(std::span<const std::uint8_t> classes, std::vector<Word>& words) const;
  void add(std::span<const Word> words) { bits_.insert(bits_.end(), words.begin(), words.end()); }

  std::int32_t vote(std::size_t stump, std::size_t row) const;
  // Number of rows on which two stumps vote for the same class.
  std::int64_t agreements(std::size_t first, std::size_t second) const { return agreements(words(first), words(second)); }
  // The same with labels packed.
  std::int64_t agreements(std::size_t stump, std::span<const Word> packed) const {
    return agreements(words(stump), packed.data());
  }

 private:
  const Word* words(std::size_t stump) const { return bits_.data() + stump * n_words(); }
  std::int64_t agreements(const Word* first, const Word* second) const;

  std::size_t n_rows_, words_per_plane_, n_planes_;
  std::vector<Word> bits_;
};

}  // namespace sightline::learn::stumps
