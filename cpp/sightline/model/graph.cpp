#include "sightline/model/graph.hpp"

#include <algorithm>

#include "sightline/model/row_blocks.hpp"

namespace sightline::model {
double Graph::n_paths() const {
  std::vector<double> paths(n_nodes(), 0.0);
  for (auto v = static_cast<NodeId>(n_nodes()); v-- > 0;) {
    paths[v] = is_leaf(v);
    for (const NodeId child : children(v)) paths[v] += paths[child];
  }
  return paths[0];
}

double Graph::n_conditions() const {
  std::vector<double> paths(n_nodes(), 0.0), conditions(n_nodes(), 0.0);
  for (auto v = static_cast<NodeId>(n_nodes()); v-- > 0;) {
    paths[v] = is_leaf(v);
    for (const NodeId child : children(v)) {
      paths[v] += paths[child];
      conditions[v] += conditions[child] + paths[child];
    }
  }
  return conditions[0];
}

void Graph::outputs(const table::Columns& rows, int n_threads, runtime::StopPoll& poll, double* outputs) const {
  for_each_block(rows, n_threads, poll, [&](std::size_t begin, std::size_t end, const double* block, bool) {
    std::vector<double> part;
    for (std::size_t i = begin; i < end; ++i) {
      const double* row = block + (i - begin) * n_features();
      double* out = outputs + i * n_outputs();
      std::fill(out, out + n_outputs(), 0.0);
      const NodeId leaf = find_whole_leaf(*this, row);
      if (leaf < 0) {
        add_mixed_output(*this, row, part, out);
      } else {
        output(leaf).copy_to(out);
      }
    }
  });
}

}  // namespace sightline::model
