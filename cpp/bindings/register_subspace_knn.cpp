#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>

#include "arrays.hpp"
#include "columns.hpp"
#include "interruptible.hpp"
#include "register.hpp"
#include "sightline/learn/subspace_knn/search.hpp"

namespace sightline::bindings {

namespace subspace_knn = learn::subspace_knn;
namespace {

using subspace_knn::CaseLabels;
using subspace_knn::CaseRows;
using subspace_knn::Cases;
using subspace_knn::Masks;
using subspace_knn::SearchOptions;
using subspace_knn::SearchResult;

struct BoundCases {
  Cases cases;
  std::vector<std::int32_t> n_values;
};

BoundCases* make_cases(const BoundColumns& rows, const Array1<std::int32_t>& codes, std::size_t n_classes) {
  const std::size_t n = rows.columns.n_rows();
  if (n == 0 || n_classes == 0) throw std::invalid_argument("at least one case and one class are required");
  if (codes.size() != n) throw std::invalid_argument("one class per case is required");
  for (std::size_t i = 0; i < n; ++i) {
    if (codes.data()[i] < 0 || static_cast<std::size_t>(codes.data()[i]) >= n_classes) {
      throw std::invalid_argument("a class is out of range");
    }
  }
  return new BoundCases{{CaseRows(rows.columns), CaseLabels(copied(codes), n_classes)}, rows.columns.n_values()};
}

CaseRows queries_of(const BoundCases& self, const BoundColumns& rows) {
  if (rows.columns.n_values() != self.n_values) throw std::invalid_argument("the columns differ from those of the cases");
  return CaseRows(rows.columns, self.cases.rows);
}

Masks masks_of(const BoundCases& self, const Array1<std::uint8_t>& used) {
  const std::size_t n_features = self.cases.rows.n_features();
  if (used.size() == 0 || used.size() % n_features != 0)
    throw std::invalid_argument("one entry per member and feature is required");
  Masks masks{n_features, copied(used)};
  for (std::size_t m = 0; m < masks.n_members(); ++m) {
    std::size_t n_used = 0;
    for (std::size_t f = 0; f < n_features; ++f) {
      if (masks.member(m)[f] > 1) throw std::invalid_argument("a mask must contain only 0 and 1");
      n_used += masks.member(m)[f];
    }
    if (n_used == 0) throw std::invalid_argument("member " + std::to_string(m) + " uses no feature");
  }
  return masks;
}

nb::ndarray<nb::numpy, std::int32_t> shares(const BoundCases& self, const BoundColumns* rows, const Array1<std::uint8_t>& used,
                                            std::size_t k, int n_threads) {
  const Masks masks = masks_of(self, used);
  std::optional<CaseRows> queries;
  if (rows != nullptr) queries = queries_of(self, *rows);
  const std::size_t n = queries ? queries->n_rows() : self.cases.rows.n_rows();
  NewArray<std::int32_t> result({n, masks.n_members(), self.cases.labels.n_classes()});
  interruptible(nullptr, [&](runtime::StopPoll& poll) {
    subspace_knn::member_shares(self.cases, queries ? &*queries : nullptr, masks, k, n_threads, poll, result.data());
  });
  return result.release();
}

nb::tuple nearest_other(const BoundCases& self, const BoundColumns& rows, const Array1<std::int32_t>& codes, int n_threads) {
  const CaseRows queries = queries_of(self, rows);
  if (codes.size() != queries.n_rows()) throw std::invalid_argument("one class per row is required");
  NewArray<std::int32_t> cases({queries.n_rows()});
  NewArray<double> distances({queries.n_rows()});
  interruptible(nullptr, [&](runtime::StopPoll& poll) {
    subspace_knn::nearest_of_others(self.cases, queries, {codes.data(), codes.size()}, n_threads, poll, cases.data(),
                                    distances.data());
  });
  return nb::make_tuple(cases.release(), distances.release());
}

nb::ndarray<nb::numpy, double> distances(const BoundCases& self, const BoundColumns& rows, const Array1<std::int32_t>& lists,
                                         int n_threads) {
  const CaseRows queries = queries_of(self, rows);
  const std::size_t n = queries.n_rows();
  if (n == 0 || lists.size() % n != 0) throw std::invalid_argument("one list per row is required, all of equal length");
  for (std::size_t i = 0; i < lists.size(); ++i) {
    if (lists.data()[i] < -1 || lists.data()[i] >= static_cast<std::int64_t>(self.cases.rows.n_rows())) {
      throw std::invalid_argument("a case is out of range");
    }
  }
  NewArray<double> result({n, lists.size() / n});
  interruptible(nullptr, [&](runtime::StopPoll& poll) {
    subspace_knn::distances_to(self.cases, queries, {lists.data(), lists.size()}, n_threads, poll, result.data());
  });
  return result.release();
}

SearchResult* search(const BoundCases& self, const Array1<std::uint8_t>& used, std::size_t k, bool with_ambiguity,
                     double threshold, int max_passes, int n_threads) {
  Masks masks = masks_of(self, used);
  const SearchOptions options{k, with_ambiguity, threshold, max_passes, n_threads};
  return interruptible(nullptr, [&](runtime::StopPoll& poll) {
    return new SearchResult(subspace_knn::search_subspaces(self.cases, std::move(masks), options, poll));
  });
}

}  // namespace

void register_neighbours(nb::module_& m) {
  nb::class_<SearchResult>(m, "SubspaceKNNSearch", "The feature subsets found by hill climbing.")
      .def_prop_ro(
          "masks",
          [](nb::handle self) {
            const auto& masks = nb::cast<const SearchResult&>(self).masks;
            return view<std::uint8_t>(masks.used.data(), {masks.n_members(), masks.n_features}, self);
          },
          "Whether each member uses each feature: (members, features).")
      .def_prop_ro(
          "shares",
          [](nb::handle self) {
            const auto& result = nb::cast<const SearchResult&>(self);
            return view<std::int32_t>(result.shares.data(), {result.shares.size()}, self);
          },
          "Leave-one-out class shares, flat: (rows, members, classes), in multiples of 2^-30.")
      .def_ro("n_passes", &SearchResult::n_passes, "Number of passes over all members and features.")
      .def_ro("is_settled", &SearchResult::is_settled, "Whether the last pass changed nothing.");

  nb::class_<BoundCases>(m, "SubspaceKNNCases", "Labeled rows, scaled by the ranges of their columns, for nearest neighbors.")
      .def(nb::new_(&make_cases), nb::arg("rows"), nb::arg("codes"), nb::arg("n_classes"))
      .def_prop_ro(
          "ranges",
          [](const BoundCases& self) {
            std::vector<double> ranges;
            for (std::size_t f = 0; f < self.cases.rows.n_features(); ++f) ranges.push_back(self.cases.rows.range(f));
            return ranges;
          },
          "Range of every column; 1 if it is constant or nominal.")
      .def("member_shares", &shares, nb::arg("rows").none(), nb::arg("masks"), nb::arg("k"), nb::arg("n_threads"),
           "Class shares of every member for every row, in multiples of 2^-30: (rows, members, classes). "
           "Without rows, those of the cases; no case is its own neighbor.")
      .def("nearest_other", &nearest_other, nb::arg("rows"), nb::arg("codes"), nb::arg("n_threads"),
           nb::sig("def nearest_other(self, rows: Columns, codes: numpy.typing.NDArray, n_threads: int) -> "
                   "tuple[numpy.typing.NDArray, numpy.typing.NDArray]"),
           "The nearest case of a class other than the given one (-1: none), and its distance.")
      .def("distances", &distances, nb::arg("rows"), nb::arg("lists"), nb::arg("n_threads"),
           "Distances between every row and its own list of cases (-1: none, infinitely far).")
      .def("search", &search, nb::arg("masks"), nb::arg("k"), nb::arg("with_ambiguity"), nb::arg("threshold"),
           nb::arg("max_passes"), nb::arg("n_threads"), "Improve masks by hill climbing on leave-one-out measures.");
}

}  // namespace sightline::bindings
