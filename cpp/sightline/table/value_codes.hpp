// Assigns codes to the distinct values of a nominal column, in order of appearance.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sightline/table/columns.hpp"

namespace sightline::table {

class ValueCodes {
 public:
  ValueCodes() = default;
  // Movable but not copyable: the keys of a copy would be views of the original's strings.
  ValueCodes(ValueCodes&&) = default;
  ValueCodes& operator=(ValueCodes&&) = default;

  // The code of a value, or kMissingCode if it was never added.
  std::int32_t find(std::string_view value) const {
    const auto found = codes_.find(value);
    return found == codes_.end() ? kMissingCode : found->second;
  }

  // The code of a value, added if it is new.
  std::int32_t add(std::string_view value) {
    const std::int32_t known = find(value);
    if (known != kMissingCode) return known;
    const auto code = static_cast<std::int32_t>(values_.size());
    codes_.emplace(values_.emplace_back(value), code);
    return code;
  }

  std::size_t size() const { return values_.size(); }
  std::vector<std::string> values() const { return {values_.begin(), values_.end()}; }

 private:
  // A deque, because the keys of the map are views of its strings and must not move.
  std::deque<std::string> values_;
  std::unordered_map<std::string_view, std::int32_t> codes_;
};

}  // namespace sightline::table
