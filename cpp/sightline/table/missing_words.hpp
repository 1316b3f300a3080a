// Words that stand for a missing value in columns of numbers and dates.
#pragma once

#include <string_view>

namespace sightline::table {

// Whether people write this for a missing value: unknown, k.A., -, (null), #DIV/0! and so on, in any case.
bool is_missing_word(std::string_view cell);

}  // namespace sightline::table
