// Converts the name of Python's Link into the decision that kernels use.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sightline/model/decision.hpp"

namespace sightline::bindings {

inline model::Ties ties_named(const std::string& ties) {
  if (ties == "scores") return model::Ties::kScores;
  if (ties == "softmax") return model::Ties::kSoftmax;
  if (ties == "single softmax") return model::Ties::kSingleSoftmax;
  throw std::invalid_argument("there are no ties of '" + ties + "'");
}

inline model::Answer answer_named(const std::string& answer) {
  if (answer == "label") return model::Answer::kLabel;
  if (answer == "number") return model::Answer::kNumber;
  if (answer == "median") return model::Answer::kMedian;
  throw std::invalid_argument("there is no answer '" + answer + "'");
}

inline model::Decision decision_named(const std::string& link, std::vector<double> divide_by, double label_above) {
  model::Decision decision;
  decision.rule = {link == "sigmoid", label_above, std::move(divide_by), nullptr};
  if (link == "mean") {
    decision.link = model::Decision::Link::kMean;
  } else if (link == "sigmoid") {
    decision.link = model::Decision::Link::kSigmoid;
  } else if (link == "softmax") {
    decision.link = model::Decision::Link::kSoftmax;
  } else if (link == "identity") {
    decision.link = model::Decision::Link::kIdentity;
  } else {
    throw std::invalid_argument("the link '" + link + "' is not a sum of trees");
  }
  return decision;
}

}  // namespace sightline::bindings
