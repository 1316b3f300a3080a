#include "sightline/proof/counterfactual.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "sightline/runtime/budget.hpp"

namespace sightline::proof {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 30;
// Boxes to split before another region may be more promising. Turning to a region costs as much as some boxes.
constexpr std::int64_t kBoxesPerTurn = 64;
// Whether many sets of columns can be dismissed together is worth a look from this number on.
constexpr double kWorthALook = 4;

using ColumnSet = std::vector<std::int32_t>;  // ascending

double n_choices(std::size_t n, std::size_t k) {
  if (k > n) return 0;
  double result = 1;
  for (std::size_t i = 0; i < k; ++i) result *= static_cast<double>(n - i) / static_cast<double>(i + 1);
  return result;
}

// A set of columns that may change. The search begins when the region is first looked at.
struct Region {
  ColumnSet columns;
  double floor = 0;  // no row of it costs less
  std::unique_ptr<RegionSearch> search;

  double bound() const { return search ? std::max(floor, search->bound()) : floor; }
  double best_cost() const { return search ? search->best_cost() : RegionSearch::kNone; }
  bool is_done() const { return search && search->is_done(); }
};

class CounterfactualSearch {
 public:
  CounterfactualSearch(const std::vector<Demand>& demands, const std::vector<ColumnChange>& columns,
                       const CounterfactualOptions& options, runtime::StopPoll& poll)
      : demands_(demands), columns_(columns), options_(options), budget_(options.max_boxes, options.max_seconds, poll) {
    for (std::size_t f = 0; f < columns.size(); ++f) {
      if (!columns[f].is_fixed) changeable_.push_back(static_cast<std::int32_t>(f));
    }
  }

  Counterfactuals run() {
    const auto n_columns = static_cast<std::int32_t>(changeable_.size());
    const bool is_possible = may_be_met(changeable_);
    if (!is_possible) {
      result_.complete = true;
    } else if (options_.fewest_columns_first) {
      const std::int32_t last = std::min(options_.max_changes, n_columns);
      for (n_changes_ = 1; n_changes_ <= last && !is_over(); ++n_changes_) {
        if (!collect_regions({}, 0)) break;
        if (!visit_regions()) break;
        result_.complete = n_changes_ == last;
      }
    } else {
      add_region(changeable_, 0);
      result_.complete = visit_regions();
    }
    result_.n_boxes = budget_.steps();
    return std::move(result_);
  }

 private:
  bool is_over() const { return result_.rows.size() == static_cast<std::size_t>(options_.max_rows); }

  // Whether bounds do not rule out that some row that changes these columns only meets the demands.
  bool may_be_met(const ColumnSet& may_change) {
    budget_.spend();
    const Box box = region_box(columns_, may_change);
    return std::none_of(demands_.begin(), demands_.end(), [&](const Demand& demand) {
      demand.model().start(box);
      return demand.excluded(box);
    });
  }

  bool holds_a_known_set(const ColumnSet& columns) const {
    return std::any_of(known_sets_.begin(), known_sets_.end(), [&](const ColumnSet& known) {
      return std::includes(columns.begin(), columns.end(), known.begin(), known.end());
    });
  }

  // Adds the sets of n_changes_ columns that begin with `chosen` and go on with those from `next` on, unless
  // bounds show that they do not suffice. False if the budget is used up.
  bool collect_regions(const ColumnSet& chosen, std::size_t next) {
    if (budget_.exhausted()) return stop_here(0);
    if (holds_a_known_set(chosen)) return true;
    const std::size_t missing = static_cast<std::size_t>(n_changes_) - chosen.size();
    const double n_sets = n_choices(changeable_.size() - next, missing);
    if (missing == 0 || n_sets >= kWorthALook) {
      ColumnSet all = chosen;
      if (missing > 0) all.insert(all.end(), changeable_.begin() + static_cast<std::ptrdiff_t>(next), changeable_.end());
      if (!may_be_met(all)) return true;
    }
    if (missing == 0) {
      add_region(chosen, 0);
      return true;
    }
    for (std::size_t i = next; i + missing <= changeable_.size(); ++i) {
      ColumnSet longer = chosen;
      longer.push_back(changeable_[i]);
      if (!collect_regions(longer, i + 1)) return false;
    }
    return true;
  }

  void add_region(ColumnSet columns, double floor) {
    if (!sets_.insert(columns).second) return;
    regions_.push_back({std::move(columns), floor, nullptr});
  }

  // Takes turns between the regions, the nearest first, until there are rows enough or all regions are done.
  // False if the budget is used up.
  bool visit_regions() {
    while (!regions_.empty() && !is_over()) {
      const auto first = std::min_element(regions_.begin(), regions_.end(),
                                          [](const Region& a, const Region& b) { return a.bound() < b.bound(); });
      if (first->is_done()) {
        finish(static_cast<std::size_t>(first - regions_.begin()));
        continue;
      }
      if (budget_.exhausted()) return stop_here(first->bound());
      take_turn(*first);
    }
    regions_.clear();
    sets_.clear();
    present_ = nullptr;
    return true;
  }

