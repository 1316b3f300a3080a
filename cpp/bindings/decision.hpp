// Python's Link as kernels take it.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sightline/model/decision.hpp"

namespace sightline::bindings {

inline Decision decision_named(const std::string& link, std::vector<double> divide_by, double label_above) {
  Decision decision;
  decision.divide_by = std::move(divide_by);
  decision.label_above = label_above;
  if (link == "mean") {
    decision.link = Decision::Link::kMean;
  } else if (link == "sigmoid") {
    decision.link = Decision::Link::kSigmoid;
  } else if (link == "softmax") {
    decision.link = Decision::Link::kSoftmax;
  } else {
    throw std::invalid_argument("the link '" + link + "' gives no classes");
  }
  return decision;
}

}  // namespace sightline::bindings
