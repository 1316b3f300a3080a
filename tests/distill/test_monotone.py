"""Monotone trees, against every pair of rows that could show that they are not."""

import itertools

import numpy as np
import pandas as pd
import pytest
from cases import thorough_after
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import sightline as sl
from sightline.distill._monotone import LeafRegions, checked_directions
from sightline.exceptions import ParameterError

DIRECTIONS = {"a": 1, "b": -1}


def is_monotone(tree, values, directions):
    """Compare every pair of leaves. Missing values of these columns have no order."""
    regions = LeafRegions.of(tree)
    at_leaves = values[regions.leaves]
    return not (regions.not_above(directions) & (at_leaves[:, None] > at_leaves)).any()


def frame(seed, n_rows=120):
    rng = np.random.default_rng(seed)
    rows = pd.DataFrame(
        {
            "a": rng.integers(0, 6, n_rows) / 2,
            "b": np.where(rng.random(n_rows) < 0.1, np.nan, rng.integers(0, 6, n_rows)),
            "c": rng.integers(0, 4, n_rows),
        }
    )
    signal = rows["a"] - rows["b"].fillna(2) / 3 + rng.normal(0, 1.5, n_rows)
    return rows, signal


def every_row(rows):
    """All combinations of values around which any test can lie, missing ones included."""
    values = [np.unique(rows[name].dropna()) for name in rows]
    return pd.DataFrame(itertools.product(*[[*found, np.nan] for found in values]), columns=list(rows))


def rises_wrongly(rows, answers, column, direction):
    """Whether two rows that differ in one column only are answered in the wrong order."""
    others = [name for name in rows if name != column]
    known = rows.assign(answer=answers).dropna(subset=[column])
    for _, group in known.groupby(others, dropna=False):
        ordered = group.sort_values(column)["answer"].to_numpy() * direction
        if (np.diff(ordered) < -1e-12).any():
            return True
    return False


@pytest.mark.parametrize("seed", thorough_after(3, range(12)))
def test_a_monotone_tree_of_classes_never_answers_in_the_wrong_order(seed):
    rows, signal = frame(seed)
    forest = RandomForestClassifier(15, random_state=seed).fit(rows, signal > 0)
    options = {"threshold": 0.3} if seed % 2 else {}
    fit = {"max_leaves": 10, "random_state": 0, **options}
    tree = sl.DistilledTreeClassifier(forest, monotone=DIRECTIONS, **fit).fit(rows)
    asked = every_row(rows)
    for column, direction in DIRECTIONS.items():
        assert not rises_wrongly(asked, tree.predict_proba(asked)[:, 1], column, direction)
        assert not rises_wrongly(asked, tree.predict(asked).astype(int), column, direction)
    directions = checked_directions(tree.tree_.schema, DIRECTIONS)
    assert is_monotone(tree.tree_, tree.tree_.node_probabilities[:, 1], directions)


@pytest.mark.parametrize("seed", thorough_after(3, range(12)))
def test_a_monotone_tree_of_numbers_never_answers_in_the_wrong_order(seed):
    rows, signal = frame(seed)
    forest = RandomForestRegressor(15, random_state=seed).fit(rows, signal)
    tree = sl.DistilledTreeRegressor(forest, max_leaves=10, monotone=DIRECTIONS, random_state=0).fit(rows)
    asked = every_row(rows)
    for column, direction in DIRECTIONS.items():
        assert not rises_wrongly(asked, tree.predict(asked), column, direction)


@pytest.mark.parametrize("seed", thorough_after(3, range(12)))
def test_the_check_finds_what_every_pair_of_rows_shows(seed):
    rows, signal = frame(seed)
    forest = RandomForestRegressor(15, random_state=seed).fit(rows, signal)
    tree = sl.DistilledTreeRegressor(forest, max_leaves=6, random_state=0).fit(rows).tree_
    asked = every_row(rows)
    answers = tree.predict(asked)
    for column, direction in (("a", 1), ("a", -1), ("c", 1), ("c", -1)):
        directions = checked_directions(tree.schema, {column: direction})
        shown = rises_wrongly(asked, answers, column, direction)
        assert is_monotone(tree, tree.core.output[:, 0], directions) != shown


def test_a_tree_that_is_monotone_already_is_left_alone():
    X = np.linspace(0, 10, 200)[:, None]
    forest = RandomForestRegressor(10, random_state=0).fit(X, np.floor(X[:, 0]))
    free = sl.DistilledTreeRegressor(forest, max_leaves=8, random_state=0).fit(X)
    bound = sl.DistilledTreeRegressor(forest, max_leaves=8, monotone={0: 1}, random_state=0).fit(X)
    assert (free.predict(X) == bound.predict(X)).all()


@pytest.mark.parametrize(
    ("monotone", "message"),
    [
        ({"age": 1}, r"^monotone names 'age', but the columns are 'a', 'b' and 'c'\.$"),
        ({"a": 2}, r"^monotone must give 'a' 1, 0 or -1, not 2\.$"),
        ({"word": 1}, r"^monotone names 'word', which is nominal: its values have no order\.$"),
    ],
)
def test_wrong_directions_are_named(monotone, message):
    rows, signal = frame(0)
    if "word" in monotone:
        rows = rows.assign(word=np.where(rows["c"] > 1, "x", "y"))
    with pytest.raises(ParameterError, match=message):
        sl.DistilledTreeClassifier(monotone=monotone).fit(rows, signal > 0)


def test_lines_and_many_classes_cannot_be_monotone():
    rows, signal = frame(0)
    with pytest.raises(ParameterError, match="lines rise and fall within a leaf"):
        sl.DistilledTreeRegressor(leaf="linear", monotone={"a": 1}).fit(rows, signal)
    with pytest.raises(ParameterError, match="but there are 3 classes"):
        sl.DistilledTreeClassifier(monotone={"a": 1}).fit(rows, rows["c"] % 3)
