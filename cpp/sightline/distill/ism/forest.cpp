#include "sightline/distill/ism/forest.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace sightline::distill::ism {

using proof::CategorySet;
using proof::Overlap;

namespace {

// Keeps shares away from 0 and 1: rows can reach a branch that no training row took, and its share
// is a divisor.
constexpr double kMinShare = 1e-9;

double away_from_ends(double share) { return std::clamp(share, kMinShare, 1 - kMinShare); }

std::vector<double> spread_evenly(const std::vector<double>& sorted_with_repeats, std::size_t wanted) {
  std::vector<double> unique = sorted_with_repeats;
  unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
  if (wanted == 0 || unique.size() <= wanted) return unique;
  std::vector<double> chosen;
  for (std::size_t i = 0; i < wanted; ++i) {
    const double value = sorted_with_repeats[(2 * i + 1) * sorted_with_repeats.size() / (2 * wanted)];
    if (chosen.empty() || chosen.back() < value) chosen.push_back(value);
  }
  return chosen;
}

}  // namespace

// Numbers the tests and converts the trees.
class Preparation {
 public:
  Preparation(PreparedEnsemble& result, std::size_t max_thresholds)
      : out_(result), tests_(result.tests_), path_(result.ensemble_->n_values()) {
    tests_.n_values = result.ensemble_->n_values();
    collect();
    number_tests(max_thresholds);
    prepare_scores();
    for (std::size_t t = 0; t < result.ensemble_->n_trees(); ++t) convert(t);
    out_.forest_.root.push_back(static_cast<std::int32_t>(out_.forest_.nodes.size()));
  }

 private:
  struct NominalTests {
    std::set<CategorySet> subsets;
    bool multiway = false;
  };

  void collect() {
    thresholds_.resize(tests_.n_features());
    nominal_.resize(tests_.n_features());
    for (const model::TreePtr& tree : out_.ensemble_->parts().trees) {
      for (model::NodeId v = 0; v < static_cast<model::NodeId>(tree->n_nodes()); ++v) {
        const std::int32_t f = tree->feature(v);
        if (tree->test(v) == model::Test::kThreshold) thresholds_[f].push_back(tree->threshold(v));
        if (tree->test(v) == model::Test::kSubset) nominal_[f].subsets.insert(categories_of(*tree, v));
        if (tree->test(v) == model::Test::kMultiway) nominal_[f].multiway = true;
      }
    }
    for (auto& values : thresholds_) std::sort(values.begin(), values.end());
  }

  CategorySet categories_of(const model::Tree& tree, model::NodeId v) const {
    CategorySet set(tests_.n_values[tree.feature(v)]);
    for (const std::int32_t value : tree.categories(v)) set.add(value);
    return set;
  }

  void number_tests(std::size_t max_thresholds) {
    tests_.first_outcome.push_back(0);
    for (std::size_t f = 0; f < tests_.n_features(); ++f) {
      tests_.first.push_back(static_cast<std::int32_t>(tests_.n_tests()));
      if (!tests_.is_nominal(f)) {
        thresholds_[f] = spread_evenly(thresholds_[f], max_thresholds);
        for (const double value : thresholds_[f]) add_test(model::Test::kThreshold, f, value, 2);
        add_test(model::Test::kThreshold, f, std::numeric_limits<double>::infinity(), 2);
        continue;
      }
      for (const CategorySet& subset : nominal_[f].subsets) {
        test_of_subset_[{f, subset}] = static_cast<std::int32_t>(tests_.n_tests());
        CategorySet rest = CategorySet::all(tests_.n_values[f]);
        rest.remove(subset);
        add_outcome(subset);
        add_outcome(rest);
        add_test(model::Test::kSubset, f, 0, 2);
      }
      if (!nominal_[f].multiway) continue;
      for (std::int32_t value = 0; value < tests_.n_values[f]; ++value) {
        CategorySet single(tests_.n_values[f]);
        single.add(value);
        add_outcome(single);
      }
      add_test(model::Test::kMultiway, f, 0, tests_.n_values[f]);
    }
    tests_.first.push_back(static_cast<std::int32_t>(tests_.n_tests()));
  }

  void add_test(model::Test kind, std::size_t f, double threshold, std::int32_t n_outcomes) {
    tests_.kind.push_back(kind);
    tests_.feature.push_back(static_cast<std::int32_t>(f));
    tests_.threshold.push_back(threshold);
    tests_.first_outcome.push_back(tests_.first_outcome.back() + n_outcomes);
    tests_.first_word.resize(tests_.n_outcomes(), 0);
  }

