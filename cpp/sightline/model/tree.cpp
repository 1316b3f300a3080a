#include "sightline/model/tree.hpp"

#include <cmath>

namespace sightline::model {

void add_output(const Tree& tree, const double* row, std::vector<RowPart>& pending, double* sum) {
  pending.push_back({0, 1.0});
  while (!pending.empty()) {
    auto [v, share] = pending.back();
    pending.pop_back();
    while (!tree.is_leaf(v)) {
      const auto children = tree.children(v);
      const double value = row[tree.feature(v)];
      if (!std::isnan(value)) {
        v = children[tree.branch(v, value)];
      } else if (tree.missing_branch(v) >= 0) {
        v = children[tree.missing_branch(v)];
      } else {
        const auto shares = tree.shares(v);
        for (std::size_t b = children.size(); b-- > 1;) {
          if (shares[b] > 0) pending.push_back({children[b], share * shares[b]});
        }
        share *= shares[0];
        v = children[0];
      }
    }
    if (share > 0) {
      const double part = share;
      tree.output(v).for_each([&](std::size_t k, double value) { sum[k] += part * value; });
    }
  }
}

}  // namespace sightline::model
