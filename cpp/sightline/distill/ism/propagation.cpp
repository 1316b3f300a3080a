#include "sightline/distill/ism/propagation.hpp"

#include <algorithm>
#include <bit>

namespace sightline::distill::ism {

using proof::CategoryBits;
using proof::Overlap;

namespace {

// Calls work(k) for every score. One and two are most common, and known to the compiler they need no loop.
template <std::size_t kAdded, class Work>
void for_each_score(std::size_t n_added, Work work) {
  const std::size_t n = kAdded > 0 ? kAdded : n_added;
  for (std::size_t k = 0; k < n; ++k) work(k);
}

// How many nodes ahead the sums of a node are fetched: far enough for the memory, near enough to be still there.
constexpr std::int32_t kPrefetchAhead = 8;

// Calls work<kAdded>().
template <class Work>
void with_added(std::size_t n_added, Work work) {
  if (n_added == 1) return work.template operator()<1>();
  if (n_added == 2) return work.template operator()<2>();
  return work.template operator()<0>();
}

}  // namespace

Propagation::Propagation(const PreparedEnsemble& prepared, bool literal_matching)
    : prepared_(prepared),
      tests_(prepared.tests()),
      literal_(literal_matching),
      n_scores_(prepared.n_scores()),
      n_added_(prepared.n_added()),
      total_(n_scores_, 0.0),
      outcome_scores_(tests_.n_outcomes() * n_scores_, 0.0),
      pooled_(tests_.n_outcomes(), 0.0),
      numeric_(tests_.n_features()),
      has_nominal_(std::any_of(tests_.n_values.begin(), tests_.n_values.end(), [](std::int32_t n) { return n > 0; })),
      factors_(tests_.n_features()),
      categories_(tests_.n_features()) {}

void Propagation::run(ForestView forest, const Context& context) {
  clear(context);
  expect(forest);
  with_added(n_added_, [&]<std::size_t kAdded> {
    for (std::size_t tree = 0; tree < forest.n_trees(); ++tree) {
      has_nominal_ ? walk<kAdded, true>(forest, tree) : walk<kAdded, false>(forest, tree);
    }
  });
  finish(context);
}

void Propagation::clear(const Context& context) {
  for (std::size_t f = 0; f < tests_.n_features(); ++f) {
    // Only open tests are reset. For numeric features that is a range and its end.
    std::int32_t begin = tests_.first[f];
    std::int32_t end = tests_.first[f + 1];
    if (!tests_.is_nominal(f)) {
      const std::int32_t first_open = tests_.first_open(context, f);
      const std::int32_t end_open = tests_.end_open(context, f);
      end = begin + end_open + 1;
      begin += first_open;
      numeric_[f] = {tests_.first_outcome[tests_.first[f]], first_open, end_open, 1.0, 1.0};
    } else {
      factors_[f].assign(tests_.first_outcome[end] - tests_.first_outcome[begin], 1.0);
      const CategoryBits left = context.allowed(f);
      categories_[f].assign(left.begin(), left.end());
    }
    if (begin >= end) continue;
    const std::int32_t first = tests_.first_outcome[begin];
    const std::int32_t last = tests_.first_outcome[end];
    std::fill(pooled_.begin() + first, pooled_.begin() + last, 0.0);
    std::fill(at(first), at(last), 0.0);
  }
}

// Children come after their parents: one pass backwards.
template <std::size_t kAdded>
void Propagation::expect_nodes(ForestView forest) {
  const Node* nodes = forest.nodes.data();
  const std::size_t n_added = kAdded > 0 ? kAdded : n_added_;
  for (std::size_t v = forest.nodes.size(); v-- > 0;) {
    const Node& node = nodes[v];
    double* here = expected_.data() + v * n_added;
    if (node.is_leaf()) {
      const double* leaf = prepared_.leaf(node.leaf());
      for_each_score<kAdded>(n_added, [&](std::size_t k) { here[k] = leaf[k]; });
      continue;
    }
    const double* yes = here + n_added;
    const double* no = yes + static_cast<std::size_t>(nodes[v + 1].size) * n_added;
    for_each_score<kAdded>(n_added, [&](std::size_t k) { here[k] = node.share * yes[k] + (1 - node.share) * no[k]; });
  }
}

void Propagation::expect(ForestView forest) {
  expected_.resize(forest.nodes.size() * n_added_);
  with_added(n_added_, [&]<std::size_t kAdded> { expect_nodes<kAdded>(forest); });
  std::copy(prepared_.base().begin(), prepared_.base().end(), total_.begin());
  for (std::size_t tree = 0; tree < forest.n_trees(); ++tree) {
    const double* root = expected_.data() + static_cast<std::size_t>(forest.root[tree]) * n_added_;
    double* total = total_.data() + prepared_.first_score(tree);
    for (std::size_t k = 0; k < n_added_; ++k) total[k] += root[k];
  }
}

// Nodes are visited in the order in which they are stored, but what they add to is anywhere.
inline void Propagation::prefetch(const Node& node) const {
  const std::int32_t outcome = numeric_[std::max(node.feature, 0)].first_outcome + 2 * node.n_smaller;
  __builtin_prefetch(outcome_scores_.data() + static_cast<std::size_t>(outcome + 1) * n_scores_, 1);
  __builtin_prefetch(pooled_.data() + outcome, 1);
}

template <std::size_t kAdded, bool kNominal>
void Propagation::walk(ForestView forest, std::size_t tree) {
  using Stage = Visit::Stage;
  const Node* nodes = forest.nodes.data();
  const auto visit_at = [&](std::int32_t v, double reach) { return Visit{v, forest.no_child(v), reach}; };
  const auto is_nominal = [&](const Node& node) { return kNominal && tests_.is_nominal(node.feature); };
  const auto enter = [&](const Node& node, Visit& visit) {
    is_nominal(node) ? enter_nominal(node, visit) : enter_numeric(node, visit);
  };
  const auto skip = [&](const Node& node) {
    if (is_nominal(node)) drop_factors(node);
  };
  const std::int32_t last = forest.root[tree + 1] - 1;
  first_score_ = prepared_.first_score(tree);
  stack_.clear();
  if (!nodes[forest.root[tree]].is_leaf()) stack_.push_back(visit_at(forest.root[tree], 1.0));
  while (!stack_.empty()) {
    Visit& visit = stack_.back();
    const Node& node = nodes[visit.node];
    if (visit.stage == Stage::kNew) {
      if (!kNominal) prefetch(nodes[std::min(visit.node + kPrefetchAhead, last)]);
      is_nominal(node) ? add_nominal<kAdded>(node, visit) : add_numeric<kAdded>(node, visit);
      visit.stage = Stage::kAtYes;
      if (!nodes[visit.node + 1].is_leaf()) {
        enter(node, visit);
        stack_.push_back(visit_at(visit.node + 1, visit.reach * node.share));
        continue;
      }
      skip(node);
    } else {
      is_nominal(node) ? leave_nominal(node) : leave_numeric(node, visit);
    }
    if (visit.stage == Stage::kAtYes) {
      visit.stage = Stage::kAtNo;
      if (!nodes[visit.no_child].is_leaf()) {
        enter(node, visit);
        stack_.push_back(visit_at(visit.no_child, visit.reach * (1 - node.share)));
        continue;
      }
      skip(node);
    }
    stack_.pop_back();
  }
}

template <std::size_t kAdded>
void Propagation::add(std::int32_t outcome, double factor, const double* plus, const double* minus) {
  double* sum = at(outcome) + first_score_;
  for_each_score<kAdded>(n_added_, [&](std::size_t k) { sum[k] += factor * (plus[k] - minus[k]); });
}

template <std::size_t kAdded>
inline void Propagation::add_range(std::int32_t first, std::int32_t end, double factor, const double* plus, const double* minus) {
  double* __restrict at_first = at(first) + first_score_;
  double* __restrict at_end = at(end) + first_score_;
  for_each_score<kAdded>(n_added_, [&](std::size_t k) {
    const double added = factor * (plus[k] - minus[k]);
    at_first[k] += added;
    at_end[k] -= added;
  });
}

template <std::size_t kAdded>
void Propagation::add_numeric(const Node& node, const Visit& visit) {
  const double reach = visit.reach;
  const double* yes = expected_.data() + static_cast<std::size_t>(visit.node + 1) * n_added_;
  const double* no = expected_.data() + static_cast<std::size_t>(visit.no_child) * n_added_;
  const NumericPath& path = numeric_[node.feature];
  const std::int32_t first = path.first_outcome;
  const auto yes_of = [&](std::int32_t index) { return first + 2 * index; };
  const auto no_of = [&](std::int32_t index) { return first + 2 * index + 1; };
  const bool is_test = node.n_not_larger > node.n_smaller;
  if (is_test) {
    pooled_[yes_of(node.n_smaller)] += reach * node.share;
    pooled_[no_of(node.n_smaller)] += reach * (1 - node.share);
  }
  if (literal_) {
    if (!is_test) return;
    add_range<kAdded>(yes_of(node.n_smaller), yes_of(node.n_smaller + 1), reach * (1 - node.share), yes, no);
    add_range<kAdded>(no_of(node.n_smaller), no_of(node.n_smaller + 1), reach * node.share, no, yes);
    return;
  }
  if (path.first_yes < node.n_not_larger) {
    const double factor = reach * path.yes_factor * (1 - node.share);
    add_range<kAdded>(yes_of(path.first_yes), yes_of(node.n_not_larger), factor, yes, no);
  }
  if (node.n_smaller < path.end_no) {
    const double factor = reach * path.no_factor * node.share;
    add_range<kAdded>(no_of(node.n_smaller), no_of(path.end_no), factor, no, yes);
  }
}

template <std::size_t kAdded>
void Propagation::add_nominal(const Node& node, const Visit& visit) {
  const double reach = visit.reach;
  const double* yes = expected_.data() + static_cast<std::size_t>(visit.node + 1) * n_added_;
  const double* no = expected_.data() + static_cast<std::size_t>(visit.no_child) * n_added_;
  const auto& nominal = prepared_.nominal(node);
  const CategoryBits mask = prepared_.yes_categories(node);
  const std::size_t words = mask.size();
  const CategoryBits left = CategoryBits(categories_[node.feature]).last(words);
  pooled_[nominal.yes_outcome] += reach * node.share;
  if (tests_.kind[nominal.test] == model::Test::kSubset) {
    pooled_[nominal.yes_outcome + 1] += reach * (1 - node.share);
  } else {
    // The chain of a multiway node ends when one value is left on its no side.
    scratch_.resize(words);
    std::size_t n_left = 0;
    for (std::size_t i = 0; i < words; ++i) n_left += std::popcount(scratch_[i] = left[i] & ~mask[i]);
    if (n_left == 1) {
      const auto value = static_cast<std::int32_t>(proof::lowest(scratch_));
      pooled_[tests_.first_outcome[nominal.test] + value] += reach * (1 - node.share);
    }
  }

  // Frames for both children, the yes child's on top.
  const std::int32_t first = tests_.first_outcome[tests_.first[node.feature]];
  auto& factors = factors_[node.feature];
  const std::size_t n = n_outcomes(node.feature);
  const std::size_t here = factors.size() - n;
  factors.resize(factors.size() + 2 * n);
  scratch_.resize(words);
  for (std::size_t i = 0; i < n; ++i) {
    const double factor = factors[here + i];
    double& for_no = factors[here + n + i];
    double& for_yes = factors[here + 2 * n + i];
    for_no = for_yes = factor;
    if (factor == 0) continue;
    const auto outcome = first + static_cast<std::int32_t>(i);
    Overlap overlap;
    if (literal_) {
      const bool same = outcome >= tests_.first_outcome[nominal.test] && outcome < tests_.first_outcome[nominal.test + 1];
      overlap = !same ? Overlap::kBoth : outcome == nominal.yes_outcome ? Overlap::kInside : Overlap::kOutside;
    } else {
      const CategoryBits allowed = tests_.categories(outcome, node.feature);
      for (std::size_t w = 0; w < words; ++w) scratch_[w] = left[w] & allowed[w];
      overlap = proof::overlap(scratch_, mask);
    }
    switch (overlap) {
      case Overlap::kInside:
        add<kAdded>(outcome, reach * factor * (1 - node.share), yes, no);
        for_yes = factor / node.share;
        for_no = 0;
        break;
      case Overlap::kOutside:
        add<kAdded>(outcome, reach * factor * node.share, no, yes);
        for_no = factor / (1 - node.share);
        for_yes = 0;
        break;
      case Overlap::kNothingLeft:
        for_yes = for_no = 0;
        break;
      case Overlap::kBoth:
        break;
    }
  }
}

void Propagation::enter_nominal(const Node& node, const Visit& visit) {
  const CategoryBits mask = prepared_.yes_categories(node);
  auto& categories = categories_[node.feature];
  const std::size_t words = mask.size();
  const bool to_yes = visit.stage == Visit::Stage::kAtYes;
  for (std::size_t i = 0; i < words; ++i) {
    categories.push_back(categories[categories.size() - words] & (to_yes ? mask[i] : ~mask[i]));
  }
}

void Propagation::leave_nominal(const Node& node) {
  auto& categories = categories_[node.feature];
  categories.resize(categories.size() - tests_.n_words(node.feature));
  drop_factors(node);
}

void Propagation::drop_factors(const Node& node) {
  auto& factors = factors_[node.feature];
  factors.resize(factors.size() - n_outcomes(node.feature));
}

inline void Propagation::enter_numeric(const Node& node, Visit& visit) {
  NumericPath& path = numeric_[node.feature];
  if (visit.stage == Visit::Stage::kAtYes) {
    visit.saved_index = path.end_no;
    visit.saved_factor = path.yes_factor;
    path.end_no = std::min(path.end_no, node.n_smaller);
    path.yes_factor /= node.share;
  } else {
    visit.saved_index = path.first_yes;
    visit.saved_factor = path.no_factor;
    path.first_yes = std::max(path.first_yes, node.n_not_larger);
    path.no_factor /= 1 - node.share;
  }
}

inline void Propagation::leave_numeric(const Node& node, const Visit& visit) {
  NumericPath& path = numeric_[node.feature];
  if (visit.stage == Visit::Stage::kAtYes) {
    path.end_no = visit.saved_index;
    path.yes_factor = visit.saved_factor;
  } else {
    path.first_yes = visit.saved_index;
    path.no_factor = visit.saved_factor;
  }
}

void Propagation::finish(const Context& context) {
  for (std::size_t f = 0; f < tests_.n_features(); ++f) {
    if (tests_.is_nominal(f)) {
      for (std::int32_t o = tests_.first_outcome[tests_.first[f]]; o < tests_.first_outcome[tests_.first[f + 1]]; ++o) {
        for (std::size_t k = 0; k < n_scores_; ++k) at(o)[k] += total_[k];
      }
      continue;
    }
    const std::int32_t begin = tests_.first[f] + tests_.first_open(context, f);
    const std::int32_t end = tests_.first[f] + tests_.end_open(context, f);
    for (std::int32_t test = begin; test < end; ++test) {
      for (std::int32_t side = 0; side < 2; ++side) {
        const std::int32_t outcome = tests_.first_outcome[test] + side;
        const double* before = test == begin ? total_.data() : at(outcome - 2);
        for (std::size_t k = 0; k < n_scores_; ++k) at(outcome)[k] += before[k];
      }
    }
  }
}

}  // namespace sightline::distill::ism
