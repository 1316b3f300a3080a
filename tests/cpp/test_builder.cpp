#include "check.hpp"
#include "trees.hpp"

using namespace sightline::model;

int main() {
  const TreePtr tree = stump(1.5);
  CHECK(tree->n_nodes() == 3 && tree->n_leaves() == 2 && tree->depth() == 1);
  const double below = 1.5, above = 1.6;
  CHECK(find_leaf(*tree, &below) == 1);
  CHECK(find_leaf(*tree, &above) == 2);

  TreeArrays cycle = stump_arrays({0}, 0, 1.5, {1, 0, 0, 1});
  cycle.child[1] = 0;
  CHECK(!error_of([&] { build_tree(cycle); }).empty());
  TreeArrays wrong_feature = stump_arrays({0}, 7, 1.5, {1, 0, 0, 1});
  CHECK(!error_of([&] { build_tree(wrong_feature); }).empty());
  return finish();
}
