// Growing a C4.5 tree, before any pruning.
#pragma once

#include "sightline/learn/c45/grown_tree.hpp"
#include "sightline/learn/c45/measures.hpp"
#include "sightline/learn/training_set.hpp"
#include "sightline/runtime/stop.hpp"
#include "sightline/table/orders.hpp"

namespace sightline::learn::c45 {

// `orders` may be null: then columns are sorted one at a time and forgotten again.
GrownTree grow(const TrainingSet& training, const Options& options, const table::Orders* orders, runtime::StopPoll& poll);

}  // namespace sightline::learn::c45
