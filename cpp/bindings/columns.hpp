// Columns, with the numpy arrays that they borrow.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <vector>

#include "sightline/table/columns.hpp"

namespace nb = nanobind;

namespace sightline::bindings {

struct BoundColumns {
  table::Columns columns;
  std::vector<nb::ndarray<nb::ro>> owners;
};

}  // namespace sightline::bindings
