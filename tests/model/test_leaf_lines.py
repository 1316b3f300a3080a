"""Lines in the leaves of trees of numbers, against a slow reference."""

import json
import math

import numpy as np
import pytest
from strategies import at_most, core_tree, schema_of
from strategies import leaf as drawn_leaf

import sightline as sl
from sightline import _core
from sightline.exceptions import DataError, ModelFormatError, UnsupportedModelError
from sightline.model import LeafLines, LineTerm, parse_model
from sightline.table import Table

RIDGE, MIN_ROWS, MIN_SHARE, MIN_TOTAL = 1e-3, 20, 0.05, 5e-5


class Case:
    """Rows, numbers and a tree of three leaves, with missing values in both features."""

    def __init__(self, seed, n_rows=300):
        rng = np.random.default_rng(seed)
        self.X = rng.normal(size=(n_rows, 3))
        self.X[rng.random((n_rows, 3)) < 0.1] = np.nan
        self.X[:, 2] = rng.integers(0, 2, n_rows)
        known = np.nan_to_num(self.X)
        self.y = np.where(known[:, 0] > 0, 3 * known[:, 1], -known[:, 0]) + 0.1 * rng.normal(size=n_rows)
        self.weights = rng.choice([0.25, 1.0], n_rows)
        self.table = Table.from_any(self.X)
        core = _core.Tree(
            n_values=[0, 0, 0],
            n_outputs=1,
            test=np.array([1, 0, 1, 0, 0], dtype=np.uint8),
            feature=np.array([0, -1, 1, -1, -1], dtype=np.int32),
            threshold=np.array([0.0, 0.0, 0.5, 0.0, 0.0]),
            branch_begin=np.array([0, 2, 2, 4, 4, 4]),
            child=np.array([1, 2, 3, 4], dtype=np.int32),
            share=np.array([0.25, 0.75, 0.0, 1.0]),
            category_begin=np.zeros(6, dtype=np.int64),
            category=np.empty(0, dtype=np.int32),
            weight=np.full(5, 1.0),
            output=np.array([0.0, 0.7, 0.5, -1.0, 2.5]),
            counts=np.empty(0),
        )
        self.tree = sl.Tree(core, self.table.schema, None)

    def lined(self, max_features=2):
        lines = LeafLines.fitted(self.tree.core, self.table.native(), self.y, self.weights, max_features)
        return sl.Tree(self.tree.core, self.table.schema, None, lines=lines)


def fitted_by_hand(case, leaf, rows, max_features):
    """Forward selection with numpy: terms of one leaf."""
    if len(rows) < MIN_ROWS:
        return []
    output = case.tree.core.output[leaf, 0]
    w, centered = case.weights[rows], case.y[rows] - output
    mean = np.average(case.y, weights=case.weights)
    min_fall = MIN_TOTAL * (case.weights * (case.y - mean) ** 2).sum()
    columns = {}
    for feature in range(3):
        x = case.X[rows, feature]
        known = ~np.isnan(x)
        center = np.average(x[known], weights=w[known])
        scale = math.sqrt(np.average((x[known] - center) ** 2, weights=w[known]))
        columns[feature] = (center, scale, np.where(known, (x - center) / scale, 0.0))
    chosen, terms, residual = [], [], centered
    while len(chosen) < max_features:
        strength = {f: abs((w * columns[f][2] * residual).sum()) for f in columns if f not in chosen}
        chosen.append(max(strength, key=strength.get))
        A = np.column_stack([columns[f][2] for f in chosen])
        slopes = np.linalg.solve(
            A.T @ (w[:, None] * A) + RIDGE * w.sum() * np.eye(len(chosen)), A.T @ (w * centered)
        )
        error, after = (w * residual**2).sum(), (w * (centered - A @ slopes) ** 2).sum()
        if not error - after > max(min_fall, MIN_SHARE * error):
            break
        residual = centered - A @ slopes
        terms = [
            LineTerm(f, slope / columns[f][1], columns[f][0]) for f, slope in zip(chosen, slopes, strict=True)
        ]
    return terms


@pytest.mark.parametrize("max_features", [1, 2])
@pytest.mark.parametrize("seed", range(10))
def test_a_fit_selects_and_solves_as_numpy_does(seed, max_features):
    case = Case(seed)
    lines = case.lined(max_features).lines
    leaves = case.tree.apply(case.table)
    for leaf in np.flatnonzero(case.tree.core.test == 0):
        rows = np.flatnonzero(leaves == leaf)
        expected = fitted_by_hand(case, leaf, rows, max_features)
        found = lines.terms(leaf)
        assert [term.feature for term in found] == [term.feature for term in expected]
        assert np.allclose(np.array(found).reshape(-1, 3), np.array(expected).reshape(-1, 3))
        if found:
            assert lines.low[leaf] == min(case.y[rows].min(), case.tree.core.output[leaf, 0])
            assert lines.high[leaf] == max(case.y[rows].max(), case.tree.core.output[leaf, 0])


