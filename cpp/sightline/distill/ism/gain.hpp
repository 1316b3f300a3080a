// Chooses the next test of the ISM tree.
#pragma once

#include <cstdint>
#include <vector>

#include "sightline/distill/ism/forest.hpp"
#include "sightline/distill/ism/impurity.hpp"
#include "sightline/distill/ism/propagation.hpp"
#include "sightline/distill/ism/rows.hpp"

namespace sightline::distill::ism {

struct Options;

struct Choice {
  std::int32_t test = -1;  // -1: no test helps
  double gain = 0;
  std::vector<double> probability;  // per outcome
};

class Chooser {
 public:
  Chooser(const PreparedEnsemble& prepared, const CodedRows& rows, const Options& options, Propagation& propagation);

  Choice choose(ForestView forest, const Context& context, const std::vector<std::uint32_t>& rows);

  // Gain of each test at the last call of `choose`; NaN if the test was not considered.
  const std::vector<double>& gains() const { return gains_; }

 private:
  bool usable(std::int32_t test) const;
  // Whether enough rows take at least two branches. Needs the counts of the node's own rows.
  bool is_supported(std::int32_t test) const;
  bool estimate_outcomes(std::int32_t test);
  void estimate_distribution(std::int32_t outcome, std::size_t branch, double pooled);
  double gain(std::size_t n_outcomes) const;
  double worth(double gain, std::size_t n_outcomes) const;

  const PreparedEnsemble& prepared_;
  const Tests& tests_;
  const Options& options_;
  Propagation& propagation_;
  std::vector<std::uint32_t> everyone_;
  OutcomeCounts counts_;
  Impurity impurity_;
  std::size_t n_classes_;

  double context_impurity_ = 0;
  std::vector<double> probability_;   // per outcome of the current test
  std::vector<double> distribution_;  // per outcome and class; numbers have one "class", their mean
  std::vector<double> expected_;      // scratch, per class
  std::vector<double> gains_;
};

}  // namespace sightline::distill::ism
