#include "sightline/load/string_table.hpp"

#include <algorithm>
#include <cstring>

namespace sightline::load {
namespace {

constexpr std::size_t kBlock = 1 << 16;
constexpr std::size_t kShort = 8;

template <typename Word>
std::uint64_t word_at(const char* bytes) {
  Word word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
  return hash ^ (hash >> 32);
}

// The two words of a length overlap, so that none needs a loop over single bytes.
std::uint64_t word_of(std::string_view string) {
  const char* bytes = string.data();
  const std::size_t n = string.size();
  if (n > kShort) {
    std::uint64_t hash = word_at<std::uint64_t>(bytes + n - 8);
    for (std::size_t i = 0; i + 8 < n; i += 8) hash = mixed(hash, word_at<std::uint64_t>(bytes + i));
    return hash;
  }
  if (n >= 4) return word_at<std::uint32_t>(bytes) << 32 | word_at<std::uint32_t>(bytes + n - 4);
  const auto byte = [&](std::size_t i) { return word_at<std::uint8_t>(bytes + i); };
  return n == 0 ? 0 : byte(0) << 16 | byte(n / 2) << 8 | byte(n - 1);
}

}  // namespace

std::int32_t StringTable::add(std::string_view string) {
  const std::uint64_t word = word_of(string);
  Slot& slot = slots_[slot_of(string, word)];
  if (slot.number >= 0) return slot.number;
  const auto number = static_cast<std::int32_t>(strings_.size());
  strings_.push_back(copied(string));
  slot = {word, static_cast<std::uint32_t>(string.size()), number};
  if (2 * strings_.size() > slots_.size()) double_slots();
  return number;
}

std::int32_t StringTable::find(std::string_view string) const { return slots_[slot_of(string, word_of(string))].number; }

std::size_t StringTable::slot_of(std::string_view string, std::uint64_t word) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = mixed(string.size(), word) & mask;
  for (; slots_[at].number >= 0; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.word != word || slot.size != static_cast<std::uint32_t>(string.size())) continue;
    if (string.size() <= kShort || strings_[slot.number] == string) break;
  }
  return at;
}

std::string_view StringTable::copied(std::string_view string) {
  if (string.empty()) return {};
  if (string.size() > n_free_) {
    n_free_ = std::max(kBlock, string.size());
    free_ = blocks_.emplace_back(std::make_unique_for_overwrite<char[]>(n_free_)).get();
  }
  const std::string_view copy(free_, string.size());
  free_ = std::copy(string.begin(), string.end(), free_);
  n_free_ -= string.size();
  return copy;
}

void StringTable::double_slots() {
  std::vector<Slot> old(2 * slots_.size());
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.number < 0) continue;
    std::size_t to = mixed(slot.size, slot.word) & mask;
    while (slots_[to].number >= 0) to = (to + 1) & mask;
    slots_[to] = slot;
  }
}

}  // namespace sightline::load
