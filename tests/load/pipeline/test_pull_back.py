"""Trees over made columns, rewritten over the columns that these were made from."""

import random
from functools import partial

import numpy as np
import pytest
from cases import each
from sklearn.ensemble import RandomForestClassifier
from strategies import core_tree, each_of, leaf, random_node, schema_of
from strategies import random_table as drawn_table

from sightline import _core
from sightline.exceptions import UnsupportedModelError
from sightline.load import load
from sightline.load.pipeline import FromCategories, FromNumbers, Unchanged, pull_back
from sightline.model import SUBSET, Ensemble, Link, combined
from sightline.table import Column, Feature, Schema, Table

N_CATEGORIES = 5
SCHEMA = Schema((Feature("x"), Feature("color", tuple("abcde")), Feature("y")))


def steps_of(rng):
    """Return a function with random values between random numbers, and the numbers."""
    breaks = np.sort(rng.integers(-4, 5, size=rng.integers(1, 5)).astype(float))
    breaks = np.unique(breaks)
    values = rng.integers(-3, 4, size=len(breaks) + 1).astype(float)
    values[rng.random(len(values)) < 0.2] = np.nan
    return (lambda x: values[np.searchsorted(breaks, x)]), breaks


def random_columns(rng):
    """Return columns of every kind over the three of the schema."""
    columns = []
    for _ in range(6):
        values = rng.integers(-3, 4, size=N_CATEGORIES + 1).astype(float)
        values[rng.random(len(values)) < 0.2] = np.nan
        function, breaks = steps_of(rng)
        columns += [
            FromCategories(1, values),
            FromNumbers.elementwise(0, function, breaks=breaks, missing=rng.choice([np.nan, 1.0])),
            FromNumbers.elementwise(
                2, partial(np.multiply, rng.choice([-2.0, 3.0])), missing=rng.choice([np.nan, 0.5])
            ),
        ]
    return [*columns, Unchanged(2), Unchanged(0, missing=2.0)]


def made(columns, table):
    """Return the made columns, value by value."""
    result = np.empty((table.n_rows, len(columns)))
    for index, column in enumerate(columns):
        values = table.columns[column.source].values
        if isinstance(column, FromCategories):
            result[:, index] = column.values[values]
            continue
        known = np.nan_to_num(values)
        numbers = known if isinstance(column, Unchanged) else column.evaluate({column.source: known})[:, 0]
        result[:, index] = np.where(np.isnan(values), column.missing, numbers)
    return result


def random_table(rng, n_rows=400):
    numbers = rng.integers(-5, 6, size=(n_rows, 2)) + rng.choice([0.0, 0.5, 1e-9], size=(n_rows, 2))
    numbers[rng.random(numbers.shape) < 0.15] = np.nan
    codes = rng.integers(-1, N_CATEGORIES, n_rows).astype(np.int32)
    features = SCHEMA.features
    return Table(
        [Column(features[0], numbers[:, 0]), Column(features[1], codes), Column(features[2], numbers[:, 1])]
    )


@each(seed=range(25))
def test_every_row_keeps_its_answer(seed):
    rng = np.random.default_rng(seed)
    table, columns = random_table(rng), random_columns(rng)
    behind_rows = made(columns, table)
    forest = RandomForestClassifier(5, max_depth=9, random_state=seed).fit(
        behind_rows, rng.integers(0, 3, table.n_rows)
    )
    behind = load(forest)
    front = pull_back(behind, SCHEMA, columns)
    asked = random_table(rng, 1000)
    expected = behind.predict_proba(made(columns, asked))
    np.testing.assert_array_equal(front.predict_proba(asked), expected)


def chain(tests, outputs):
    """Return a tree in which each test of color follows where the one before fails."""
    n = len(tests)
    return _core.binary_trees(
        n_values=[0] * n,
        n_outputs=1,
        is_leaf=np.array([False, True] * n + [True]),
        feature=np.array([f for k in range(n) for f in (k, -1)] + [-1]),
        threshold=np.full(2 * n + 1, 0.5),
        left=np.array([x for k in range(n) for x in (2 * k + 2, -1)] + [-1]),
        right=np.array([x for k in range(n) for x in (2 * k + 1, -1)] + [-1]),
        missing_goes_left=np.ones(2 * n + 1, dtype=bool),
        weight=np.ones(2 * n + 1),
        output=np.array([o for k in range(n) for o in (0.0, outputs[k])] + [outputs[n]], dtype=float),
        counts=np.empty(0),
        is_subset=np.empty(0, dtype=bool),
        category_begin=np.empty(0, dtype=np.int64),
        category=np.empty(0, dtype=np.int32),
        leaves_only=False,
    )[0]


def pulled(outputs):
    """Rewrite a chain of one-hot tests of the colors a, b, c over the color itself."""
    tree = chain(range(len(outputs) - 1), outputs)
    columns = [FromCategories(0, np.eye(N_CATEGORIES + 1)[k]) for k in range(len(outputs) - 1)]
    behind = Ensemble(
        combined([tree]),
        Schema(tuple(Feature(f"is {k}") for k in range(len(columns)))),
        None,
        Link("identity"),
    )
    return pull_back(behind, Schema((Feature("color", tuple("abcde")),)), columns).core.trees[0]


