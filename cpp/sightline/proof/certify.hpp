// Proves that two models give every row the same label, or finds rows where they differ.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sightline/proof/box.hpp"
#include "sightline/proof/boxed_model.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::proof {

enum class LeafStatus : std::uint8_t {
  kProved = 0,   // every row that reaches it gets the same label from the other model
  kRefuted = 1,  // some row does not
  kOpen = 2,     // the budget ended before either was known
};

struct CertifyOptions {
  // What each model's labels are called by both.
  std::vector<std::int32_t> first_label, second_label;
  std::int64_t max_boxes = 0;
  double max_seconds = 0;
  bool stop_at_first = false;         // stop after the first row on which the models differ
  bool one_part_per_leaf = false;     // the first model is a tree: each leaf has one way to it
  std::vector<std::int32_t> refuted;  // leaves already known to be refuted
};

struct Certified {
  // Per leaf of the first model (-1: rows that are spread over several leaves, or that
  // model has no leaves): what is known. Leaves that no row reaches are proved.
  std::map<std::int32_t, LeafStatus> status;
  std::map<std::int32_t, std::vector<double>> witness;  // of refuted leaves, the first few thousand
  bool complete = false;                                // whether everything is proved or refuted
  std::int64_t n_boxes = 0;
};

// Walks the box down to the leaves of the first model and splits what reaches a leaf by
// the second's tests until labels agree or differ. Each leaf gets a small budget first,
// what is left open more and more, so that one hard leaf does not starve the others.
// Where the first model has no leaves the whole space is one part.
Certified certify(BoxedModel& first, BoxedModel& second, const Box& box, const CertifyOptions& options, runtime::StopPoll& poll);

}  // namespace sightline::proof
