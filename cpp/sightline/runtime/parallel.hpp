// Runs blocks of items on several threads; the result does not depend on their number.
#pragma once

#include <cstddef>
#include <functional>

#include "sightline/runtime/stop.hpp"

namespace sightline::runtime {

// Calls work(begin, end) for consecutive blocks that cover [0, n_items). Blocks are
// handed out in order but finish in any order, so `work` must only write to its own items. The
// calling thread also works and is the only one that polls. An exception in any thread, or a
// stop, ends all threads and is rethrown here.
void parallel_blocks(std::size_t n_items, std::size_t block_size, int n_threads, StopPoll& poll,
                     const std::function<void(std::size_t begin, std::size_t end)>& work);

}  // namespace sightline::runtime