def test_a_chain_with_one_answer_becomes_one_test():
    tree = pulled([1.0, 1.0, 1.0, 0.0])
    assert tree.n_leaves == 2
    assert tree.test[0] == SUBSET
    assert tree.category.tolist() == [3, 4] or tree.category.tolist() == [0, 1, 2]
    assert sorted(tree.weight[tree.test == 0].tolist()) == [1.0, 3.0]


def test_a_chain_with_different_answers_keeps_them():
    tree = pulled([1.0, 2.0, 1.0, 0.0])
    rows = Table([Column(Feature("color", tuple("abcde")), np.array([0, 1, 2, 3, 4, -1], dtype=np.int32))])
    leaves = tree.find_leaves(rows.native(), 1)
    assert tree.output[leaves, 0].tolist() == [1.0, 2.0, 1.0, 0.0, 0.0, 0.0]
    assert tree.n_leaves == 4


def test_a_test_that_the_path_answers_is_left_out():
    tree = pulled([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    # After five values there is nothing left but a missing one.
    assert tree.n_leaves == 6
    assert [len(part) for part in np.split(tree.category, tree.category_begin[1:-1]) if len(part)].count(
        5
    ) == 1


def test_trees_that_become_too_large_are_refused():
    rng = np.random.default_rng(0)
    x = np.arange(64.0)
    X = np.column_stack([np.where(x % 2 == k % 2, x, -x) for k in range(2)])
    forest = RandomForestClassifier(1, random_state=0).fit(X, rng.integers(0, 2, 64))
    zigzag = FromNumbers.elementwise(
        0,
        lambda v: np.where((np.abs(v) < 3000) & (np.ceil(v) % 2 == 0), 100.0, -100.0),
        breaks=np.arange(-3000.0, 3001.0),
    )
    message = "^The preprocessing of 'x' cannot be undone: the trees become too large, .* sl.BlackBox"
    with pytest.raises(UnsupportedModelError, match=message):
        pull_back(load(forest), Schema((Feature("x"),)), [zigzag, zigzag])


@each(seed=range(100))
def test_columns_that_stay_as_they_are(seed):
    """Whatever shares a missing value has, and whether a test can be passed in one way only."""
    rng = random.Random(seed)
    schema = schema_of([rng.choice([0, 3, 64, 65]) for _ in range(2)])
    root = random_node(rng, schema, 1, 4, [SUBSET])
    behind = Ensemble(combined([core_tree(root, schema)]), schema, None, Link("identity"))
    columns = [
        FromCategories(place, np.append(np.arange(n, dtype=float), -1)) if n else Unchanged(place)
        for place, n in enumerate(schema.n_values)
    ]
    front = pull_back(behind, schema, columns)
    table = drawn_table(rng, schema, 40)
    np.testing.assert_allclose(front.predict(table), behind.predict(table), rtol=1e-12)


@pytest.mark.parametrize("column", [Unchanged(0), FromCategories(1, np.arange(6.0))])
def test_a_branch_per_value_is_refused(column):
    schema = schema_of([N_CATEGORIES])
    root = each_of(0, *(leaf(float(value)) for value in range(N_CATEGORIES)))
    behind = Ensemble(combined([core_tree(root, schema)]), schema, None, Link("identity"))
    with pytest.raises(
        UnsupportedModelError, match=r"one branch per value of column 'f0', .* binary_splits=True"
    ):
        pull_back(behind, SCHEMA, [column])


TESTS = {
    "n_values": [0, 5],
    "feature": np.array([1], dtype=np.int32),
    "first_branch": np.array([0], dtype=np.int8),
    "bound_begin": np.array([0, 1]),
    "bound": np.array([0.5]),
    "category_begin": np.array([0, 2]),
    "category": np.array([0, 4], dtype=np.int32),
    "missing": np.array([0], dtype=np.int8),
    "max_nodes": 10,
}
UNFIT = "the arrays of the tests do not match each other"


@each(
    case=[
        ({"first_branch": np.zeros(2, dtype=np.int8)}, UNFIT),
        ({"missing": np.zeros(0, dtype=np.int8)}, UNFIT),
        ({"bound_begin": np.array([0, 1, 1])}, UNFIT),
        ({"category_begin": np.array([0])}, UNFIT),
        ({"bound": np.zeros(2)}, UNFIT),
        ({"category": np.zeros(1, dtype=np.int32)}, UNFIT),
        ({"feature": np.array([-1], dtype=np.int32)}, "column -1 does not exist"),
        ({"feature": np.array([2], dtype=np.int32)}, "column 2 does not exist"),
        ({"category": np.array([-1, 0], dtype=np.int32)}, "category -1 does not exist"),
        ({"category": np.array([0, 5], dtype=np.int32)}, "category 5 does not exist"),
    ]
)
def test_tests_that_do_not_fit(case):
    change, message = case
    tree = chain(range(1), [0.0, 1.0])
    assert _core.TestedTrees([tree]).retested(**TESTS)[0].n_leaves == 2
    with pytest.raises(ValueError, match=f"^{message}$"):
        _core.TestedTrees([tree]).retested(**TESTS | change)


def test_a_branch_per_value_has_no_other_test():
    tree = core_tree(each_of(0, *map(leaf, range(3))), schema_of([3]))
    with pytest.raises(ValueError, match=r"^a test has a branch per value$"):
        _core.TestedTrees([tree]).retested(**TESTS)
