#include "sightline/distill/ism/forest.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "sightline/distill/ism/category_mask.hpp"

namespace sightline::distill::ism {

using category_mask::Side;

namespace {

// Branches that no training row took still lead somewhere; what is asked of them is divided
// by their share.
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
  Preparation(PreparedEnsemble& result, std::size_t max_thresholds) : out_(result), tests_(result.tests_) {
    tests_.n_values = result.ensemble_->n_values();
    collect();
    number_tests(max_thresholds);
    prepare_scores();
    for (std::size_t t = 0; t < result.ensemble_->n_trees(); ++t) convert(t);
    out_.forest_.root.push_back(static_cast<std::int32_t>(out_.forest_.nodes.size()));
  }

 private:
  using Words = std::vector<std::uint64_t>;

  struct NominalTests {
    std::set<Words> subsets;
    bool multiway = false;
  };

  void collect() {
    thresholds_.resize(tests_.n_features());
    nominal_.resize(tests_.n_features());
    for (const model::TreePtr& tree : out_.ensemble_->parts().trees) {
      for (model::NodeId v = 0; v < static_cast<model::NodeId>(tree->n_nodes()); ++v) {
        const std::int32_t f = tree->feature(v);
        if (tree->test(v) == model::Test::kThreshold) thresholds_[f].push_back(tree->threshold(v));
        if (tree->test(v) == model::Test::kSubset) nominal_[f].subsets.insert(words_of(*tree, v));
        if (tree->test(v) == model::Test::kMultiway) nominal_[f].multiway = true;
      }
    }
    for (auto& values : thresholds_) std::sort(values.begin(), values.end());
  }

