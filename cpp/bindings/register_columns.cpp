#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>

#include "columns.hpp"
#include "register.hpp"

namespace sightline::bindings {
namespace {

table::Column borrowed(const nb::ndarray<nb::ro>& array, std::int32_t n_values, std::size_t n_rows, std::size_t index) {
  const auto where = "column " + std::to_string(index);
  if (array.ndim() != 1 || array.shape(0) != n_rows) throw std::invalid_argument(where + " has a different length than column 0");
  const std::ptrdiff_t stride = n_rows > 1 ? array.stride(0) : 1;
  if (n_values == 0 && array.dtype() == nb::dtype<double>()) {
    return table::Column::numeric(static_cast<const double*>(array.data()), stride);
  }
  if (n_values > 0 && array.dtype() == nb::dtype<std::int32_t>()) {
    return table::Column::nominal(static_cast<const std::int32_t*>(array.data()), stride, n_values);
  }
  throw std::invalid_argument(where + " must be float64 if numeric and int32 codes if nominal");
}

}  // namespace

void register_columns(nb::module_& m) {
  nb::class_<BoundColumns>(m, "Columns", "Typed columns borrowed from numpy: float64 numbers, or int32 codes of declared values.")
      .def(
          "__init__",
          [](BoundColumns* self, std::vector<nb::ndarray<nb::ro>> arrays, std::vector<std::int32_t> n_values,
             std::size_t n_rows) {
            if (arrays.size() != n_values.size()) throw std::invalid_argument("one number of values per column is required");
            std::vector<table::Column> columns;
            for (std::size_t i = 0; i < arrays.size(); ++i) columns.push_back(borrowed(arrays[i], n_values[i], n_rows, i));
            new (self) BoundColumns{table::Columns(std::move(columns), n_rows), std::move(arrays)};
          },
          nb::arg("arrays"), nb::arg("n_values"), nb::arg("n_rows"),
          "Borrow one-dimensional arrays; n_values is 0 for a numeric column.")
      .def_prop_ro(
          "n_rows", [](const BoundColumns& self) { return self.columns.n_rows(); }, "Number of rows.")
      .def(
          "part",
          [](const BoundColumns& self, std::size_t begin, std::size_t end) {
            if (begin > end || end > self.columns.n_rows()) throw std::invalid_argument("there are fewer rows");
            return BoundColumns{self.columns.part(begin, end), self.owners};
          },
          nb::arg("begin"), nb::arg("end"), "Rows begin to end alone, borrowed from the same arrays.")
      .def("__len__", [](const BoundColumns& self) { return self.columns.size(); });
}

}  // namespace sightline::bindings
