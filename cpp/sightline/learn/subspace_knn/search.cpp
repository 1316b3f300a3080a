#include "sightline/learn/subspace_knn/search.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "sightline/learn/subspace_knn/leave_one_out.hpp"
#include "sightline/learn/subspace_knn/subset_cache.hpp"

namespace sightline::learn::subspace_knn {
namespace {

class FeatureMetric {
 public:
  using Distance = std::int32_t;
  explicit FeatureMetric(const CaseRows& rows) : rows_(rows) {}
  std::size_t n_rows() const { return rows_.n_rows(); }
  void write(std::size_t feature, std::size_t row, std::size_t begin, std::size_t end, std::int32_t* out) const {
    write_differences(rows_, feature, rows_.value(feature, row), begin, end, out);
  }
  static std::int32_t just_below(std::int32_t distance) { return distance - 1; }

 private:
  const CaseRows& rows_;
};

// The number of rows a member gets wrong, and on which it differs from the ensemble.
struct Measures {
  std::int64_t wrong = 0;
  std::int64_t differing = 0;
};

class Search {
 public:
  Search(const Cases& cases, Masks masks, const SearchOptions& options, runtime::StopPoll& poll)
      : cases_(cases),
        options_(options),
        poll_(poll),
        n_(cases.rows.n_rows()),
        n_classes_(cases.labels.n_classes()),
        metric_(cases.rows),
        pairs_(metric_, options.k, options.n_threads),
        totals_(n_ * n_classes_, 0),
        trial_(n_ * n_classes_),
        together_(n_classes_),
        cache_(n_ * n_classes_) {
    result_.masks = std::move(masks);
    ask_all_members();
  }

  SearchResult run() {
    while (result_.n_passes < options_.max_passes && !result_.is_settled) {
      ++result_.n_passes;
      bool changed = false;
      for (std::size_t m = 0; m < result_.masks.n_members(); ++m) changed |= climb(m);
      result_.is_settled = !changed;
    }
    write_result();
    return std::move(result_);
  }

 private:
  // Stored member by member, so that a member's shares can be replaced at once. The search needs the distances of every
  // member anyway, and finds neighbors faster among them than `member_shares` does.
  void ask_all_members() {
    for (std::size_t m = 0; m < result_.masks.n_members(); ++m) {
      hold(m);
      const std::int64_t wrong = ask(Change::kNone, 0, static_cast<std::int64_t>(n_));
      cache_.keep(subset_of(m), {wrong, trial_});
      for (std::size_t i = 0; i < totals_.size(); ++i) totals_[i] += trial_[i];
      shares_.push_back(trial_);
    }
  }

  void write_result() {
    const std::size_t width = shares_.size() * n_classes_;
    result_.shares.resize(n_ * width);
    for (std::size_t row = 0; row < n_; ++row) {
      for (std::size_t m = 0; m < shares_.size(); ++m) {
        std::copy_n(shares_[m].data() + row * n_classes_, n_classes_, result_.shares.data() + row * width + m * n_classes_);
      }
    }
  }

  bool climb(std::size_t m) {
    const std::uint8_t* mask = result_.masks.member(m);
    const std::size_t n_features = result_.masks.n_features;
    Measures now = measured(m, shares_[m]);
    bool changed = false;
    auto n_used = std::count(mask, mask + n_features, std::uint8_t{1});
    for (std::size_t f = 0; f < n_features; ++f) {
      if (mask[f] && n_used == 1) continue;  // an empty mask has no neighbors
      Measures then;
      if (!is_better(m, f, now, then)) continue;
      take_over(m, f);
      n_used += mask[f] ? 1 : -1;
      now = then;
      changed = true;
    }
    return changed;
  }

  // The measures of member m if these were its shares.
  Measures measured(std::size_t m, const std::vector<std::int32_t>& shares) {
    Measures result;
    for (std::size_t row = 0; row < n_; ++row) {
      const std::size_t first = row * n_classes_;
      for (std::size_t c = 0; c < n_classes_; ++c) together_[c] = totals_[first + c] - shares_[m][first + c] + shares[first + c];
      const std::int32_t own = cases_.labels.winner(shares.data() + first);
      result.wrong += own != cases_.labels[row];
      result.differing += own != cases_.labels.winner(together_.data());
    }
    return result;
  }

