// Table of contents of the module: each function binds one class or a few related ones.
#pragma once

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace sightline::bindings {

void register_stop(nb::module_& m);
void register_columns(nb::module_& m);
void register_parsed_table(nb::module_& m);
void register_tree(nb::module_& m);
void register_ensemble(nb::module_& m);
void register_formula(nb::module_& m);
void register_retest(nb::module_& m);
void register_box(nb::module_& m);
void register_boxed_model(nb::module_& m);
void register_c45(nb::module_& m);
void register_artificial_rows(nb::module_& m);
void register_distilled_tree(nb::module_& m);
void register_distilled_graph(nb::module_& m);
void register_leaf_lines(nb::module_& m);
void register_ism(nb::module_& m);
void register_merge(nb::module_& m);
void register_certify(nb::module_& m);
void register_counterfactual(nb::module_& m);
void register_rule_selection(nb::module_& m);
void register_rule_set(nb::module_& m);
void register_rule_set_distillation(nb::module_& m);
void register_setgen(nb::module_& m);
void register_stumps(nb::module_& m);
void register_voting_trees(nb::module_& m);
void register_file_content(nb::module_& m);
void register_json(nb::module_& m);
void register_xml(nb::module_& m);
void register_neighbours(nb::module_& m);
void register_meta_knn(nb::module_& m);

}  // namespace sightline::bindings
