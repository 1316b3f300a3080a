// Numbers strings in the order in which they first appear, each once.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace sightline::load {

// Up to 8 bytes, a string is compared within its slot: the short names that fill a document cost one cache line.
class StringTable {
 public:
  StringTable() = default;
  // Movable but not copyable: a copy would have views of the original's bytes.
  StringTable(StringTable&&) = default;
  StringTable& operator=(StringTable&&) = default;

  // The number of a string, added if it is new.
  std::int32_t add(std::string_view string);
  // -1 if it was never added.
  std::int32_t find(std::string_view string) const;

  std::size_t size() const { return strings_.size(); }
  std::string_view operator[](std::size_t number) const { return strings_[number]; }
  std::string_view at(std::size_t number) const { return strings_.at(number); }

 private:
  struct Slot {
    std::uint64_t word = 0;  // with the size, all of a string of up to 8 bytes; a hash of a longer one
    std::uint32_t size = 0;
    std::int32_t number = -1;
  };

  // The slot that holds the string or, if there is none, the empty one where it belongs.
  std::size_t slot_of(std::string_view string, std::uint64_t word) const;
  std::string_view copied(std::string_view string);
  void double_slots();

  std::vector<std::string_view> strings_;            // views of the blocks
  std::vector<Slot> slots_ = std::vector<Slot>(16);  // a power of two, at most half of them in use
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* free_ = nullptr;  // the rest of the last block
  std::size_t n_free_ = 0;
};

}  // namespace sightline::load
