// Copies rows for prediction, one block at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "sightline/runtime/parallel.hpp"
#include "sightline/table/columns.hpp"

namespace sightline::model {

// A block of rows and one tree's upper levels fit the first cache together.
inline constexpr std::size_t kBlockRows = 256;

// Calls work(begin, end, block, any_missing) for blocks of rows copied row by row.
inline void for_each_block(const table::Columns& rows, int n_threads, runtime::StopPoll& poll,
                           const std::function<void(std::size_t, std::size_t, const double*, bool)>& work) {
  runtime::parallel_blocks(rows.n_rows(), kBlockRows, n_threads, poll, [&](std::size_t begin, std::size_t end) {
    thread_local std::vector<double> block;
    block.resize(kBlockRows * std::max<std::size_t>(rows.size(), 1));
    const bool any_missing = rows.gather(begin, end, block.data());
    work(begin, end, block.data(), any_missing);
  });
}

}  // namespace sightline::model
