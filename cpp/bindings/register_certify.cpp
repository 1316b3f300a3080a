#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "interruptible.hpp"
#include "register.hpp"
#include "sightline/proof/certify.hpp"

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
}

}  // namespace sightline::bindings