  void take_turn(Region& region) {
    if (!region.search) {
      region.search = std::make_unique<RegionSearch>(columns_, demands_, plausible(), region.columns);
    } else if (present_ != region.search.get()) {
      region.search->resume();
    }
    present_ = region.search.get();
    const std::size_t before = region.search->memory();
    region.search->run(kBoxesPerTurn, cutoff(), budget_);
    bytes_ += region.search->memory() - before;
    if (bytes_ > kMaxBytes) budget_.exhaust();
  }

  const PlausibleRows* plausible() const { return options_.plausible.width.empty() ? nullptr : &options_.plausible; }

  // What the last row that is still wanted costs at most.
  double cutoff() const {
    const std::size_t wanted = static_cast<std::size_t>(options_.max_rows) - result_.rows.size();
    std::vector<double> costs;
    for (const Region& region : regions_) {
      if (region.best_cost() < RegionSearch::kNone) costs.push_back(region.best_cost());
    }
    // Where columns may stay as they are, the best rows of two regions may be the same.
    if (costs.size() < wanted || (!options_.fewest_columns_first && wanted > 1)) return RegionSearch::kNone;
    std::nth_element(costs.begin(), costs.begin() + static_cast<std::ptrdiff_t>(wanted - 1), costs.end());
    return costs[wanted - 1];
  }

  RowDistance distance(double cost) const { return {options_.fewest_columns_first ? n_changes_ : 0, cost}; }

  // The nearest of all regions is done: its best row is the nearest one, if it has any.
  void finish(std::size_t index) {
    Region region = std::move(regions_[index]);
    regions_.erase(regions_.begin() + static_cast<std::ptrdiff_t>(index));
    if (region.best_cost() == RegionSearch::kNone) return;
    const double cost = region.best_cost();
    result_.bound = distance(cost);
    result_.rows.push_back({region.search->best_row(), cost, result_.bound, true});
    known_sets_.push_back(changed_columns(region.search->best_row()));
    if (!options_.fewest_columns_first) {
      regions_.push_back(std::move(region));
      leave_out_known_set(cost);
    }
  }

  ColumnSet changed_columns(const std::vector<double>& row) const {
    ColumnSet changed;
    for (const std::int32_t f : changeable_) {
      const bool is_own = std::isnan(columns_[f].own) ? std::isnan(row[f]) : row[f] == columns_[f].own;
      if (!is_own) changed.push_back(f);
    }
    return changed;
  }

  // Every further row keeps a column that the last one changes: a region per such column takes the place of each
  // region that holds them all.
  void leave_out_known_set(double floor) {
    const ColumnSet& known = known_sets_.back();
    std::vector<Region> before = std::move(regions_);
    regions_.clear();
    present_ = nullptr;
    for (Region& region : before) {
      if (!std::includes(region.columns.begin(), region.columns.end(), known.begin(), known.end())) {
        regions_.push_back(std::move(region));
        continue;
      }
      for (const std::int32_t kept : known) {
        ColumnSet others = region.columns;
        others.erase(std::find(others.begin(), others.end(), kept));
        add_region(std::move(others), floor);
      }
    }
  }

  // The budget is used up: what is known by now.
  bool stop_here(double bound) {
    result_.bound = distance(bound);
    std::sort(regions_.begin(), regions_.end(), [](const Region& a, const Region& b) { return a.best_cost() < b.best_cost(); });
    for (const Region& region : regions_) {
      if (is_over() || region.best_cost() == RegionSearch::kNone) break;
      const ColumnSet changed = changed_columns(region.search->best_row());
      if (holds_a_known_set(changed)) continue;
      result_.rows.push_back({region.search->best_row(), region.best_cost(), result_.bound, false});
      known_sets_.push_back(changed);
    }
    return false;
  }

  const std::vector<Demand>& demands_;
  const std::vector<ColumnChange>& columns_;
  const CounterfactualOptions& options_;
  runtime::Budget budget_;
  ColumnSet changeable_;
  std::int32_t n_changes_ = 0;  // of the sets that are being visited
  std::vector<Region> regions_;
  std::set<ColumnSet> sets_;               // of all regions there have been
  const RegionSearch* present_ = nullptr;  // the search that the models look at
  std::vector<ColumnSet> known_sets_;      // changed by the rows of the result
  std::size_t bytes_ = 0;
  Counterfactuals result_;
};

}  // namespace

Counterfactuals counterfactuals(const std::vector<Demand>& demands, const std::vector<ColumnChange>& columns,
                                const CounterfactualOptions& options, runtime::StopPoll& poll) {
  return CounterfactualSearch(demands, columns, options, poll).run();
}

}  // namespace sightline::proof
