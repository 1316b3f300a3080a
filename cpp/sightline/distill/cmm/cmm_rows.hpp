// The artificial rows of CMM: rows in the leaves of an ensemble.
#pragma once

#include "sightline/distill/artificial_rows.hpp"
#include "sightline/model/ensemble.hpp"

namespace sightline::distill::cmm {

// The trees take turns, and a tree's leaves are drawn in proportion to their training weight. A
// row meets the tests on the path to its leaf and is otherwise uniform over the observed range or
// the declared values of each column. A cell that no test on the path uses is missing as often as
// it is in the column.
ArtificialRows cmm_rows(const model::Ensemble& ensemble, const RowSource& source, const Drawing& drawing,
                        runtime::StopPoll& poll);

}  // namespace sightline::distill::cmm
