// Sorting by digits, against the library.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "check.hpp"
#include "sightline/table/radix_sort.hpp"

using namespace sightline::table;

namespace {

void sorts_like_the_library() {
  std::mt19937_64 random(0);
  std::normal_distribution<double> normal(0.0, 1e3);
  const double odd[] = {0.0,
                        -1.5,
                        std::numeric_limits<double>::infinity(),
                        -std::numeric_limits<double>::infinity(),
                        std::numeric_limits<double>::denorm_min(),
                        std::numeric_limits<double>::lowest()};
  for (const std::size_t n : {0, 1, 2, 999, 1000, 5000}) {
    std::vector<double> values;
    for (std::size_t i = 0; i < n; ++i) values.push_back(i % 7 == 0 ? odd[i / 7 % 6] : normal(random));
    std::vector<double> expected = values;
    std::sort(expected.begin(), expected.end());
    sort_ascending(values);
    CHECK(values == expected);
  }
}

void equal_keys_keep_their_order() {
  std::vector<std::pair<double, int>> entries, scratch;
  for (int i = 0; i < 3000; ++i) entries.emplace_back(i * 31 % 5, i);
  auto expected = entries;
  std::stable_sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  radix_sort(entries, scratch, [](const auto& entry) { return ordered_bits(entry.first); });
  CHECK(entries == expected);
}

}  // namespace

int main() {
  sorts_like_the_library();
  equal_keys_keep_their_order();
  return finish();
}
