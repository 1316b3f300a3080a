#include "sightline/distill/rule_set/candidates.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace sightline::distill::rule_set {
namespace {

bool holds(const model::Condition& condition, double value) {
  if (std::isnan(value)) return condition.accepts_missing;
  if (!condition.nominal) return value > condition.low && value <= condition.high;
  return std::binary_search(condition.categories.begin(), condition.categories.end(), static_cast<std::int32_t>(value));
}

std::uint64_t hash_of(const RowList& rows) {
  std::uint64_t hash = rows.size();
  for (const std::uint32_t row : rows) hash = (hash ^ (row + 1)) * 0x9E3779B97F4A7C15ull, hash ^= hash >> 31;
  return hash;
}

class Collector {
 public:
  Collector(const model::Ensemble& ensemble, const table::Columns& rows, const double* weights, const CandidateOptions& options)
      : ensemble_(ensemble),
        rows_(rows),
        weights_(weights),
        options_(options),
        builder_(ensemble.n_values(), options.n_classes, ensemble.n_trees()) {}

  Candidates collect(runtime::StopPoll& poll) {
    for (std::size_t tree = 0; tree < ensemble_.n_trees(); ++tree) add_tree(tree, poll);
    Candidates result;
    for (Found& found : found_) {
      builder_.add_rule(found.conditions, 0, 1.0, found.sources);
      result.rows.push_back(std::move(found.rows));
    }
    result.rules = builder_.finish();
    result.n_rows = rows_.n_rows();
    return result;
  }

 private:
  struct Found {
    std::vector<std::int32_t> conditions;
    std::vector<std::int32_t> sources;  // ascending
    RowList rows;
  };
  // A node on the path, its rows, and the next of its branches to visit.
  struct Open {
    model::NodeId node;
    std::size_t branch;
    RowList rows;
  };

  void add_tree(std::size_t number, runtime::StopPoll& poll) {
    const model::Tree& tree = *ensemble_.parts().trees[number];
    Path path(tree.n_features(), options_.form);
    RowList all(rows_.n_rows());
    for (std::size_t row = 0; row < all.size(); ++row) all[row] = static_cast<std::uint32_t>(row);
    std::vector<Open> open;
    open.push_back({0, 0, std::move(all)});
    while (!open.empty()) {
      poll();
      Open& at = open.back();
      const auto children = tree.children(at.node);
      if (at.branch == children.size()) {
        open.pop_back();
        if (!open.empty()) path.pop();
        continue;
      }
      const std::size_t branch = at.branch++;
      const model::NodeId child = children[branch];
      model::Condition condition = test_condition(tree, at.node, branch);
      RowList inside;
      double weight = 0;
      const table::Column& column = rows_[condition.feature];
      for (const std::uint32_t row : at.rows) {
        if (!holds(condition, value_at(column, row))) continue;
        inside.push_back(row);
        weight += weights_ != nullptr ? weights_[row] : 1.0;
      }
      if (inside.empty() || weight < options_.min_weight) continue;
      path.push(std::move(condition));
      // All rows of the parent: the parent is the same rule, only shorter.
      if (inside.size() < at.rows.size()) add(static_cast<std::int32_t>(number), path, inside);
      open.push_back({child, 0, std::move(inside)});
    }
  }

  void add(std::int32_t tree, const Path& path, const RowList& rows) {
    std::vector<std::int32_t> conditions = path.numbers(builder_);
    const auto [begin, end] = by_hash_.equal_range(hash_of(rows));
    for (auto at = begin; at != end; ++at) {
      Found& known = found_[at->second];
      if (known.rows != rows) continue;
      if (conditions.size() < known.conditions.size()) known.conditions = std::move(conditions);
      if (known.sources.back() != tree) known.sources.push_back(tree);
      return;
    }
    n_entries_ += rows.size();
    if (n_entries_ > options_.max_entries) throw TooManyConditions();
    by_hash_.emplace(hash_of(rows), found_.size());
    found_.push_back({std::move(conditions), {tree}, rows});
  }

  const model::Ensemble& ensemble_;
  const table::Columns& rows_;
  const double* weights_;
  const CandidateOptions& options_;
  model::RuleBuilder builder_;
  std::vector<Found> found_;
  std::unordered_multimap<std::uint64_t, std::size_t> by_hash_;
  std::size_t n_entries_ = 0;
};

}  // namespace

Candidates candidates_of(const model::Ensemble& ensemble, const table::Columns& rows, const double* weights,
                         const CandidateOptions& options, runtime::StopPoll& poll) {
  return Collector(ensemble, rows, weights, options).collect(poll);
}

}  // namespace sightline::distill::rule_set
