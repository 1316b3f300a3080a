#include <cmath>
#include <limits>

#include "check.hpp"
#include "sightline/proof/boxed_nodes.hpp"
#include "sightline/proof/counterfactual.hpp"
#include "trees.hpp"

using namespace sightline;

namespace {

const double kMissing = std::nan("");
const double kInfinity = std::numeric_limits<double>::infinity();

proof::ColumnChange number(double own) {
  proof::ColumnChange column;
  column.own = own;
  return column;
}

proof::ColumnChange category(double own, std::vector<std::int32_t> values) {
  proof::ColumnChange column;
  column.own = own;
  column.values = std::move(values);
  column.n_values = 3;
  return column;
}

// Two columns; only one of them is tested, at a threshold.
std::shared_ptr<proof::BoxedModel> stump_of_two(std::int32_t feature, double threshold) {
  return std::make_shared<proof::BoxedNodes>(model::build_tree(stump_arrays({0, 0}, feature, threshold, {1, 0, 0, 1})), 0);
}

proof::Counterfactuals found(const std::vector<proof::Demand>& demands, const std::vector<proof::ColumnChange>& columns,
                             std::int32_t max_changes = 2, std::int32_t max_rows = 3) {
  proof::CounterfactualOptions options;
  options.max_rows = max_rows;
  options.max_changes = max_changes;
  options.max_boxes = 1000;
  options.max_seconds = 60;
  runtime::StopPoll poll;
  return proof::counterfactuals(demands, columns, options, poll);
}

void test_moves_of_numbers() {
  proof::ColumnChange column = number(0);
  column.scale = 2;
  proof::Box::Side side = column.free_side();
  side.interval = {1, kInfinity};
  // The interval is open below: the next double costs half a unit.
  const auto next = column.nearest(side);
  CHECK(next && next->value == std::nextafter(1.0, kInfinity) && std::abs(next->cost - 0.5) < 1e-9);
  column.unit = 1;
  CHECK(column.nearest(side) && column.nearest(side)->value == 2 && column.nearest(side)->cost == 1);
  column.unit = 10;
  side.interval = {-25, -1};
  CHECK(column.nearest(side) && column.nearest(side)->value == -10);
  side.interval = {1, 9};
  CHECK(!column.nearest(side));
  // Quotients that are rounded up (1.7 / 0.1) and down (0.6 / 0.1).
  column = number(3);
  column.unit = 0.1;
  side.interval = {0, 1.7};
  CHECK(column.nearest(side) && column.nearest(side)->value == 1.7000000000000002 - 0.1);
  side.interval = {0, 0.6};
  CHECK(column.nearest(side) && column.nearest(side)->value == 0.6);
  // The own value is free, whatever the range and the unit are.
  column = number(0.5);
  column.unit = 1;
  column.range = {5, 9};
  CHECK(column.nearest(column.free_side()) && column.nearest(column.free_side())->cost == 0);
  column.is_fixed = true;
  side = column.own_side();
  CHECK(column.nearest(side) && column.nearest(side)->value == 0.5);
  CHECK(!column.free_side().interval.contains(6));
  side.interval = {5, 9};
  CHECK(!column.nearest(side));
}

void test_values_near_those_of_another_row() {
  CHECK(number(1).keeps_near(1.5, 0.5) && !number(1).keeps_near(1.5, 0.4) && !number(2).keeps_near(1.5, 0.4));
  CHECK(number(kMissing).keeps_near(kMissing, 0) && !number(kMissing).keeps_near(1, 9) && !number(1).keeps_near(kMissing, 9));
  CHECK(category(1, {}).keeps_near(1, 0) && !category(1, {}).keeps_near(2, 9));
  proof::ColumnChange column = number(0);
  column.may_become_missing = true;
  const proof::Box::Side side = column.free_side();
  CHECK(column.nearest(side, 5, 1) && column.nearest(side, 5, 1)->value == 4);
  CHECK(column.nearest(side, kMissing, 1) && std::isnan(column.nearest(side, kMissing, 1)->value));
  const proof::ColumnChange kind = category(0, {2, 1});
  CHECK(kind.nearest(kind.free_side(), 1, 0) && kind.nearest(kind.free_side(), 1, 0)->value == 1);
}

void test_moves_of_missing_values_and_categories() {
  proof::ColumnChange unknown = number(kMissing);
  unknown.anchor = 7;
  proof::Box::Side side = unknown.free_side();
  side.may_be_missing = false;
  side.interval = {-kInfinity, 3};
  const auto filled = unknown.nearest(side);
  CHECK(filled && filled->value == 3 && filled->cost == 1);
  proof::ColumnChange kind = category(0, {2, 1});
  side = kind.free_side();
  CHECK(kind.nearest(side) && kind.nearest(side)->value == 0 && kind.nearest(side)->cost == 0);
  side.allowed = proof::CategorySet(3);
  side.allowed.add(1);
  side.allowed.add(2);
  // The one that is preferred.
  CHECK(kind.nearest(side) && kind.nearest(side)->value == 2 && kind.nearest(side)->cost == 1);
  kind.values = {1};
  CHECK(kind.nearest(side) && kind.nearest(side)->value == 1);
  kind.values = {};
  CHECK(!kind.nearest(side));
  kind.may_become_missing = true;
  side.may_be_missing = true;
  CHECK(kind.nearest(side) && std::isnan(kind.nearest(side)->value));
}

void test_nearest_rows() {
  const proof::Demand demand(stump_of_two(0, 1.0), std::vector<std::int32_t>{1});
  proof::ColumnChange whole = number(0);
  whole.unit = 1;
  const proof::Counterfactuals near = found({demand}, {whole, number(0)});
  CHECK(near.complete && near.rows.size() == 1);
  CHECK(near.rows[0].row == (std::vector<double>{2, 0}) && near.rows[0].is_nearest && near.rows[0].cost == 2);
  // Two models, of which each tests another column.
  const proof::Demand other(stump_of_two(1, 4.0), std::vector<std::int32_t>{1});
  const proof::Counterfactuals both = found({demand, other}, {whole, whole});
  CHECK(both.complete && both.rows.size() == 1 && both.rows[0].row == (std::vector<double>{2, 5}));
  CHECK(both.rows[0].bound.n_changes == 2 && both.rows[0].bound.cost == 7);
}

void test_impossible_rows_are_proved_so() {
  const proof::Demand demand(stump_of_two(0, 1.0), std::vector<std::int32_t>{1});
  proof::ColumnChange fixed = number(0);
  fixed.is_fixed = true;
  proof::ColumnChange low = number(0);
  low.range = {-kInfinity, 1};
  for (const proof::ColumnChange& column : {fixed, low}) {
    const proof::Counterfactuals none = found({demand}, {column, number(0)});
    CHECK(none.complete && none.rows.empty());
  }
  const proof::Demand other(stump_of_two(1, 4.0), std::vector<std::int32_t>{1});
  const proof::Counterfactuals one_change = found({demand, other}, {number(0), number(0)}, 1);
  CHECK(one_change.complete && one_change.rows.empty());
}

void test_boxes_run_out() {
  const proof::Demand demand(stump_of_two(0, 1.0), std::vector<std::int32_t>{1});
  proof::CounterfactualOptions options;
  options.max_changes = 2;
  options.max_boxes = 0;
  options.max_seconds = 60;
  runtime::StopPoll poll;
  const proof::Counterfactuals open = proof::counterfactuals({demand}, {number(0), number(0)}, options, poll);
  CHECK(!open.complete && open.rows.empty());
}

}  // namespace

int main() {
  test_moves_of_numbers();
  test_moves_of_missing_values_and_categories();
  test_values_near_those_of_another_row();
  test_nearest_rows();
  test_impossible_rows_are_proved_so();
  test_boxes_run_out();
  return finish();
}
