// The share of the rows that lie in the current box of a walk.
#pragma once

#include <cstdint>
#include <vector>

#include "sightline/proof/boxed_ensemble.hpp"
#include "sightline/table/columns.hpp"

namespace sightline::proof {

// Follows a BoxWalk: `open` with every question, `enter` with every part of it, `close` when it is
// forgotten. Rows that were given are counted. One more is known by chance only: the weights in
// the ensemble's trees show how tests divide rows, assuming that tests are independent. So
// parts with rows come before parts without, and parts without any are not all the same.
class BoxShares {
 public:
  // Rows that have no value of a feature which may not be missing are left out.
  BoxShares(const BoxedEnsemble& model, const table::Columns* rows, const std::vector<bool>& may_be_missing);

  double here() const {
    return (estimated_.back() + static_cast<double>(inside_.back().size())) / (1 + static_cast<double>(inside_[0].size()));
  }

  void open();
  void enter(const Question& question, std::size_t outcome);
  void close();

 private:
  double cell(std::uint32_t row, std::size_t feature) const { return cells_[row * n_features_ + feature]; }
  double usual(const Question& question, std::size_t outcome) const;
  std::int32_t outcome_of(const Question& question, std::uint32_t row) const;

  const BoxedEnsemble& model_;
  std::vector<std::vector<double>> test_shares_;       // per test of the ensemble and branch
  std::vector<double> estimated_{1.0};                 // of the boxes on the way: of the row by chance
  std::vector<std::vector<std::uint32_t>> inside_{1};  // likewise: the rows given
  std::size_t n_features_ = 0;
  std::vector<double> cells_;  // of the rows given, one row after the other
};

// Per test of an ensemble: the branch weights of the nodes with this test, summed and as shares.
std::vector<std::vector<double>> mean_over_nodes(const BoxedEnsemble& model,
                                                 double (*of)(const model::Tree&, model::NodeId, std::size_t));

}  // namespace sightline::proof