  void add_outcome(proof::CategoryBits categories) {
    tests_.first_word.push_back(tests_.words.size());
    tests_.words.insert(tests_.words.end(), categories.begin(), categories.end());
  }

  void prepare_scores() {
    const model::EnsembleParts& parts = out_.ensemble_->parts();
    const bool one_each = std::none_of(parts.tree_score.begin(), parts.tree_score.end(), [](std::int32_t s) { return s < 0; });
    out_.n_added_ = one_each ? 1 : parts.n_scores;
    for (const std::int32_t score : parts.tree_score) out_.score_of_tree_.push_back(std::max(score, 0));
    for (const double score : parts.base) out_.base_.push_back(out_.decision_.rule.divided(score));
  }

  void convert(std::size_t t) {
    const model::Tree& tree = *out_.ensemble_->parts().trees[t];
    auto& nodes = out_.forest_.nodes;
    const auto root = static_cast<std::int32_t>(nodes.size());
    out_.forest_.root.push_back(root);
    std::vector<Waiting> waiting{{0, 0, -1, 0, {}}};
    while (!waiting.empty()) {
      Waiting here = std::move(waiting.back());
      waiting.pop_back();
      roll_back(here.log_size);
      if (here.feature >= 0) restrict_to_no(here);
      descend(t, tree, here.source, waiting);
    }
    roll_back(0);
    for (auto v = static_cast<std::int32_t>(nodes.size()); v-- > root;) {
      if (!nodes[v].is_leaf()) nodes[v].size = 1 + nodes[v + 1].size + nodes[out_.forest_.no_child(v)].size;
    }
  }

  // A no child that waits until its yes sibling is done: its origin and the values it excludes.
  struct Waiting {
    model::NodeId source;
    std::size_t log_size;
    std::int32_t feature;  // -1: the root
    double threshold;
    CategorySet excluded;
  };

  // Follows yes children, emitting nodes, down to a leaf.
  void descend(std::size_t t, const model::Tree& tree, model::NodeId v, std::vector<Waiting>& waiting) {
    while (!tree.is_leaf(v)) {
      const std::int32_t f = tree.feature(v);
      v = tree.test(v) == model::Test::kThreshold ? pass_numeric(tree, v, f, waiting) : pass_nominal(tree, v, f, waiting);
    }
    out_.forest_.nodes.push_back({~static_cast<std::int32_t>(out_.leaf_source_.size()), 1, 0, 0, 0});
    out_.leaf_source_.push_back(v);
    add_leaf_scores(t, tree, v);
  }

  model::NodeId pass_numeric(const model::Tree& tree, model::NodeId v, std::int32_t f, std::vector<Waiting>& waiting) {
    const double threshold = tree.threshold(v);
    const auto children = tree.children(v);
    const proof::Interval here = path_.interval(f);
    if (here.above(threshold).empty()) return children[0];
    if (here.at_most(threshold).empty()) return children[1];
    const auto& all = thresholds_[f];
    const auto smaller = std::lower_bound(all.begin(), all.end(), threshold) - all.begin();
    const auto not_larger = std::upper_bound(all.begin(), all.end(), threshold) - all.begin();
    waiting.push_back({children[1], log_.size(), f, threshold, {}});
    out_.forest_.nodes.push_back({f, 0, static_cast<std::int32_t>(smaller), static_cast<std::int32_t>(not_larger),
                                  yes_share(tree.weight(children[0]), tree.weight(children[1]))});
    remember(f);
    path_.keep(f, here.at_most(threshold));
    return children[0];
  }

  model::NodeId pass_nominal(const model::Tree& tree, model::NodeId v, std::int32_t f, std::vector<Waiting>& waiting) {
    const auto children = tree.children(v);
    const CategorySet& left = path_.allowed(f);
    const bool multiway = tree.test(v) == model::Test::kMultiway;
    const std::size_t value = multiway ? lowest(left) : 0;
    CategorySet yes = multiway ? CategorySet(tests_.n_values[f]) : categories_of(tree, v);
    if (multiway) yes.add(value);
    const model::NodeId yes_child = children[value];
    const Overlap overlap = proof::overlap(left, yes);
    if (overlap == Overlap::kInside) return yes_child;
    if (overlap == Overlap::kOutside) return children[1];

    double yes_weight = tree.weight(yes_child);
    double no_weight = 0;
    if (multiway) {
      for (std::size_t other = value + 1; other < children.size(); ++other) {
        if (left.contains(other)) no_weight += tree.weight(children[other]);
      }
    } else {
      no_weight = tree.weight(children[1]);
    }
    const std::int32_t test = multiway ? tests_.first[f + 1] - 1 : test_of_subset_.at({static_cast<std::size_t>(f), yes});
    const std::int32_t outcome = tests_.first_outcome[test] + static_cast<std::int32_t>(value);
    waiting.push_back({multiway ? v : children[1], log_.size(), f, 0, yes});
    out_.forest_.nodes.push_back({f, 0, static_cast<std::int32_t>(out_.nominal_.size()), 0, yes_share(yes_weight, no_weight)});
    out_.nominal_.push_back({tests_.first_word[outcome], test, outcome});
    remember(f);
    path_.keep(f, yes);
    return yes_child;
  }

