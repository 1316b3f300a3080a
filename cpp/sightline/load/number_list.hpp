// Reads lists of numbers in text model files.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace sightline::load {

// Numbers separated by single spaces. Throws std::invalid_argument that names the entry that is not a
// number, or not an integer. Numbers too large for a double become infinite.
std::vector<double> read_numbers(std::string_view text);
std::vector<std::int64_t> read_integers(std::string_view text);

}  // namespace sightline::load
