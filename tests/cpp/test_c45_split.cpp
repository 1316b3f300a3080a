#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "sightline/learn/c45/split.hpp"
#include "sightline/runtime/random.hpp"

using namespace sightline::learn::c45;

namespace {

constexpr std::int32_t kValues = 8;

double entropy(const std::vector<double>& counts) {
  double total = 0, bits = 0;
  for (const double count : counts) total += count;
  for (const double count : counts) bits -= count > 0 ? count * std::log2(count / total) : 0;
  return bits;
}

// The gain of every group of values, one by one: bit v of `group` says whether value v belongs to it.
double gain_of_group(unsigned group, const std::vector<std::int32_t>& code, const std::vector<std::int32_t>& label,
                     std::size_t n_classes, double min_leaf) {
  std::vector<double> all(n_classes), inside(n_classes), outside(n_classes);
  double n_inside = 0;
  for (std::size_t row = 0; row < code.size(); ++row) {
    const bool in = (group >> code[row]) & 1;
    ++all[label[row]];
    ++(in ? inside : outside)[label[row]];
    n_inside += in;
  }
  const auto n = static_cast<double>(code.size());
  if (n_inside < min_leaf || n - n_inside < min_leaf) return -1;
  return (entropy(all) - entropy(inside) - entropy(outside)) / n;
}

// With two classes no group gains more than the one that is found. With more, none that is found is worse than what
// its own values gain, and its gain is never far from the best.
void check_groups(std::uint64_t seed, std::int32_t n_classes) {
  sightline::runtime::RandomStream random(seed, 0);
  std::vector<std::int32_t> code, label;
  std::vector<std::uint32_t> row;
  for (std::uint32_t i = 0; i < 60; ++i) {
    code.push_back(static_cast<std::int32_t>(random.below(kValues)));
    label.push_back(random.chance(0.5) ? code.back() % n_classes : static_cast<std::int32_t>(random.below(n_classes)));
    row.push_back(i);
  }
  GrowOptions options;
  options.mdl_correction = false;
  const std::vector<double> weight(code.size(), 1.0);
  SplitFinder finder(options, n_classes, label, weight, {});
  std::vector<double> counts(n_classes);
  for (const std::int32_t c : label) ++counts[c];
  NodeCounts node;
  node.set(counts);
  const Candidate found = finder.nominal(code, kValues, ValueSplit::kGroup, row, node, true);
  const Candidate weighted = finder.nominal(code, kValues, ValueSplit::kGroup, row, node, false);
  CHECK(found.values == weighted.values && std::abs(found.gain - weighted.gain) < 1e-9);
  double best = 0;
  for (unsigned group = 1; group + 1 < 1U << kValues; ++group) {
    best = std::max(best, gain_of_group(group, code, label, n_classes, options.min_leaf));
  }
  unsigned chosen = 0;
  for (const std::int32_t value : found.values) chosen |= 1U << value;
  CHECK(std::abs(found.gain - gain_of_group(chosen, code, label, n_classes, options.min_leaf)) < 1e-9);
  CHECK(n_classes == 2 ? found.gain > best - 1e-5 : found.gain > 0.75 * best);
}

}  // namespace

int main() {
  // Four rows, two per class, told apart by any cut between 2 and 10.
  const std::vector<std::int32_t> label{0, 0, 1, 1};
  const std::vector<double> value{1, 2, 10, 11}, weight(4, 1.0), counts{2, 2};
  const std::vector<std::uint32_t> row{0, 1, 2, 3};
  GrowOptions options;
  options.mdl_correction = false;
  SplitFinder finder(options, 2, label, weight, {});
  NodeCounts node;
  node.set(counts);
  const Candidate numeric = finder.numeric({value, row}, 4, node, true);
  CHECK(numeric.valid && numeric.below == 2 && numeric.above == 10);
  CHECK(std::abs(numeric.gain - 1) < 1e-12 && std::abs(numeric.gain_ratio - 1) < 1e-12);

  const std::vector<std::int32_t> code{0, 0, 1, 1};
  const Candidate nominal = finder.nominal(code, 2, ValueSplit::kEach, row, node, true);
  CHECK(nominal.valid && std::abs(nominal.gain - 1) < 1e-12);
  for (std::uint64_t seed = 0; seed < 200; ++seed) check_groups(seed, 2);
  for (std::uint64_t seed = 0; seed < 200; ++seed) check_groups(seed, 4);
  return finish();
}
