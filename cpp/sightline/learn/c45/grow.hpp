// Grows a C4.5 tree, before any pruning.
#pragma once

#include "sightline/learn/c45/grown_tree.hpp"
#include "sightline/learn/c45/options.hpp"
#include "sightline/learn/training_set.hpp"
#include "sightline/runtime/stop.hpp"
#include "sightline/table/orders.hpp"

namespace sightline::learn::c45 {

// Without `orders`, columns are sorted one at a time.
GrownTree grow(const TrainingSet& training, const GrowOptions& options, const table::Orders* orders, runtime::StopPoll& poll);

}  // namespace sightline::learn::c45
