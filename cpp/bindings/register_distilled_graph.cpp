#include <stdexcept>

#include "interruptible.hpp"
#include "register.hpp"
#include "sightline/distill/distilled_graph/refine.hpp"

namespace sightline::bindings {

using distill::distilled_tree::DistillationRows;

void register_distilled_graph(nb::module_& m) {
  m.def(
      "distill_graph",
      [](const DistillationRows& rows, std::size_t n_tests, bool refine, int search_rounds, int n_threads) {
        if (rows.n_rows() == 0) throw std::invalid_argument("there must be a row");
        return interruptible(nullptr, [&](runtime::StopPoll& poll) {
          return distill::distilled_graph::distill(rows, {n_tests, refine, search_rounds, n_threads}, poll);
        });
      },
      nb::arg("rows"), nb::arg("n_tests"), nb::arg("refine") = true, nb::arg("search_rounds") = 0, nb::arg("n_threads") = 1,
      "The best graph found with at most so many tests.");
}

}  // namespace sightline::bindings
