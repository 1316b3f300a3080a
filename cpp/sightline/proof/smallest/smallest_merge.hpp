// Merges an ensemble into a tree or graph that is as small as time allows.
#pragma once

#include <optional>

#include "sightline/proof/merge.hpp"

namespace sightline::proof::smallest {

// A complete result, proved everywhere. Nothing if the label's diagram is too large, even in parts, for
// time and memory, or if the result has more nodes than allowed. Unless the options ask for the smallest, nothing is
// split or searched: the result is the diagram, or the plan that a walk over boxes has.
std::optional<MergedNodes> merge(model::EnsemblePtr ensemble, const model::LabelRule& rule, const MergeOptions& options,
                                 runtime::StopPoll& poll);

}  // namespace sightline::proof::smallest
