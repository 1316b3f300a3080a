#include "register.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::bindings {

void register_stop(nb::module_& m) {
  nb::class_<runtime::StopFlag>(m, "StopFlag", "Stops the kernels that hold it.")
      .def(nb::init<>())
      .def("request", &runtime::StopFlag::request, "Stop every kernel that holds the flag.");
}

}  // namespace sightline::bindings
