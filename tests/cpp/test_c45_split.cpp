#include <cmath>

#include "check.hpp"
#include "sightline/learn/c45/split.hpp"

using namespace sightline::learn::c45;

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
  const Candidate nominal = finder.nominal(code, 2, row, node, true);
  CHECK(nominal.valid && std::abs(nominal.gain - 1) < 1e-12);
  return finish();
}
