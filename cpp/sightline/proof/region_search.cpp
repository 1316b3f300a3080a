#include "sightline/proof/region_search.hpp"

#include <algorithm>

namespace sightline::proof {
namespace {

// Costs this close are equal: along a line in a leaf, rows get ever nearer to the nearest one.
constexpr double kNear = 1e-9;

}  // namespace

Box region_box(std::span<const ColumnChange> columns, std::span<const std::int32_t> may_change) {
  std::vector<std::int32_t> n_values;
  for (const ColumnChange& column : columns) n_values.push_back(column.n_values);
  Box box(n_values);
  for (std::size_t f = 0; f < columns.size(); ++f) box.restore(f, columns[f].own_side());
  for (const std::int32_t f : may_change) box.restore(f, columns[f].free_side());
  return box;
}

std::vector<std::int32_t> PlausibleRows::near(std::span<const ColumnChange> columns,
                                              std::span<const std::int32_t> may_change) const {
  std::vector<char> counts(width.size(), 1);
  for (const std::int32_t f : may_change) counts[f] = 0;
  std::vector<std::int32_t> result;
  for (std::size_t i = 0; i < size(); ++i) {
    bool is_near = true;
    for (std::size_t f = 0; is_near && f < width.size(); ++f) {
      is_near = !counts[f] || width[f] < 0 || columns[f].keeps_near(row(i)[f], width[f]);
    }
    if (is_near) result.push_back(static_cast<std::int32_t>(i));
  }
  return result;
}

RegionSearch::RegionSearch(std::span<const ColumnChange> columns, std::span<const Demand> demands, const PlausibleRows* plausible,
                           std::vector<std::int32_t> may_change)
    : columns_(columns),
      demands_(demands),
      plausible_(plausible),
      may_change_(std::move(may_change)),
      boxes_(region_box(columns, may_change_)),
      row_(columns.size()) {
  if (plausible_ != nullptr) near_rows_ = plausible_->near(columns, may_change_);
  for (std::size_t f = 0; f < columns_.size(); ++f) row_[f] = columns_[f].own;
  tried_ = row_;
  for (const Demand& demand : demands_) boxes_.add(demand.model());
  examine(BoxTree::kWhole, kNone);
}

void RegionSearch::resume() { boxes_.restart(); }

bool RegionSearch::can_improve(double cost) const { return cost < best_cost_ - kNear * best_cost_ || best_cost_ == kNone; }

void RegionSearch::run(std::int64_t n_boxes, double cutoff, runtime::Budget& budget) {
  while (n_boxes-- > 0 && !is_done() && open_.front().cost < cutoff && budget.spend()) {
    std::pop_heap(open_.begin(), open_.end(), comes_later);
    const Open box = open_.back();
    open_.pop_back();
    boxes_.go_to(box.node);
    split(box.node, cutoff);
  }
  if (!open_.empty() && open_.front().cost >= cutoff) open_.clear();
}

// What the nearest row of the present box costs, which becomes `row_`; kNone if none is allowed.
double RegionSearch::find_nearest() {
  if (plausible_ == nullptr) {
    const double cost = find_nearest_to(nullptr);
    row_ = tried_;
    return cost;
  }
  double least = kNone;
  for (const std::int32_t i : near_rows_) {
    const double cost = find_nearest_to(plausible_->row(i));
    if (cost < least) {
      least = cost;
      row_ = tried_;
    }
  }
  return least;
}

// The same among rows that are near to one plausible row.
double RegionSearch::find_nearest_to(const double* plausible) {
  double cost = 0;
  for (const std::int32_t f : may_change_) {
    const Box::Side& side = boxes_.box().side(f);
    const bool counts = plausible != nullptr && plausible_->width[f] >= 0;
    const auto move = counts ? columns_[f].nearest(side, plausible[f], plausible_->width[f]) : columns_[f].nearest(side);
    if (!move) return kNone;
    tried_[f] = move->value;
    cost += move->cost;
  }
  return cost;
}

// Looks at the nearest row of the present box. The box waits unless it is done.
void RegionSearch::examine(std::int32_t node, double cutoff) {
  const double cost = find_nearest();
  if (cost == kNone) return;
  if (cost >= cutoff || !can_improve(cost)) return;
  for (const Demand& demand : demands_) {
    if (demand.excluded(boxes_.box())) return;
  }
  if (std::all_of(demands_.begin(), demands_.end(), [this](const Demand& demand) { return demand.is_met(row_); })) {
    best_cost_ = cost;
    best_row_ = row_;
    return;
  }
  open_.push_back({cost, node});
  std::push_heap(open_.begin(), open_.end(), comes_later);
}

std::optional<Question> RegionSearch::question() const {
  for (const Demand& demand : demands_) {
    if (const std::optional<Question> asked = demand.question(boxes_.box())) return asked;
  }
  return std::nullopt;
}

void RegionSearch::split(std::int32_t node, double cutoff) {
  const std::optional<Question> asked = question();
  if (!asked) return;  // Every row of the box gets the same answer, and its nearest row does not meet the demands.
  const std::size_t depth = boxes_.depth();
  for (std::size_t outcome = 0; outcome < asked->n_outcomes(); ++outcome) {
    boxes_.leave_to(depth);
    if (asked->possible(boxes_.box(), outcome)) examine(boxes_.enter_part(node, *asked, outcome), cutoff);
  }
}

}  // namespace sightline::proof
