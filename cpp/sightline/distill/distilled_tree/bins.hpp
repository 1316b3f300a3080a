// The candidate tests of a distilled tree: few enough per feature that one byte encodes a value.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightline/model/ensemble.hpp"
#include "sightline/table/columns.hpp"

namespace sightline::distill::distilled_tree {

using Code = std::uint8_t;

inline constexpr Code kMissingBin = 255;
inline constexpr std::size_t kMaxBins = 255;  // of known values

// The bins of one feature. A number's bin is the count of cuts below it, so that x <= cuts[b]
// exactly if its bin is at most b. A category has a bin of its own unless there are more than
// kMaxBins: then values with similar predictions of the ensemble share one.
struct FeatureBins {
  std::vector<double> cuts;        // numeric: ascending
  std::vector<Code> bin_of_value;  // nominal: per declared value
  std::size_t n_bins = 0;
  bool nominal = false;

  // A numeric feature that the ensemble does not test has one bin, so no test of a distilled tree can use it.
  bool has_tests() const { return nominal || !cuts.empty(); }
  Code of_number(double x) const;
  Code of_code(std::int32_t code) const;
};

class Bins {
 public:
  // Numeric cuts lie between adjacent values of `rows` that some test of the ensemble
  // separates; if there are more than kMaxBins - 1, quantiles by the number of tests. `answers` holds
  // the ensemble's probabilities or numbers for the rows, at least one per row. `times` are the features whose numbers
  // are seconds.
  Bins(const table::Columns& rows, std::span<const double> answers, const model::Ensemble& ensemble,
       std::span<const std::size_t> times = {});
  // Without an ensemble whose tests are known: between any adjacent values, or at quantiles.
  Bins(const table::Columns& rows, std::span<const double> answers, std::span<const std::size_t> times = {});

  std::size_t size() const { return features_.size(); }
  const FeatureBins& operator[](std::size_t feature) const { return features_[feature]; }
  const std::vector<std::int32_t>& n_values() const { return n_values_; }

 private:
  Bins(std::size_t n_features, const std::vector<std::int32_t>& n_values) : features_(n_features), n_values_(n_values) {}

  template <typename GapsOfFeature>
  void fill(const table::Columns& rows, std::span<const double> answers, std::span<const std::size_t> times,
            const GapsOfFeature& gaps_of);

  std::vector<FeatureBins> features_;
  std::vector<std::int32_t> n_values_;
};

// The number with the fewest digits that is at least `low`, less than `high`, and no further
// from `near` than a quarter of the gap. If that takes more than six digits and `near` rounds to
// `high`, the last number before `high`: the test is then x < high. What LightGBM takes for zero stays as it is: people
// read it as 0, and with other digits the test would differ from the ensemble's.
double readable_between(double low, double high, double near);

// The same for seconds: whole days, else hours, minutes or seconds, in the same reach of `near`.
double readable_time_between(double low, double high, double near);

}  // namespace sightline::distill::distilled_tree