def fitted_features(*columns, y, weights=None):
    """Return the features of the line of a tree that is one leaf."""
    tree = core_tree(drawn_leaf(0.0), schema_of([0] * len(columns)))
    rows = _core.Columns([np.array(column, dtype=float) for column in columns], [0] * len(columns), len(y))
    return _core.LeafLines.fit(
        tree, rows, y, np.ones(len(y)) if weights is None else weights
    ).feature.tolist()


def test_a_column_with_an_infinite_number_is_not_used():
    y = np.arange(50.0)
    assert fitted_features(y, y * y, y=y) == [0]
    assert fitted_features([math.inf, *y[1:]], y * y, y=y) == [1]


def test_a_slope_that_overflows_is_no_line():
    signs = np.tile([-1.0, 1.0], 25)
    assert fitted_features(1e-150 * signs, y=1e150 * signs) == [0]
    assert fitted_features(1e-160 * signs, y=1e150 * signs) == []


def test_rows_of_weight_zero_give_no_line():
    y = np.arange(50.0)
    assert fitted_features(y, y=y, weights=np.zeros(50)) == []


def answer_by_hand(tree, row):
    """Walk the tree; a missing tested value is mixed by the shares."""

    def at(node):
        if tree.core.test[node] == 0:
            value = tree.core.output[node, 0]
            for feature, slope, center in tree.lines.terms(node):
                if not math.isnan(row[feature]):
                    value += slope * (row[feature] - center)
            has_line = bool(tree.lines.terms(node))
            return min(max(value, tree.lines.low[node]), tree.lines.high[node]) if has_line else value
        x = row[tree.core.feature[node]]
        children, shares = tree.children(node), tree.shares(node)
        if math.isnan(x):
            return sum(share * at(child) for child, share in zip(children, shares, strict=True))
        return at(children[0 if x <= tree.core.threshold[node] else 1])

    return at(0)


@pytest.mark.parametrize("seed", range(10))
def test_predictions_are_those_of_the_lines(seed):
    case = Case(seed)
    tree = case.lined()
    X = np.vstack([case.X, [[1e9, -1e9, 0.0], [np.inf, 0.1, 0.0], [np.nan] * 3]])
    expected = [answer_by_hand(tree, row) for row in X]
    assert tree.predict(X) == pytest.approx(expected, rel=1e-12)


def test_numbers_that_overflow_and_cancel_give_the_number_of_the_leaf():
    case = Case(0)
    tree = sl.Tree(
        case.tree.core,
        case.table.schema,
        None,
        lines=LeafLines(
            np.array([0, 0, 2, 2, 2, 2]),
            np.array([0, 1], dtype=np.int32),
            np.array([2.0, 2.0]),
            np.zeros(2),
            np.array([-5.0, -5.0, 0, 0, 0]),
            np.array([5.0, 5.0, 0, 0, 0]),
        ),
    )
    assert tree.predict([[-np.inf, np.inf, 0.0]]) == [0.7]
    assert tree.predict([[-np.inf, 0.0, 0.0]]) == [-5.0]


def test_lines_are_stored_with_the_tree():
    tree = Case(1).lined()
    text = tree.to_json()
    again = parse_model(text, "model.json")
    assert again.to_json() == text
    X = Case(2).X
    assert (again.predict(X) == tree.predict(X)).all()


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("feature", 7, "does not exist"),
        ("slope", math.inf, "not JSON|finite|number"),
        ("low", 1e9, "between the bounds"),
        ("term_begin", -1, "term_begin"),
    ],
)
def test_a_file_with_bad_lines_is_refused(name, value, message):
    document = json.loads(Case(1).lined().to_json())
    entries = document["lines"][name] if "lines" in document else document["model"]["lines"][name]
    entries[-1 if name != "low" else 1] = value
    with pytest.raises(ModelFormatError, match=message):
        parse_model(json.dumps(document), "model.json")


def test_lines_that_do_not_fit_are_refused():
    case = Case(0)
    lines = case.lined().lines
    stump = sl.C45Classifier().fit([[1.0], [2.0]] * 4, [0, 1] * 4).tree_
    with pytest.raises(DataError, match="only a tree of numbers"):
        sl.Tree(stump.core, stump.schema, None, lines=lines)


LINES = {
    "term_begin": [0, 0, 2, 2, 3, 3],
    "feature": [0, 1, 1],
    "slope": [2.0, 2.0, 1.0],
    "center": [0.0, 0.0, 0.5],
    "low": [-5.0] * 5,
    "high": [5.0] * 5,
}


