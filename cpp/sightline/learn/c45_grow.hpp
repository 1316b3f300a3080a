// Growing a C4.5 tree, before any pruning.
#pragma once

#include "sightline/learn/c45.hpp"
#include "sightline/learn/c45_grown_tree.hpp"
#include "sightline/learn/training_set.hpp"
#include "sightline/runtime/stop.hpp"
#include "sightline/table/orders.hpp"

namespace sightline::c45 {

// `orders` may be null: then columns are sorted one at a time and forgotten again.
GrownTree grow(const TrainingSet& training, const Options& options, const Orders* orders, StopPoll& poll);

}  // namespace sightline::c45
