// Runs a kernel without the GIL; Ctrl-C still interrupts it.
#pragma once

#include <nanobind/nanobind.h>

#include <utility>

#include "sightline/runtime/stop.hpp"

namespace nb = nanobind;

namespace sightline::bindings {

// Calls kernel(poll). Python delivers signals to its main thread only, so a kernel in another thread
// needs a flag that the main thread sets.
template <class Kernel>
auto interruptible(const runtime::StopFlag* flag, Kernel&& kernel) {
  bool signalled = false;
  runtime::StopPoll poll(flag, [&signalled] {
    nb::gil_scoped_acquire lock;
    signalled = PyErr_CheckSignals() != 0;
    return signalled;
  });
  try {
    nb::gil_scoped_release unlock;
    return std::forward<Kernel>(kernel)(poll);
  } catch (const runtime::Interrupted&) {
    if (!signalled) PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nb::python_error();
  }
}

}  // namespace sightline::bindings
