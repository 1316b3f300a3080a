// Reads lists of numbers in text model files.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace sightline::load {

// Numbers with single spaces between them. Throws std::invalid_argument naming the entry that is
// no number, or not whole where that is asked. Numbers beyond the doubles are infinite.
std::vector<double> read_numbers(std::string_view text);
std::vector<std::int64_t> read_integers(std::string_view text);

}  // namespace sightline::load