  // More errors than this are never accepted, whatever the ambiguity.
  std::int64_t max_wrong(const Measures& now) const {
    const auto tolerated = static_cast<std::int64_t>((1 + options_.threshold) * static_cast<double>(now.wrong));
    return options_.with_ambiguity ? std::max(now.wrong - 1, tolerated) : now.wrong - 1;
  }

  // Whether flipping the feature improves member m; if so, its shares are in `trial_`.
  bool is_better(std::size_t m, std::size_t feature, const Measures& now, Measures& then) {
    const std::int64_t most = max_wrong(now);
    SubsetCache::Subset subset = subset_of(m);
    subset[feature].flip();
    const SubsetCache::Entry* known = cache_.find(subset);
    if (known != nullptr && known->min_wrong > most) return false;
    if (known != nullptr && !known->shares.empty()) {
      trial_ = known->shares;
    } else {
      hold(m);
      const std::int64_t wrong = ask(change_of(m, feature), feature, most);
      cache_.keep(subset, {wrong, wrong > most ? std::vector<std::int32_t>() : trial_});
      if (wrong > most) return false;
    }
    then = measured(m, trial_);
    return accepts(now, then);
  }

  // Asks the member whose distances are held, after a change. Writes `trial_` and returns its errors. Stops early when there are
  // more than `most`.
  std::int64_t ask(Change change, std::size_t feature, std::int64_t most) {
    std::atomic<std::int64_t> wrong{0};
    const double unit = cases_.rows.unit();
    pairs_.try_change(change, feature, poll_, [&](std::size_t row, const NearestList<std::int32_t>& nearest) {
      thread_local std::vector<double> weights;
      std::int32_t* share = trial_.data() + row * n_classes_;
      cases_.labels.write_shares(nearest, unit, weights, share);
      if (cases_.labels.winner(share) != cases_.labels[row]) wrong.fetch_add(1, std::memory_order_relaxed);
      return wrong.load(std::memory_order_relaxed) <= most;
    });
    return wrong;
  }

  SubsetCache::Subset subset_of(std::size_t m) const {
    const std::uint8_t* mask = result_.masks.member(m);
    return SubsetCache::Subset(mask, mask + result_.masks.n_features);
  }

  // Sets the pairwise distances to those of member m.
  void hold(std::size_t m) {
    if (held_ == m) return;
    const std::uint8_t* mask = result_.masks.member(m);
    std::vector<std::size_t> used;
    for (std::size_t f = 0; f < result_.masks.n_features; ++f) {
      if (mask[f]) used.push_back(f);
    }
    pairs_.begin(used, poll_);
    held_ = m;
  }

  Change change_of(std::size_t m, std::size_t feature) const {
    return result_.masks.member(m)[feature] ? Change::kRemove : Change::kAdd;
  }

  bool accepts(const Measures& now, const Measures& then) const {
    if (!options_.with_ambiguity) return then.wrong < now.wrong;
    const double t = options_.threshold;
    const bool fewer_wrong = then.wrong < now.wrong && then.differing >= (1 - t) * static_cast<double>(now.differing);
    const bool more_ambiguous = then.differing > now.differing && then.wrong <= (1 + t) * static_cast<double>(now.wrong);
    return fewer_wrong || more_ambiguous;
  }

  void take_over(std::size_t m, std::size_t feature) {
    if (held_ == m) pairs_.make(change_of(m, feature), feature, poll_);
    result_.masks.member(m)[feature] ^= 1;
    for (std::size_t i = 0; i < totals_.size(); ++i) totals_[i] += trial_[i] - shares_[m][i];
    shares_[m].swap(trial_);
  }

  const Cases& cases_;
  const SearchOptions& options_;
  runtime::StopPoll& poll_;
  std::size_t n_, n_classes_;
  FeatureMetric metric_;
  LeaveOneOut<FeatureMetric> pairs_;
  std::vector<std::vector<std::int32_t>> shares_;
  std::vector<std::int64_t> totals_;
  std::vector<std::int32_t> trial_;
  std::vector<std::int64_t> together_;
  SubsetCache cache_;
  static constexpr std::size_t kNobody = ~std::size_t{0};
  std::size_t held_ = kNobody;  // the member whose pairwise distances are stored
  SearchResult result_;
};

}  // namespace

SearchResult search_subspaces(const Cases& cases, Masks masks, const SearchOptions& options, runtime::StopPoll& poll) {
  return Search(cases, std::move(masks), options, poll).run();
}

}  // namespace sightline::learn::subspace_knn
