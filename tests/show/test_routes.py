import random

import numpy as np
import pytest
from cases import each
from show.routes_reference import route
from strategies import random_node, random_schema, random_table, rows_of, tree_of

from sightline.model import LEAF
from sightline.show.nodes._routes import Routes


@each(seed=range(40))
def test_routes_are_those_of_the_reference(seed):
    rng = random.Random(seed)
    schema = random_schema(rng)
    tree = tree_of(random_node(rng, schema, 2, depth=4), schema)
    table = random_table(rng, schema, 30, missing=0.3)
    for model in (tree, tree.to_graph()):
        routes = Routes(model, table)
        for row, values in enumerate(rows_of(table)):
            steps = routes[int(routes.of_row[row])].steps
            expected = route(model, values)
            assert [(step.node, step.branch, step.is_missing) for step in steps] == [e[:3] for e in expected]
            assert np.allclose([step.part for step in steps], [edge[3] for edge in expected])
        told = [tuple((s.node, s.branch, s.is_missing) for s in routes[i].steps) for i in range(len(routes))]
        assert len(set(told)) == len(told)


@each(seed=range(20))
def test_changes_add_up_to_the_way_from_the_root_to_the_answer(seed):
    rng = random.Random(seed)
    schema = random_schema(rng)
    tree = tree_of(random_node(rng, schema, 3, depth=4), schema)
    table = random_table(rng, schema, 20, missing=0.3)
    answers = np.asarray(tree.core.output)
    for one, probabilities in zip(tree.explain(table), tree.predict_proba(table), strict=True):
        code = tree.classes_.tolist().index(one.prediction)
        moved = sum(reason.change for reason in one.conditions)
        assert answers[0, code] + moved == pytest.approx(probabilities[code])


def test_a_leaf_is_reached_wholly_or_in_parts():
    rng = random.Random(3)
    schema = random_schema(rng)
    tree = tree_of(random_node(rng, schema, 2, depth=4), schema)
    table = random_table(rng, schema, 50, missing=0.3)
    routes = Routes(tree, table)
    for row in range(table.n_rows):
        reached = routes[int(routes.of_row[row])]
        assert sum(reached.leaves.values()) == pytest.approx(1.0)
        assert all(tree.core.test[leaf] == LEAF for leaf in reached.leaves)
        assert reached.leaf in (None, int(tree.apply(table[row : row + 1])[0]))
