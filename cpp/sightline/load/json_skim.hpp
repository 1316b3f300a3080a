// Finds the end of a JSON value without parsing it.
#pragma once

#include <cstddef>
#include <string_view>

namespace sightline::load {

// The position behind the object or array that begins at `begin`, or npos if it is not closed. Counts
// brackets outside of strings; whether they match is seen when the content is read.
std::size_t container_end(std::string_view text, std::size_t begin);

}  // namespace sightline::load
