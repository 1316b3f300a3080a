#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "interruptible.hpp"
#include "register.hpp"
#include "sightline/proof/certify.hpp"
#include "sightline/proof/largest_difference.hpp"

namespace sightline::bindings {

void register_certify(nb::module_& m) {
  nb::class_<proof::Certified>(m, "Certified", "Whether two models give the same labels, leaf by leaf.")
      .def_prop_ro(
          "status",
          [](const proof::Certified& self) {
            std::map<std::int32_t, int> result;
            for (const auto& [leaf, status] : self.status) result[leaf] = static_cast<int>(status);
            return result;
          },
          "By leaf of the first model (-1: rows spread over several): 0 proved, 1 refuted, 2 open.")
      .def_ro("witness", &proof::Certified::witness, "By refuted leaf: a row on which the labels differ.")
      .def_ro("complete", &proof::Certified::complete, "Whether everything is proved or refuted.")
      .def_ro("n_boxes", &proof::Certified::n_boxes, "Number of boxes examined.");

  m.def(
      "certify",
      [](const std::shared_ptr<proof::BoxedModel>& first, const std::shared_ptr<proof::BoxedModel>& second, const proof::Box& box,
         std::vector<std::int32_t> first_label, std::vector<std::int32_t> second_label, std::int64_t max_boxes,
         double max_seconds, bool stop_at_first, bool one_part_per_leaf, std::vector<std::int32_t> refuted) {
        proof::CertifyOptions options;
        options.first_label = std::move(first_label);
        options.second_label = std::move(second_label);
        options.max_boxes = max_boxes;
        options.max_seconds = max_seconds;
        options.stop_at_first = stop_at_first;
        options.one_part_per_leaf = one_part_per_leaf;
        options.refuted = std::move(refuted);
        return interruptible(nullptr,
                             [&](runtime::StopPoll& poll) { return proof::certify(*first, *second, box, options, poll); });
      },
      nb::arg("first"), nb::arg("second"), nb::arg("box"), nb::arg("first_label"), nb::arg("second_label"), nb::arg("max_boxes"),
      nb::arg("max_seconds"), nb::arg("stop_at_first"), nb::arg("one_part_per_leaf"), nb::arg("refuted"),
      "Whether two models give every row of a box the same label, leaf by leaf of the first.");

  nb::class_<proof::LargestDifference>(m, "LargestDifference", "How far the numbers of two models are apart, leaf by leaf.")
      .def_prop_ro(
          "bounds",
          [](const proof::LargestDifference& self) {
            std::map<std::int32_t, std::pair<double, double>> result;
            for (const auto& [leaf, known] : self.leaves) result[leaf] = {known.low, known.high};
            return result;
          },
          "By leaf of the first model (-1: rows spread over several): what a row differs by, and what none exceeds.")
      .def_prop_ro(
          "witness",
          [](const proof::LargestDifference& self) {
            std::map<std::int32_t, std::vector<double>> result;
            for (const auto& [leaf, known] : self.leaves) {
              if (!known.row.empty()) result[leaf] = known.row;
            }
            return result;
          },
          "By leaf: the row that differs most of those that the search found.")
      .def_ro("elsewhere", &proof::LargestDifference::elsewhere, "What no row of the other leaves exceeds.")
      .def_ro("n_boxes", &proof::LargestDifference::n_boxes, "Number of boxes examined.");

  m.def(
      "largest_difference",
      [](const std::shared_ptr<proof::BoxedModel>& first, const std::shared_ptr<proof::BoxedModel>& second, const proof::Box& box,
         std::int64_t max_boxes, double max_seconds, double tolerance, bool every_leaf, bool one_part_per_leaf,
         std::map<std::int32_t, double> seen) {
        const proof::DifferenceOptions options{max_boxes, max_seconds, tolerance, every_leaf, one_part_per_leaf, std::move(seen)};
        return interruptible(
            nullptr, [&](runtime::StopPoll& poll) { return proof::largest_difference(*first, *second, box, options, poll); });
      },
      nb::arg("first"), nb::arg("second"), nb::arg("box"), nb::arg("max_boxes"), nb::arg("max_seconds"), nb::arg("tolerance"),
      nb::arg("every_leaf"), nb::arg("one_part_per_leaf"), nb::arg("seen"),
      "Bounds of the difference between the numbers of two models over the rows of a box; a negative tolerance is none.");
}

}  // namespace sightline::bindings
