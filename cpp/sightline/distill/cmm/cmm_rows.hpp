// The artificial rows of CMM: rows in the leaves of an ensemble.
#pragma once

#include <cstdint>

#include "sightline/distill/artificial_rows.hpp"
#include "sightline/model/ensemble.hpp"

namespace sightline::distill::cmm {

// How many rows a leaf with the share r/s of its tree's training weight gets of the tree's n/m rows: drawn
// in proportion to r/s, or r/s * n/m rounded. Rounded, the rows may be fewer or more than n.
enum class LeafQuota : std::uint8_t { kDrawn, kFloor, kNearest };

// Each of the m trees provides n/m rows: drawn, the trees take turns; rounded, they come one after the other. A
// row meets the tests on the path to its leaf and is otherwise uniform over the observed range or
// the declared values of each column. A cell that no test on the path uses is missing as often as
// it is in the column.
ArtificialRows cmm_rows(const model::Ensemble& ensemble, const RowSource& source, const Drawing& drawing, LeafQuota quota,
                        runtime::StopPoll& poll);

}  // namespace sightline::distill::cmm
