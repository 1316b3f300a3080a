"""A code that its column does not declare is a missing value, in every kernel that reads codes."""

from __future__ import annotations

import numpy as np
import pytest

import sightline as sl
from sightline import _core
from sightline.table import Column, Feature, Labels, Table

N_ROWS = 90
N_VALUES = [3, 300, 0]
"""The second column has more values than a distilled tree or C4.5 tests one by one."""


def drawn():
    rng = np.random.default_rng(0)
    colour = np.where(rng.random(N_ROWS) < 0.2, -1, rng.integers(3, size=N_ROWS)).astype(np.int32)
    place = np.where(rng.random(N_ROWS) < 0.1, -1, np.arange(N_ROWS) * 3).astype(np.int32)
    number = rng.integers(8, size=N_ROWS).astype(float)
    labels = ((colour == 1) ^ (number > 3) ^ (place > 200)).astype(np.int32)
    return [colour, place, number], labels


def columns(undeclared):
    """Return the rows with missing values as -1, or as codes behind the declared ones."""
    arrays, _ = drawn()
    if undeclared:
        for array, n_values in zip(arrays[:2], N_VALUES, strict=False):
            lost = np.flatnonzero(array < 0)
            array[lost] = np.where(lost % 2 == 0, n_values, np.iinfo(np.int32).max)
    return _core.Columns(arrays, N_VALUES, N_ROWS)


@pytest.fixture(scope="module")
def forest():
    arrays, labels = drawn()
    features = [Feature("colour", tuple("rgb")), Feature("place", tuple(map(str, range(300)))), Feature("n")]
    table = Table([Column(feature, array) for feature, array in zip(features, arrays, strict=True)])
    base = sl.C45Classifier(binary_splits=True, prune=False, min_leaf=1)
    bagged = sl.BaggedTreesClassifier(base, n_trees=5, random_state=0)
    return bagged.fit(table, Labels(labels, np.arange(2))).ensemble_, table


def content(tree):
    parts = ("test", "feature", "threshold", "child", "share", "category", "weight", "output", "counts")
    return [np.asarray(getattr(tree, part)).tolist() for part in parts]


def distilled(rows, forest):
    ensemble, table = forest
    answers = ensemble.predict_proba(table)
    labels = answers.argmax(axis=1).astype(np.int32)
    bins = _core.Bins(rows, answers.ravel())
    made = _core.DistillationRows(bins, 2)
    made.add(rows, labels, answers.ravel(), np.ones(N_ROWS), labels)
    return content(_core.distill_tree(made, 8).tree(made))


def merged(rows, forest):
    ensemble, table = forest
    answers = ensemble.predict_proba(table)
    link = ensemble.link
    prepared = _core.IsmEnsemble(ensemble.core, link.kind, list(link.divide_by), link.label_above, 0)
    options = _core.IsmOptions(
        variant="td",
        mixture_gain=True,
        gain_ratio=False,
        literal_matching=False,
        pooled_probability=True,
        stop_on_rows=True,
        m=3.0,
        max_leaves=0,
        max_nodes=1000,
        max_depth=-1,
        max_seconds=1e9,
    )
    labels = answers.argmax(axis=1).astype(np.int32)
    return content(prepared.grow(rows, labels, answers.ravel(), np.ones(N_ROWS), options).tree)


def rules(rows, forest):
    found = _core.RuleCandidates(forest[0].core, rows, None, 2, False, 1.0, 10**6).rules
    return [found.holds(rows).tolist(), found.condition.tolist(), found.category.tolist()]


def c45(rows, binary_splits):
    options = _core.C45Options(binary_splits=binary_splits, min_leaf=1.0)
    return content(_core.C45Growth(rows, drawn()[1], 2, options).tree())


def cross_validated(rows, forest):
    folds = (np.arange(N_ROWS) % 3).astype(np.int32)
    kernel = _core.SetGenCrossValidation(
        rows,
        drawn()[1],
        2,
        folds,
        3,
        _core.C45Options(),
        accuracy_weight=1.0,
        size_weight=0.1,
        ratio_of_means=False,
        cache_bytes=10**7,
    )
    return kernel.evaluate(np.array([[1, 1, 1], [1, 0, 1], [1, 1, 0]], dtype=bool), 0.25).tolist()


def stumps(rows, forest):
    pool = _core.StumpPool(rows, drawn()[1], 2)
    pool.generate()
    return [content(pool.tree(stump)) for stump in range(len(pool))]


def neighbours(rows, forest):
    cases = _core.SubspaceKNNCases(rows, drawn()[1], 2)
    masks = np.array([1, 1, 0, 1, 0, 1], dtype=np.uint8)
    return cases.member_shares(rows, masks, 3, 1).tolist()


KERNELS = {
    "a distilled tree": distilled,
    "ISM": merged,
    "rules": rules,
    "C4.5": lambda rows, _: c45(rows, binary_splits=False),
    "C4.5 with binary splits": lambda rows, _: c45(rows, binary_splits=True),
    "SetGen": cross_validated,
    "stumps": stumps,
    "neighbours": neighbours,
}


@pytest.mark.parametrize("kernel", KERNELS)
def test_undeclared_codes_are_missing_values(forest, kernel):
    assert KERNELS[kernel](columns(undeclared=True), forest) == KERNELS[kernel](
        columns(undeclared=False), forest
    )
