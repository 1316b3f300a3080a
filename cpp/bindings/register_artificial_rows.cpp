#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>

#include "arrays.hpp"
#include "columns.hpp"
#include "interruptible.hpp"
#include "register.hpp"
#include "sightline/distill/artificial_rows.hpp"
#include "sightline/distill/cmm/cmm_rows.hpp"

namespace sightline::bindings {
namespace {

using distill::ArtificialRows;
using distill::Drawing;
using distill::RowSource;

struct BoundSource {
  RowSource source;
  nb::object rows;  // keeps the borrowed columns alive
};

BoundSource* make_source(nb::handle_t<BoundColumns> rows, const Array1<std::uint32_t>& order,
                         const std::optional<Array1<double>>& weights) {
  const table::Columns& columns = nb::cast<const BoundColumns&>(rows).columns;
  if (order.size() != columns.n_rows()) throw std::invalid_argument("the order must name every row");
  if (weights && weights->size() != columns.n_rows()) throw std::invalid_argument("one weight per row is required");
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order.data()[i] >= columns.n_rows()) throw std::invalid_argument("the order names a row that does not exist");
  }
  return new BoundSource{RowSource(columns, copied(order), weights ? copied(*weights) : std::vector<double>()), nb::borrow(rows)};
}

// The rows from `first_row` on, with the numbers of the features that are needed, by default all.
Drawing drawing_of(const BoundSource& self, std::size_t n_rows, std::uint64_t seed, int n_threads, std::size_t first_row,
                   const std::optional<Array1<std::uint8_t>>& needed) {
  if (needed && needed->size() != self.source.rows().size()) throw std::invalid_argument("one mark per column is required");
  Drawing drawing{n_rows, seed, n_threads, first_row};
  if (needed) drawing.needed = {needed->data(), needed->size()};
  return drawing;
}

distill::cmm::LeafQuota quota_named(const std::string& name) {
  if (name == "drawn") return distill::cmm::LeafQuota::kDrawn;
  if (name == "floor") return distill::cmm::LeafQuota::kFloor;
  if (name == "nearest") return distill::cmm::LeafQuota::kNearest;
  throw std::invalid_argument("there is no quota '" + name + "'");
}

nb::object cells(nb::handle self, std::size_t index) {
  const auto& rows = nb::cast<const ArtificialRows&>(self);
  const auto& codes = rows.codes.at(index);
  if (rows.is_nominal[index]) return nb::cast(view<std::int32_t>(codes.data(), {codes.size()}, self));
  return nb::cast(view<double>(rows.numbers[index].data(), {rows.numbers[index].size()}, self));
}

}  // namespace

void register_artificial_rows(nb::module_& m) {
  nb::class_<ArtificialRows>(m, "ArtificialRows", "Columns of artificial rows.")
      .def_ro("n_rows", &ArtificialRows::n_rows, "Number of rows.")
      .def("cells", &cells, nb::arg("index"), nb::sig("def cells(self, index: int) -> numpy.typing.NDArray"),
           "Numbers (NaN is missing; empty if not needed) or codes (-1 is missing) of a column.");

  nb::class_<BoundSource>(m, "RowSource", "Observed rows, drawn by weight, from which artificial rows are made.")
      .def(nb::new_(&make_source), nb::arg("rows"), nb::arg("order"), nb::arg("weights").none() = nb::none(),
           "Rows are drawn along this order, so that the order of the table does not matter.")
      .def(
          "jittered",
          [](const BoundSource& self, std::size_t n_rows, double noise, double replace, std::uint64_t seed, int n_threads,
             std::size_t first_row, const std::optional<Array1<std::uint8_t>>& needed) {
            const Drawing drawing = drawing_of(self, n_rows, seed, n_threads, first_row, needed);
            return interruptible(nullptr, [&](runtime::StopPoll& poll) {
              return distill::jittered_rows(self.source, noise, replace, drawing, poll);
            });
          },
          nb::arg("n_rows"), nb::arg("noise"), nb::arg("replace"), nb::arg("seed"), nb::arg("n_threads") = 1,
          nb::arg("first_row") = 0, nb::arg("needed").none() = nb::none(),
          "Observed rows with noise, and with some categories of other rows.")
      .def(
          "swapped",
          [](const BoundSource& self, std::size_t n_rows, double replace, std::uint64_t seed, int n_threads,
             std::size_t first_row, const std::optional<Array1<std::uint8_t>>& needed) {
            const Drawing drawing = drawing_of(self, n_rows, seed, n_threads, first_row, needed);
            return interruptible(
                nullptr, [&](runtime::StopPoll& poll) { return distill::swapped_rows(self.source, replace, drawing, poll); });
          },
          nb::arg("n_rows"), nb::arg("replace"), nb::arg("seed"), nb::arg("n_threads") = 1, nb::arg("first_row") = 0,
          nb::arg("needed").none() = nb::none(), "Observed rows with some cells of other rows.")
      .def(
          "cmm_rows",
          [](const BoundSource& self, const model::Ensemble& ensemble, std::size_t n_rows, std::uint64_t seed, int n_threads,
             const std::string& quota) {
            if (self.source.rows().n_values() != ensemble.n_values()) {
              throw std::invalid_argument("the columns differ from the ensemble's features");
            }
            return interruptible(nullptr, [&](runtime::StopPoll& poll) {
              return distill::cmm::cmm_rows(ensemble, self.source, Drawing{n_rows, seed, n_threads}, quota_named(quota), poll);
            });
          },
          nb::arg("ensemble"), nb::arg("n_rows"), nb::arg("seed"), nb::arg("n_threads") = 1, nb::arg("quota") = "drawn",
          "Rows uniform in leaves of the ensemble's trees, by training weight, as in CMM.");
}

}  // namespace sightline::bindings
