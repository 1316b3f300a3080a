// Rows with and without their zeros, against rows that are always in full.
#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"
#include "sightline/model/ensemble.hpp"
#include "sightline/model/number_rows.hpp"

using namespace sightline::model;

namespace {

using Rows = std::vector<std::vector<double>>;

std::vector<double> random_row(std::mt19937& random, std::size_t width, double share) {
  std::vector<double> row(width, 0.0);
  for (double& number : row) {
    if (std::uniform_real_distribution<>(0, 1)(random) < share) number = std::uniform_int_distribution<>(-2, 3)(random) / 4.0;
  }
  return row;
}

bool are_equal(const NumberRows<double>& rows, const Rows& expected) {
  if (rows.size() != expected.size()) return false;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (rows[i].in_full() != expected[i]) return false;
    for (std::size_t k = 0; k < expected[i].size(); ++k) {
      if (rows[i][k] != expected[i][k]) return false;
    }
  }
  return true;
}

std::size_t plain_argmax(const std::vector<double>& values, double tolerance) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < values.size(); ++k) {
    if (values[k] - values[best] > tolerance) best = k;
  }
  return best;
}

void compare(std::mt19937& random, std::size_t width, double share, bool expect_full) {
  NumberRows<double> rows;
  Rows expected;
  for (int i = 0; i < 200; ++i) {
    const std::vector<double> row = random_row(random, width, share);
    rows.add(row);
    expected.push_back(row);
    if (i % 7 == 3) {
      rows.drop_last();
      expected.pop_back();
    }
    if (i % 11 == 5) {
      const std::vector<double> other = random_row(random, width, share);
      const std::size_t at = rows.replace(2, other);
      if (at == 2) {
        expected[2] = other;
      } else {
        expected.push_back(other);
      }
    }
  }
  CHECK((rows.in_full() != nullptr) == expect_full);
  CHECK(are_equal(rows, expected));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const double tolerance : {0.0, 0.3}) CHECK(argmax(rows[i], tolerance) == plain_argmax(expected[i], tolerance));
  }
  NumberRows<double> copy;
  for (std::size_t i = 0; i < rows.size(); ++i) copy.add(rows[i]);
  CHECK(are_equal(copy, expected));
  std::vector<double> all;
  for (const auto& row : expected) all.insert(all.end(), row.begin(), row.end());
  CHECK(are_equal(NumberRows<double>(width, all), expected));
  CHECK(copy.taken() == all && copy.empty());
}

}  // namespace

int main() {
  std::mt19937 random(0);
  compare(random, 2, 0.5, true);
  compare(random, 5, 0.01, true);
  compare(random, 40, 0.9, true);
  compare(random, 40, 0.05, false);
  compare(random, 40, 0.0, false);
  compare(random, 1000, 0.01, false);

  NumberRows<double> rows(100, std::vector<double>(1000, 0.0));
  CHECK(rows.in_full() == nullptr && rows.n_numbers() == 1000 && rows.n_bytes() < 200);
  const NumberRows<double> ragged(100, std::vector<double>(1001, 0.0));
  CHECK(ragged.n_numbers() == 1001);
  std::vector<double> signed_zero(100, 0.0);
  signed_zero[7] = -0.0;
  NumberRows<double> kept(100, signed_zero);
  CHECK(kept.in_full() == nullptr && std::signbit(kept[0][7]) && !std::signbit(kept[0][8]));
  return finish();
}