  Words words_of(const model::Tree& tree, model::NodeId v) const {
    Words words(tests_.n_words(tree.feature(v)), 0);
    for (const std::int32_t value : tree.categories(v)) category_mask::add(words.data(), value);
    return words;
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
      for (const Words& subset : nominal_[f].subsets) {
        test_of_subset_[{f, subset}] = static_cast<std::int32_t>(tests_.n_tests());
        Words rest = category_mask::all(tests_.n_values[f]);
        for (std::size_t i = 0; i < rest.size(); ++i) rest[i] &= ~subset[i];
        add_mask(subset);
        add_mask(rest);
        add_test(model::Test::kSubset, f, 0, 2);
      }
      if (!nominal_[f].multiway) continue;
      for (std::int32_t value = 0; value < tests_.n_values[f]; ++value) {
        Words single(tests_.n_words(f), 0);
        category_mask::add(single.data(), value);
        add_mask(single);
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
    tests_.mask.resize(tests_.n_outcomes(), 0);
  }

  void add_mask(const Words& words) {
    tests_.mask.push_back(tests_.words.size());
    tests_.words.insert(tests_.words.end(), words.begin(), words.end());
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
    out_.forest_.root.push_back(static_cast<std::int32_t>(nodes.size()));
    start_path();
    std::vector<Waiting> waiting{{0, -1, 0, -1, 0, {}}};
    while (!waiting.empty()) {
      Waiting here = std::move(waiting.back());
      waiting.pop_back();
      roll_back(here.log_size);
      if (here.patch >= 0) {
        nodes[here.patch].other = static_cast<std::int32_t>(nodes.size());
        restrict_to_no(here);
      }
      descend(t, tree, here.source, waiting);
    }
  }

  // A no child that waits for its yes sibling: where it comes from, and what it excludes.
  struct Waiting {
    model::NodeId source;
    std::int32_t patch;  // the node whose no child it is
    std::size_t log_size;
    std::int32_t feature;
    double threshold;
    Words excluded;
  };

  // Follows yes children, emitting nodes, down to a leaf.
  void descend(std::size_t t, const model::Tree& tree, model::NodeId v, std::vector<Waiting>& waiting) {
    while (!tree.is_leaf(v)) {
      const std::int32_t f = tree.feature(v);
      v = tree.test(v) == model::Test::kThreshold ? pass_numeric(tree, v, f, waiting) : pass_nominal(tree, v, f, waiting);
    }
    Node leaf{-1, static_cast<std::int32_t>(out_.leaf_source_.size()), 0, 0, 0};
    out_.forest_.nodes.push_back(leaf);
    out_.leaf_source_.push_back(v);
    add_leaf_scores(t, tree, v);
  }

  model::NodeId pass_numeric(const model::Tree& tree, model::NodeId v, std::int32_t f, std::vector<Waiting>& waiting) {
    const double threshold = tree.threshold(v);
    const auto children = tree.children(v);
    if (high_[f] <= threshold) return children[0];
    if (low_[f] >= threshold) return children[1];
    const auto& all = thresholds_[f];
    const auto smaller = std::lower_bound(all.begin(), all.end(), threshold) - all.begin();
    const auto not_larger = std::upper_bound(all.begin(), all.end(), threshold) - all.begin();
    waiting.push_back({children[1], n_nodes(), log_.size(), f, threshold, {}});
    out_.forest_.nodes.push_back({f, -1, static_cast<std::int32_t>(smaller), static_cast<std::int32_t>(not_larger),
                                  yes_share(tree.weight(children[0]), tree.weight(children[1]))});
    remember(f);
    high_[f] = threshold;
    return children[0];
  }

  model::NodeId pass_nominal(const model::Tree& tree, model::NodeId v, std::int32_t f, std::vector<Waiting>& waiting) {
    const auto children = tree.children(v);
    Words& left = categories_[f];
    const bool multiway = tree.test(v) == model::Test::kMultiway;
    Words yes = multiway ? Words(left.size(), 0) : words_of(tree, v);
    if (multiway) category_mask::add(yes.data(), category_mask::lowest(left.data()));
    const model::NodeId yes_child = multiway ? children[category_mask::lowest(left.data())] : children[0];
    const Side side = category_mask::side_of(left.data(), yes.data(), left.size());
    if (side == Side::kInside) return yes_child;
    if (side == Side::kOutside) return children[1];

    double yes_weight = tree.weight(yes_child);
    double no_weight = 0;
    if (multiway) {
      for (std::size_t value = 0; value < children.size(); ++value) {
        if (category_mask::contains(left.data(), value) && children[value] != yes_child)
          no_weight += tree.weight(children[value]);
      }
    } else {
      no_weight = tree.weight(children[1]);
    }
    const std::int32_t test = multiway ? tests_.first[f + 1] - 1 : test_of_subset_.at({static_cast<std::size_t>(f), yes});
    const std::int32_t outcome =
        tests_.first_outcome[test] + (multiway ? static_cast<std::int32_t>(category_mask::lowest(left.data())) : 0);
    waiting.push_back({multiway ? v : children[1], n_nodes(), log_.size(), f, 0, yes});
    out_.forest_.nodes.push_back({f, -1, static_cast<std::int32_t>(out_.nominal_.size()), 0, yes_share(yes_weight, no_weight)});
    out_.nominal_.push_back({tests_.mask[outcome], test, outcome});
    remember(f);
    for (std::size_t i = 0; i < left.size(); ++i) left[i] &= yes[i];
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

  std::int32_t n_nodes() const { return static_cast<std::int32_t>(out_.forest_.nodes.size()); }

  // The path from the root: what is known per feature, and how to go back.
  struct Entry {
    std::int32_t feature;
    double low, high;
    Words categories;
  };

  void start_path() {
    log_.clear();
    low_.assign(tests_.n_features(), -std::numeric_limits<double>::infinity());
    high_.assign(tests_.n_features(), std::numeric_limits<double>::infinity());
    categories_.resize(tests_.n_features());
    for (std::size_t f = 0; f < tests_.n_features(); ++f) categories_[f] = category_mask::all(tests_.n_values[f]);
  }

  void remember(std::int32_t f) { log_.push_back({f, low_[f], high_[f], categories_[f]}); }

  void roll_back(std::size_t size) {
    while (log_.size() > size) {
      Entry& entry = log_.back();
      low_[entry.feature] = entry.low;
      high_[entry.feature] = entry.high;
      categories_[entry.feature] = std::move(entry.categories);
      log_.pop_back();
    }
  }

  void restrict_to_no(const Waiting& here) {
    remember(here.feature);
    if (here.excluded.empty()) {
      low_[here.feature] = here.threshold;
    } else {
      for (std::size_t i = 0; i < here.excluded.size(); ++i) categories_[here.feature][i] &= ~here.excluded[i];
    }
  }

  PreparedEnsemble& out_;
  Tests& tests_;
  std::vector<std::vector<double>> thresholds_;
  std::vector<NominalTests> nominal_;
  std::map<std::pair<std::size_t, Words>, std::int32_t> test_of_subset_;
  std::vector<double> low_, high_;
  std::vector<Words> categories_;
  std::vector<Entry> log_;
};

PreparedEnsemble::PreparedEnsemble(model::EnsemblePtr ensemble, model::Decision decision, std::size_t max_thresholds)
    : ensemble_(std::move(ensemble)), decision_(std::move(decision)) {
  Preparation(*this, max_thresholds);
}

Context PreparedEnsemble::everything() const {
  Context context;
  for (std::size_t f = 0; f < tests_.n_features(); ++f) {
    context.low.push_back(0);
    context.high.push_back(tests_.is_nominal(f) ? 0 : tests_.n_thresholds(f));
    context.categories.push_back(category_mask::all(tests_.n_values[f]));
  }
  return context;
}

void PreparedEnsemble::narrow(Context& context, std::int32_t test, std::int32_t outcome) const {
  const std::int32_t f = tests_.feature[test];
  if (tests_.is_nominal(f)) {
    const std::uint64_t* mask = tests_.outcome_mask(outcome);
    for (std::size_t i = 0; i < context.categories[f].size(); ++i) context.categories[f][i] &= mask[i];
    return;
  }
  const std::int32_t place = test - tests_.first[f];
  const bool yes = outcome == tests_.first_outcome[test];
  if (yes) {
    context.high[f] = std::min(context.high[f], place);
  } else {
    context.low[f] = std::max(context.low[f], place + 1);
  }
}

bool PreparedEnsemble::is_open(const Context& context, std::int32_t test) const {
  const std::int32_t f = tests_.feature[test];
  if (!tests_.is_nominal(f)) {
    const std::int32_t place = test - tests_.first[f];
    return context.low[f] <= place && place < context.high[f];
  }
  const auto& left = context.categories[f];
  if (tests_.kind[test] == model::Test::kMultiway) return category_mask::count(left.data(), left.size()) > 1;
  const std::uint64_t* yes = tests_.outcome_mask(tests_.first_outcome[test]);
  return category_mask::side_of(left.data(), yes, left.size()) == Side::kBoth;
}

namespace {

// Copies the trees of a forest, asking of each node that tests the changed feature whether
// it is decided now.
class Contraction {
 public:
  Contraction(const PreparedEnsemble& prepared, const Forest& from, const Context& context, std::int32_t test,
              std::int32_t outcome, bool literal)
      : prepared_(prepared),
        from_(from),
        feature_(prepared.tests().feature[test]),
        nominal_(prepared.tests().is_nominal(feature_)),
        low_(context.low[feature_]),
        high_(context.high[feature_]),
        path_(context.categories[feature_]),
        test_(test),
        place_(test - prepared.tests().first[feature_]),
        yes_(outcome == prepared.tests().first_outcome[test]),
        literal_(literal) {}

  Forest run() {
    to_.nodes.reserve(from_.nodes.size());
    to_.root.reserve(from_.root.size());
    for (std::size_t t = 0; t + 1 < from_.root.size(); ++t) copy_tree(from_.root[t]);
    to_.root.push_back(static_cast<std::int32_t>(to_.nodes.size()));
    to_.nodes.shrink_to_fit();
    return std::move(to_);
  }

 private:
  enum class Answer { kYes, kNo, kOpen };

  struct Waiting {
    std::int32_t source;
    std::int32_t patch;
    std::size_t log_size;
    std::int32_t node;  // the nominal node whose no child it is, or -1
  };

  void copy_tree(std::int32_t v) {
    to_.root.push_back(static_cast<std::int32_t>(to_.nodes.size()));
    waiting_.clear();
    for (;;) {
      const Node& node = from_.nodes[v];
      if (node.is_leaf()) {
        to_.nodes.push_back(node);
        if (waiting_.empty()) break;
        v = resume();
        continue;
      }
      const Answer answer = node.feature == feature_ ? ask(node) : Answer::kOpen;
      if (answer == Answer::kOpen) {
        keep(v, node);
        v = v + 1;
      } else {
        v = answer == Answer::kYes ? v + 1 : node.other;
      }
    }
    roll_back(0);
  }

  Answer ask(const Node& node) const {
    if (literal_) return asks_same_test(node);
    if (nominal_) {
      const auto& nominal = prepared_.nominal(node);
      switch (category_mask::side_of(path_.data(), prepared_.mask_of(nominal), path_.size())) {
        case Side::kBoth:
          return Answer::kOpen;
        case Side::kOutside:
          return Answer::kNo;
        default:
          return Answer::kYes;
      }
    }
    if (high_ < node.n_not_larger) return Answer::kYes;
    return low_ > node.n_smaller ? Answer::kNo : Answer::kOpen;
  }

  Answer asks_same_test(const Node& node) const {
    if (nominal_) {
      const auto& nominal = prepared_.nominal(node);
      if (nominal.test != test_) return Answer::kOpen;
      if (prepared_.tests().kind[test_] == model::Test::kMultiway) {
        const Side side = category_mask::side_of(path_.data(), prepared_.mask_of(nominal), path_.size());
        return side == Side::kInside ? Answer::kYes : Answer::kNo;
      }
      return yes_ ? Answer::kYes : Answer::kNo;
    }
    if (node.n_smaller != place_ || node.n_not_larger != place_ + 1) return Answer::kOpen;
    return yes_ ? Answer::kYes : Answer::kNo;
  }

  void keep(std::int32_t v, const Node& node) {
    const bool narrows = nominal_ && !literal_ && node.feature == feature_;
    waiting_.push_back({node.other, static_cast<std::int32_t>(to_.nodes.size()), log_.size(), narrows ? v : -1});
    to_.nodes.push_back(node);
    if (narrows) narrow_path(node, true);
  }

  std::int32_t resume() {
    const Waiting next = waiting_.back();
    waiting_.pop_back();
    roll_back(next.log_size);
    if (next.node >= 0) narrow_path(from_.nodes[next.node], false);
    to_.nodes[next.patch].other = static_cast<std::int32_t>(to_.nodes.size());
    return next.source;
  }

  void narrow_path(const Node& node, bool yes) {
    log_.push_back(path_);
    const std::uint64_t* mask = prepared_.mask_of(prepared_.nominal(node));
    for (std::size_t i = 0; i < path_.size(); ++i) path_[i] &= yes ? mask[i] : ~mask[i];
  }

  void roll_back(std::size_t size) {
    while (log_.size() > size) {
      path_ = std::move(log_.back());
      log_.pop_back();
    }
  }

  const PreparedEnsemble& prepared_;
  const Forest& from_;
  std::int32_t feature_;
  bool nominal_;
  std::int32_t low_, high_;
  std::vector<std::uint64_t> path_;  // categories left here
  std::int32_t test_, place_;
  bool yes_;
  bool literal_;
  Forest to_;
  std::vector<Waiting> waiting_;
  std::vector<std::vector<std::uint64_t>> log_;
};

}  // namespace

Forest PreparedEnsemble::contracted(const Forest& from, const Context& context, std::int32_t test, std::int32_t outcome,
                                    bool literal) const {
  return Contraction(*this, from, context, test, outcome, literal).run();
}

}  // namespace sightline::distill::ism
