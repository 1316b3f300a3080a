// Rows, and what goes with them, checked against a rule set before its kernels trust them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <optional>
#include <stdexcept>

#include "columns.hpp"
#include "sightline/model/rule_votes.hpp"

namespace sightline::bindings {

// Trees by rows: 1 where the tree has not seen the row.
using OutOfBagArray = nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

inline void check_rows(const model::RuleSet& rules, const BoundColumns& rows) {
  if (rows.columns.n_values() != rules.arrays().n_values) {
    throw std::invalid_argument("the columns differ from the rule set's features");
  }
}

inline model::OutOfBagRows out_of_bag_rows(const model::RuleSet& rules, const BoundColumns& rows,
                                           const std::optional<OutOfBagArray>& out_of_bag) {
  if (!out_of_bag) return {};
  if (out_of_bag->shape(0) != rules.arrays().n_trees || out_of_bag->shape(1) != rows.columns.n_rows()) {
    throw std::invalid_argument("'out_of_bag' needs one entry per tree and row");
  }
  return {out_of_bag->data(), out_of_bag->shape(1), out_of_bag->shape(0)};
}

inline void check_per_class(const model::RuleSet& rules, std::size_t size) {
  if (size != rules.n_classes()) throw std::invalid_argument("one number per class is required");
}

}  // namespace sightline::bindings
