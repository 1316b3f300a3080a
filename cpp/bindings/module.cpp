#include "register.hpp"

NB_MODULE(_core, m) {
  using namespace sightline::bindings;
  m.doc() = "Kernels of sightline. Input is validated by the Python classes in front of them.";
  // Objects in globals of the caller live until the interpreter exits; they are not leaks.
  nb::set_leak_warnings(false);
  register_stop(m);
  register_columns(m);
  register_parsed_table(m);
  register_tree(m);
  register_ensemble(m);
  register_formula(m);
  register_retest(m);
  register_box(m);
  register_boxed_model(m);
  register_c45(m);
  register_artificial_rows(m);
  register_distilled_tree(m);
  register_distilled_graph(m);
  register_leaf_lines(m);
  register_ism(m);
  register_merge(m);
  register_certify(m);
  register_counterfactual(m);
  register_rule_set(m);
  register_rule_selection(m);
  register_rule_set_distillation(m);
  register_setgen(m);
  register_stumps(m);
  register_voting_trees(m);
  register_file_content(m);
  register_json(m);
  register_xml(m);
  register_neighbours(m);
  register_meta_knn(m);
}