  void add_leaf_scores(std::size_t t, const model::Tree& tree, model::NodeId v) {
    const model::EnsembleParts& parts = out_.ensemble_->parts();
    const auto output = tree.output(v);
    const std::size_t vote = parts.combine == model::Combine::kVote ? model::argmax(output, parts.tie_tolerance) : 0;
    const std::size_t begin = out_.leaf_scores_.size();
    out_.leaf_scores_.resize(begin + out_.n_added_, 0.0);
    for (std::size_t k = 0; k < output.size(); ++k) {
      double added = parts.tree_weight[t] * output[k];
      if (parts.combine == model::Combine::kVote) added = k == vote ? parts.tree_weight[t] : parts.vote_against[t];
      const std::size_t at = output.size() == 1 && out_.n_added_ > 1 ? out_.score_of_tree_[t] : k;
      out_.leaf_scores_[begin + at] = out_.decision_.rule.divided(added);
    }
  }

  static double yes_share(double yes, double no) { return yes + no > 0 ? away_from_ends(yes / (yes + no)) : 0.5; }

  void remember(std::int32_t f) { log_.push_back({f, path_.side(f)}); }

  void roll_back(std::size_t size) {
    while (log_.size() > size) {
      path_.restore(log_.back().feature, std::move(log_.back().side));
      log_.pop_back();
    }
  }

  void restrict_to_no(const Waiting& here) {
    remember(here.feature);
    if (tests_.is_nominal(here.feature)) {
      path_.remove(here.feature, here.excluded);
    } else {
      path_.keep(here.feature, path_.interval(here.feature).above(here.threshold));
    }
  }

  PreparedEnsemble& out_;
  Tests& tests_;
  std::vector<std::vector<double>> thresholds_;
  std::vector<NominalTests> nominal_;
  std::map<std::pair<std::size_t, CategorySet>, std::int32_t> test_of_subset_;

  // The path from the root of a tree, with what is needed to go back.
  struct Entry {
    std::int32_t feature;
    proof::Box::Side side;
  };
  proof::Box path_;
  std::vector<Entry> log_;
};

PreparedEnsemble::PreparedEnsemble(model::EnsemblePtr ensemble, model::Decision decision, std::size_t max_thresholds)
    : ensemble_(std::move(ensemble)), decision_(std::move(decision)) {
  Preparation(*this, max_thresholds);
}

Context PreparedEnsemble::everything() const {
  Context context(tests_.n_values);
  for (std::size_t f = 0; f < tests_.n_features(); ++f) {
    context.forbid_missing(f);
    // Up to the sentinel.
    if (!tests_.is_nominal(f)) context.keep(f, {-1, 2.0 * tests_.n_thresholds(f) + 1});
  }
  return context;
}

void PreparedEnsemble::narrow(Context& context, std::int32_t test, std::int32_t outcome) const {
  const std::int32_t f = tests_.feature[test];
  if (tests_.is_nominal(f)) {
    context.keep(f, tests_.categories(outcome, f));
    return;
  }
  const double rank = 2.0 * (test - tests_.first[f]) + 1;
  const bool yes = outcome == tests_.first_outcome[test];
  context.keep(f, yes ? context.interval(f).at_most(rank) : context.interval(f).above(rank));
}

bool PreparedEnsemble::is_open(const Context& context, std::int32_t test) const {
  const std::int32_t f = tests_.feature[test];
  if (!tests_.is_nominal(f)) {
    const std::int32_t index = test - tests_.first[f];
    return tests_.first_open(context, f) <= index && index < tests_.end_open(context, f);
  }
  const CategorySet& left = context.allowed(f);
  if (tests_.kind[test] == model::Test::kMultiway) return left.size() > 1;
  return overlap(left, tests_.categories(tests_.first_outcome[test], f)) == Overlap::kBoth;
}

}  // namespace sightline::distill::ism
