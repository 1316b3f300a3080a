// Turns the scores of an ensemble into a label and class probabilities, or a number.
#pragma once

#include <cstdint>
#include <span>

#include "sightline/model/label_rule.hpp"

namespace sightline::model {

// The native counterpart of Python's Link, for kernels that must know what a score means.
struct Decision {
  enum class Link : std::uint8_t { kMean = 0, kSigmoid = 1, kSoftmax = 2, kIdentity = 3 };

  Link link = Link::kMean;
  LabelRule rule;

  // Whether the one score is a number to predict, instead of scores of classes.
  bool gives_numbers() const { return link == Link::kIdentity; }
  // A number counts as one class that is always right.
  std::size_t n_classes(std::size_t n_scores) const {
    if (rule.formula) return rule.formula->n_classes();
    return link == Link::kSigmoid ? 2 : n_scores;
  }
  // `divided_scores` are already divided, as the rule requires.
  void probabilities(std::span<const double> divided_scores, double* result) const;
};

}  // namespace sightline::model
