#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <tuple>

#include "arrays.hpp"
#include "interruptible.hpp"
#include "register.hpp"
#include "sightline/model/formula.hpp"

namespace sightline::bindings {
namespace {

// How a step crosses the boundary: operation, inputs, numbers, columns, single precision.
using BoundStep = std::tuple<std::string, std::vector<std::int32_t>, std::vector<double>, std::vector<std::int32_t>, bool>;
using Scores = nb::ndarray<nb::numpy, const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Proofs run without Python's lock.
model::Formula::Arbiter arbiter_of(nb::object function) {
  if (function.is_none()) return {};
  // The reference is given up with the lock held, wherever the last copy of the arbiter ends.
  std::shared_ptr<nb::object> kept(new nb::object(std::move(function)), [](nb::object* object) {
    nb::gil_scoped_acquire lock;
    delete object;
  });
  return [kept](std::span<const double> scores) {
    nb::gil_scoped_acquire lock;
    return nb::cast<double>((*kept)(std::vector<double>(scores.begin(), scores.end())));
  };
}

model::FormulaPtr make_formula(const std::vector<BoundStep>& bound, std::size_t n_scores, std::size_t probabilities,
                               std::size_t label, nb::object arbiter) {
  std::vector<model::Step> steps;
  for (const auto& [name, of, numbers, columns, single] : bound) {
    steps.push_back({model::op_named(name), of, numbers, columns, single});
  }
  return std::make_shared<const model::Formula>(std::move(steps), n_scores, probabilities, label, arbiter_of(std::move(arbiter)));
}

auto evaluate(const model::Formula& formula, const Scores& scores, std::size_t step, const std::vector<std::size_t>& given,
              const std::vector<Scores>& values) {
  if (step >= formula.steps().size()) throw std::invalid_argument("the formula has no such step");
  if (scores.shape(1) != formula.n_scores()) throw std::invalid_argument("the scores do not match the formula");
  const std::size_t n_rows = scores.shape(0), width = formula.width(step);
  if (given.size() != values.size()) throw std::invalid_argument("the given numbers do not match the formula");
  for (std::size_t i = 0; i < given.size(); ++i) {
    const bool fits = given[i] < formula.steps().size() && values[i].shape(0) == n_rows;
    if (!fits || values[i].shape(1) != formula.width(given[i]))
      throw std::invalid_argument("the given numbers do not match the formula");
  }
  NewArray<double> result({n_rows, width});
  interruptible(nullptr, [&](runtime::StopPoll& poll) {
    std::vector<double> numbers(formula.n_numbers());
    for (std::size_t i = 0; i < n_rows; ++i) {
      if (i % 1024 == 0) poll();
      for (std::size_t j = 0; j < given.size(); ++j) {
        const std::size_t n = formula.width(given[j]);
        std::copy_n(values[j].data() + i * n, n, numbers.data() + formula.begin(given[j]));
      }
      formula.evaluate({scores.data() + i * formula.n_scores(), formula.n_scores()}, numbers.data(), given);
      std::copy_n(numbers.data() + formula.begin(step), width, result.data() + i * width);
    }
  });
  return result.release();
}

}  // namespace

void register_formula(nb::module_& m) {
  nb::class_<model::Formula>(m, "Formula", "How scores become class probabilities and a label, step by step.")
      .def(nb::new_(&make_formula), nb::arg("steps"), nb::arg("n_scores"), nb::arg("probabilities"), nb::arg("label"),
           nb::arg("arbiter") = nb::none(), "Check and build; ValueError names the step at fault.")
      .def("width", &model::Formula::width, nb::arg("step"), "How many numbers a step gives.")
      .def_prop_ro("n_classes", &model::Formula::n_classes, "Number of classes.")
      .def("evaluate", &evaluate, nb::arg("scores"), nb::arg("step"), nb::arg("given"), nb::arg("values"),
           "The numbers of one step for every row of scores; those of some steps are given.");
}

}  // namespace sightline::bindings
