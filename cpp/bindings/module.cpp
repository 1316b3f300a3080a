#include "register.hpp"

NB_MODULE(_core, m) {
  using namespace sightline::bindings;
  m.doc() = "Kernels of sightline. Input is validated by the Python classes in front of them.";
  register_stop(m);
  register_columns(m);
  register_parsed_table(m);
  register_tree(m);
  register_ensemble(m);
  register_box(m);
  register_c45(m);
  register_setgen(m);
}