@pytest.mark.parametrize(
    ("name", "place", "value", "message"),
    [
        ("term_begin", 5, None, "the arrays of the lines do not match the tree"),
        ("slope", 2, None, "the arrays of the lines do not match the tree"),
        ("center", 2, None, "the arrays of the lines do not match the tree"),
        ("low", 4, None, "the arrays of the lines do not match the tree"),
        ("high", 4, None, "the arrays of the lines do not match the tree"),
        ("term_begin", 0, 1, "the array 'term_begin' must run from 0 to 3"),
        ("term_begin", 5, 4, "the array 'term_begin' must run from 0 to 3"),
        ("term_begin", 1, 9, "node 0: the array 'term_begin' leaves its range here"),
        ("term_begin", 1, -1, "node 0: the array 'term_begin' decreases here"),
        ("term_begin", 1, 1, "node 0: only a leaf has a line"),
        ("low", 1, -math.inf, "node 1: the output must lie between the bounds of the line"),
        ("high", 1, math.inf, "node 1: the output must lie between the bounds of the line"),
        ("low", 1, 1.0, "node 1: the output must lie between the bounds of the line"),
        ("high", 1, 0.5, "node 1: the output must lie between the bounds of the line"),
        ("feature", 0, -1, "node 1: a line uses a feature that does not exist"),
        ("feature", 2, 4, "node 3: a line uses a feature that does not exist"),
        ("feature", 0, 3, "node 1: a line uses a feature that is not numeric"),
        ("feature", 1, 0, "node 1: a line uses a feature twice"),
        ("slope", 0, math.nan, "node 1: slopes and centers must be finite"),
        ("center", 1, math.inf, "node 1: slopes and centers must be finite"),
    ],
)
def test_wrong_entries_are_named(name, place, value, message):
    root = at_most(0, 0.0, drawn_leaf(0.7), at_most(1, 0.5, drawn_leaf(-1.0), drawn_leaf(2.5)))
    core = core_tree(root, schema_of([0, 0, 0, 2]))
    arrays = {key: list(entries) for key, entries in LINES.items()}
    arrays[name][place : place + 1] = [] if value is None else [value]
    types = {"term_begin": np.int64, "feature": np.int32}
    arrays = {key: np.array(entries, dtype=types.get(key, np.float64)) for key, entries in arrays.items()}
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole sentence is compared
        _core.LeafLines(core, **arrays)
    assert str(caught.value) == message


def test_graphs_refuse_lines_by_name():
    tree = Case(1).lined()
    with pytest.raises(UnsupportedModelError, match="leaf='mean'"):
        tree.to_graph()


def test_numbers_summarize_the_target_per_node():
    case = Case(3)
    known = case.X[~np.isnan(case.X).any(axis=1)]
    y = np.arange(len(known)) * 1.5 + 1e9
    weights = np.random.default_rng(0).choice([0.5, 2.0], len(known))
    tree = case.tree.with_numbers(known, y, weights)
    leaves = tree.apply(known)
    for leaf in np.unique(leaves):
        rows = leaves == leaf
        mean = np.average(y[rows], weights=weights[rows])
        assert tree.numbers.mean[leaf] == pytest.approx(mean, rel=1e-14)
        deviation = math.sqrt(np.average((y[rows] - mean) ** 2, weights=weights[rows]))
        assert tree.numbers.deviation[leaf] == pytest.approx(deviation, rel=1e-6)
        assert tree.core.weight[leaf] == weights[rows].sum()
    again = parse_model(tree.to_json(), "model.json")
    assert again.to_json() == tree.to_json()


def with_line(*slopes):
    """Return a tree that answers 1 above 0.5 and with a line between -5 and 5 below."""
    schema, n = schema_of([0, 0]), len(slopes)
    lines = LeafLines(
        term_begin=np.array([0, 0, n, n]),
        feature=np.arange(n, dtype=np.int32),
        slope=np.array(slopes),
        center=np.zeros(n),
        low=np.array([0.0, -5.0, 1.0]),
        high=np.array([0.0, 5.0, 1.0]),
    )
    core = core_tree(at_most(0, 0.5, drawn_leaf(0.0), drawn_leaf(1.0)), schema)
    return sl.Tree(core, schema, None, lines=lines)


def test_a_slope_of_zero_adds_nothing_to_a_proof():
    sloped = with_line(1.0)
    assert sl.certify(with_line(1.0, 0.0), sloped, tolerance=0.01).equivalent
    # Where the second number is large enough, it decides alone.
    found = sl.certify(with_line(1.0, 0.001), with_line(1.0, 0.0))
    assert found.max_difference == 10
    row = np.array([list(found.witness.values())])
    assert abs(with_line(1.0, 0.001).predict(row) - sloped.predict(row)) == 10


def test_slopes_that_overflow_and_cancel_prove_nothing():
    steep = with_line(1e308, -1e308)
    found = sl.certify(steep, with_line(1.0), tolerance=0.5)
    assert not found.equivalent
    row = np.array([list(found.witness.values())])
    assert abs(steep.predict(row) - with_line(1.0).predict(row)) > 0.5
