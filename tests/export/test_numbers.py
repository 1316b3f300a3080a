"""Exported trees of numbers, with and without lines in their leaves, give the same number to the bit."""

from __future__ import annotations

import random

import numpy as np
import pandas as pd
import pytest
from export.elsewhere import RUNNERS, in_c, in_jpmml, in_onnxruntime
from export.hostile_trees import hostile_rows_of, hostile_tree_of_numbers
from strategies import at_most, core_tree, leaf, one_of

import sightline as sl
from sightline.model import ANY_NUMBER, LeafLines
from sightline.table import Feature, Schema

SHARING_RUNNERS = [runner for runner in RUNNERS if runner not in (in_onnxruntime, in_jpmml)]


def assert_same_numbers(runner, seed, tmp_path, **options):
    rng = random.Random(seed)
    hostile = hostile_tree_of_numbers(rng, **options)
    tree, rows = hostile.tree(), hostile_rows_of(rng, hostile)
    expected = [hostile.answer(row) for row in rows]
    frame = pd.DataFrame(rows, columns=tree.feature_names, dtype=object)
    assert tree.predict(frame).tolist() == expected
    assert runner(tree, rows, tmp_path)[0] == expected
    assert not (tmp_path / "PWNED").exists()


THOROUGH = pytest.mark.thorough


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize("has_lines", [False, True])
@pytest.mark.parametrize(("seed", "unseen"), [(1, "last"), pytest.param(0, "missing", marks=THOROUGH)])
def test_trees_that_keep_rows_whole(runner, seed, unseen, has_lines, tmp_path):
    assert_same_numbers(runner, seed, tmp_path, has_lines=has_lines, is_whole=True, unseen=unseen)


@pytest.mark.parametrize("runner", SHARING_RUNNERS)
@pytest.mark.parametrize("has_lines", [False, True])
@pytest.mark.parametrize(("seed", "unseen"), [(2, "missing"), pytest.param(3, "last", marks=THOROUGH)])
def test_trees_that_share_rows_out(runner, seed, unseen, has_lines, tmp_path):
    assert_same_numbers(runner, seed, tmp_path, has_lines=has_lines, is_whole=False, unseen=unseen)


@pytest.mark.parametrize("runner", RUNNERS)
def test_every_number_passes_a_test_for_the_largest_one(runner, tmp_path):
    """Infinity is a number; a missing value is not."""
    schema = Schema((Feature("a"),))
    root = at_most(0, ANY_NUMBER, leaf(1.0), leaf(2.0), shares=[0.0, 1.0])
    tree = sl.Tree(core_tree(root, schema), schema, None)
    rows = [[0.0], [np.inf], [-np.inf], [ANY_NUMBER], [None]]
    assert tree.predict(pd.DataFrame(rows, columns=["a"], dtype=float)).tolist() == [1.0, 1.0, 1.0, 1.0, 2.0]
    assert runner(tree, rows, tmp_path)[0] == [1.0, 1.0, 1.0, 1.0, 2.0]


def test_onnx_inputs_may_have_the_names_of_outputs(tmp_path):
    schema = Schema((Feature("prediction", ("x", "y")), Feature("sightline step 0"), Feature("label")))
    root = one_of(
        0, [0], at_most(1, 0.5, leaf(1.0), leaf(2.0), shares=[1.0, 0.0]), leaf(3.0), shares=[0.0, 1.0]
    )
    tree = sl.Tree(core_tree(root, schema), schema, None)
    rows = [["x", 0.0, 0.0], ["x", 1.0, 0.0], ["y", 0.0, 0.0]]
    assert in_onnxruntime(tree, rows, tmp_path)[0] == [1.0, 2.0, 3.0]


def two_terms(slopes):
    """A leaf that adds up two columns."""
    schema = Schema((Feature("a"), Feature("b")))
    lines = LeafLines(
        term_begin=np.array([0, 2]),
        feature=np.array([0, 1], dtype=np.int32),
        slope=np.array(slopes),
        center=np.array([0.1, 0.2]),
        low=np.array([-10.0]),
        high=np.array([10.0]),
    )
    return sl.Tree(core_tree(leaf(0.3), schema), schema, None, lines=lines)


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize("slopes", [[3.0, 7.0], [0.5, 0.25]])
def test_terms_that_cancel_to_nothing_give_the_number_of_the_leaf(runner, slopes, tmp_path):
    tree = two_terms(slopes)
    rows = [[0.7, 0.9], [np.inf, -np.inf], [-np.inf, 0.0], [0.0, np.inf], [None, np.inf], [None, None]]
    line = 0.3 + slopes[0] * (0.7 - 0.1) + slopes[1] * (0.9 - 0.2)
    expected = [line, 0.3, -10.0, 10.0, 10.0, 0.3]
    assert tree.predict(np.array(rows, dtype=float)).tolist() == expected
    assert runner(tree, rows, tmp_path)[0] == expected


def test_c_needs_no_flag_against_fused_operations(tmp_path):
    """A fused multiply-add rounds once, which changes the last digit of many lines."""
    rows = np.random.default_rng(0).normal(size=(2000, 2)).tolist()
    tree = two_terms([1 / 3, 0.7])
    fusing = ["-std=gnu99", "-O3", "-march=native", "-ffp-contract=fast"]
    assert in_c(tree, rows, tmp_path, flags=fusing)[0] == tree.predict(rows).tolist()


def test_lines_are_refused_by_name_where_a_target_has_none():
    with pytest.raises(sl.UnsupportedModelError) as error:
        two_terms([1.0, 2.0]).export("sklearn")
    assert str(error.value) == (
        "The export of kind 'sklearn' needs leaves that predict one number, but this tree has lines in "
        "its leaves. Distill it with leaf='mean', or export it as sql, python, c, javascript, onnx or pmml."
    )


@pytest.fixture(scope="module")
def insured():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.uniform(18, 90, 400), "sum insured": rng.lognormal(10, 1, 400)})
    y = 3.5 * X["age"] + np.sqrt(X["sum insured"]) + rng.normal(size=400)
    return X, sl.DistilledTreeRegressor(leaf="linear", max_leaves=4, random_state=0).fit(X, y)


@pytest.mark.parametrize("runner", RUNNERS)
def test_a_distilled_tree_with_lines(runner, insured, tmp_path):
    X, model = insured
    assert model.tree_.lines is not None
    asked = X.astype(object)
    asked.iloc[::7, 0] = None
    asked.iloc[::11, 1] = None
    options = {"missing": "largest"} if runner in (in_onnxruntime, in_jpmml) else {}
    is_whole = asked.notna().all(axis=1).to_numpy() | (not options)
    found = np.array(runner(model.tree_, asked.to_numpy().tolist(), tmp_path, **options)[0])
    np.testing.assert_array_equal(found[is_whole], model.predict(asked)[is_whole])
