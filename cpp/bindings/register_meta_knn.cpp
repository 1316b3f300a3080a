#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>

#include "arrays.hpp"
#include "interruptible.hpp"
#include "register.hpp"
#include "sightline/distill/meta_knn/member_selection.hpp"

namespace sightline::bindings {

namespace meta_knn = distill::meta_knn;
namespace {

using meta_knn::CaseViews;
using meta_knn::SelectionOptions;
using meta_knn::ViewQuery;

CaseViews* make_views(const Array1<float>& views, const Array1<std::int32_t>& codes, std::size_t n_classes) {
  const std::size_t n = codes.size();
  if (n == 0 || views.size() % n != 0 || views.size() == 0)
    throw std::invalid_argument("one view per case is required, all of equal length");
  for (std::size_t i = 0; i < n; ++i) {
    if (codes.data()[i] < 0 || static_cast<std::size_t>(codes.data()[i]) >= n_classes) {
      throw std::invalid_argument("a class does not exist");
    }
  }
  return new CaseViews({views.data(), views.size()}, n, copied(codes), n_classes);
}

using OptionalCodes = std::optional<Array1<std::int32_t>>;

std::span<const std::int32_t> span_of(const OptionalCodes& array, std::size_t n_rows) {
  if (!array) return {};
  if (array->size() != n_rows) throw std::invalid_argument("one entry per row is required");
  return {array->data(), array->size()};
}

nb::tuple nearest(const CaseViews& self, const Array1<float>& views, std::size_t k, const OptionalCodes& itself,
                  const OptionalCodes& codes, int n_threads) {
  if (views.size() % self.width() != 0) throw std::invalid_argument("the views must be as wide as those of the cases");
  const std::size_t n = views.size() / self.width();
  const ViewQuery query{{views.data(), views.size()}, n, k, span_of(itself, n), span_of(codes, n)};
  NewArray<std::int32_t> rows({n, k});
  NewArray<float> distances({n, k});
  interruptible(nullptr, [&](runtime::StopPoll& poll) {
    meta_knn::nearest_views(self, query, n_threads, poll, rows.data(), distances.data());
  });
  return nb::make_tuple(rows.release(), distances.release());
}

std::vector<std::int32_t> select(const CaseViews& self, std::size_t k, std::size_t n_columns, bool weighted, int n_threads) {
  if (n_columns == 0 || self.width() % n_columns != 0)
    throw std::invalid_argument("every member must have the same number of columns");
  const SelectionOptions options{k, n_columns, weighted, n_threads};
  return interruptible(nullptr, [&](runtime::StopPoll& poll) { return meta_knn::select_members(self, options, poll); });
}

}  // namespace

void register_meta_knn(nb::module_& m) {
  nb::class_<CaseViews>(m, "CaseViews", "Cases described by the predictions of an ensemble's members.")
      .def(nb::new_(&make_views), nb::arg("views"), nb::arg("codes"), nb::arg("n_classes"))
      .def("nearest", &nearest, nb::arg("views"), nb::arg("k"), nb::arg("itself").none() = nb::none(),
           nb::arg("codes").none() = nb::none(), nb::arg("n_threads") = 1,
           nb::sig("def nearest(self, views: numpy.typing.NDArray, k: int, itself: numpy.typing.NDArray | None = None, "
                   "codes: numpy.typing.NDArray | None = None, n_threads: int = 1) -> "
                   "tuple[numpy.typing.NDArray, numpy.typing.NDArray]"),
           "The k nearest cases of every row (-1 if there are fewer) and their squared distances, without the row "
           "itself, and only of the given class.")
      .def("select", &select, nb::arg("k"), nb::arg("n_columns"), nb::arg("weighted"), nb::arg("n_threads"),
           "Drop the members without which the leave-one-out error is not larger; return the others, ascending.");
}

}  // namespace sightline::bindings
