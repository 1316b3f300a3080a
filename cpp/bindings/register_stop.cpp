#include "register.hpp"
#include "sightline/runtime/stop.hpp"

namespace sightline::bindings {

void register_stop(nb::module_& m) {
  nb::class_<runtime::StopFlag>(m, "StopFlag", "Tells the kernels that were given it to stop.")
      .def(nb::init<>())
      .def("request", &runtime::StopFlag::request, "Ask every kernel that holds the flag to stop.");
}

}  // namespace sightline::bindings
