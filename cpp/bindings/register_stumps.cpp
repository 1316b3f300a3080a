#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "arrays.hpp"
#include "columns.hpp"
#include "interruptible.hpp"
#include "register.hpp"
#include "sightline/learn/stumps/climb.hpp"
#include "sightline/learn/stumps/pool.hpp"

namespace sightline::bindings {

namespace stumps = learn::stumps;
namespace {

using stumps::Climb;
using stumps::StumpPool;

std::vector<std::uint8_t> small_labels(const Array1<std::int32_t>& labels, std::size_t n_rows, std::int32_t n_classes) {
  if (labels.size() != n_rows) throw std::invalid_argument("one label per row is required");
  if (n_classes < 1 || n_classes > stumps::kMaxClasses) throw std::invalid_argument("the number of classes is out of range");
  std::vector<std::uint8_t> result(n_rows);
  for (std::size_t row = 0; row < n_rows; ++row) {
    const std::int32_t label = labels.data()[row];
    if (label < 0 || label >= n_classes) throw std::invalid_argument("a label is out of range");
    result[row] = static_cast<std::uint8_t>(label);
  }
  return result;
}

void make_pool(StumpPool* self, const BoundColumns& rows, const Array1<std::int32_t>& labels, std::int32_t n_classes,
               std::int32_t max_depth, std::int32_t min_leaf, bool binary_nominal, const table::Orders* orders) {
  if (max_depth < 1 || max_depth > 3) throw std::invalid_argument("stumps have one to three levels");
  std::vector<std::uint8_t> classes = small_labels(labels, rows.columns.n_rows(), n_classes);
  interruptible(nullptr, [&](runtime::StopPoll& poll) {
    stumps::StumpRows laid_out(rows.columns, orders, std::move(classes), n_classes, poll);
    new (self) StumpPool(std::move(laid_out), {max_depth, min_leaf, binary_nominal});
  });
}

void generate(StumpPool& self, const std::optional<Array1<std::int32_t>>& weights, int n_threads) {
  std::vector<std::int32_t> weight(self.rows().n_rows(), 1);
  if (weights) {
    weight = copied(*weights);
    if (weight.size() != self.rows().n_rows()) throw std::invalid_argument("one weight per row is required");
    if (std::any_of(weight.begin(), weight.end(), [](std::int32_t w) { return w < 1 || w > 1024; })) {
      throw std::invalid_argument("weights must be between 1 and 1024");
    }
  }
  interruptible(nullptr, [&](runtime::StopPoll& poll) { self.generate(weight, n_threads, poll); });
}

const std::vector<std::int32_t>& checked(const StumpPool& self, const std::vector<std::int32_t>& stumps) {
  for (const std::int32_t stump : stumps) {
    if (stump < 0 || static_cast<std::size_t>(stump) >= self.size()) throw std::invalid_argument("there is no such stump");
  }
  return stumps;
}

}  // namespace

void register_stumps(nb::module_& m) {
  nb::class_<StumpPool>(m, "StumpPool", "All stumps of a table, and the search for a good ensemble of them.")
      .def("__init__", &make_pool, nb::arg("rows"), nb::arg("labels"), nb::arg("n_classes"), nb::arg("max_depth") = 2,
           nb::arg("min_leaf") = 2, nb::arg("binary_nominal") = false, nb::arg("orders").none() = nb::none(),
           "Create an empty pool.")
      .def("generate", &generate, nb::arg("weights").none() = nb::none(), nb::arg("n_threads") = 1,
           "Add every new stump. The weights say how often each row counts.")
      .def("__len__", &StumpPool::size)
      .def_prop_ro(
          "right",
          [](const StumpPool& self) {
            NewArray<std::int64_t> right({self.size()});
            std::copy(self.right().begin(), self.right().end(), right.data());
            return right.release();
          },
          nb::rv_policy::move, "Number of rows that each stump votes for correctly.")
      .def(
          "votes",
          [](const StumpPool& self, const std::vector<std::int32_t>& stumps) {
            checked(self, stumps);
            const std::size_t n_rows = self.rows().n_rows();
            NewArray<std::int32_t> votes({stumps.size(), n_rows});
            for (std::size_t i = 0; i < stumps.size(); ++i) {
              for (std::size_t row = 0; row < n_rows; ++row) votes.data()[i * n_rows + row] = self.votes().vote(stumps[i], row);
            }
            return votes.release();
          },
          nb::arg("stumps"), "The class index that each stump votes for, by training row.")
      .def(
          "grown",
          [](const StumpPool& self, const std::vector<std::int32_t>& members, const std::vector<std::int32_t>& candidates,
             std::size_t min_size, std::size_t max_size, std::int32_t passes, bool replace_on_tie) {
            checked(self, members);
            checked(self, candidates);
            return interruptible(nullptr, [&](runtime::StopPoll& poll) {
              Climb climb(self.votes(), self.right(), members);
              climb.grow(candidates, {min_size, max_size, passes, replace_on_tie}, poll);
              return climb.members();
            });
          },
          nb::arg("members"), nb::arg("candidates"), nb::arg("min_size"), nb::arg("max_size"), nb::arg("passes"),
          nb::arg("replace_on_tie"), "The ensemble after trying the candidates; a max_size of 0 means no limit.")
      .def(
          "pruned",
          [](const StumpPool& self, const std::vector<std::int32_t>& members) {
            Climb climb(self.votes(), self.right(), checked(self, members));
            climb.prune();
            return climb.members();
          },
          nb::arg("members"), "The ensemble without the stumps that make it worse.")
      .def(
          "loss",
          [](const StumpPool& self, const std::vector<std::int32_t>& members) {
            const stumps::Loss loss = Climb(self.votes(), self.right(), checked(self, members)).loss();
            return std::make_tuple(loss.numerator, loss.n_stumps);
          },
          nb::arg("members"), "The loss of an ensemble: the numerator, and the square root of the denominator.")
      .def(
          "tree", [](const StumpPool& self, std::int32_t stump) { return self.tree(checked(self, {stump})[0]); },
          nb::arg("stump"), "A stump with the class counts of the training rows. Each leaf has probability 1 for its vote.")
      .def("constant", &StumpPool::constant, "A single leaf that votes for the most frequent class.");
}

}  // namespace sightline::bindings
