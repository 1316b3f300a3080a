"""C4.5's options in every learner that uses them: tiny confidences, huge limits, an accurate quantile."""

import numpy as np
import pytest
from scipy.special import ndtri
from setgen_reference import small_table

import sightline as sl
from sightline import _core

X, Y = small_table(80, seed=2)
TINY = (1e-20, 1e-45, 1e-300)


@pytest.mark.parametrize("confidence", TINY)
def test_a_tiny_confidence_prunes_hard_in_every_learner(confidence):
    """Its quantile was infinite in SET-GEN and ISM, and every estimate of errors NaN."""
    by_c45 = sl.C45Classifier(confidence=confidence).fit(X, Y)
    setgen = sl.SetGenClassifier(confidences=(confidence,), evaluations=5, folds=3, random_state=0).fit(X, Y)
    assert setgen.plain_tree_.to_json() == by_c45.tree_.to_json()
    ism = sl.ISMClassifier(prune="pessimistic", confidence=confidence, random_state=0).fit(X, Y)
    unpruned = sl.ISMClassifier(prune=None, random_state=0).fit(X, Y)
    assert ism.size_["leaves"] < unpruned.size_["leaves"]
    cmm = sl.CMMClassifier(confidence=confidence, n_artificial=50, random_state=0).fit(X, Y)
    assert np.isfinite(cmm.predict_proba(X)).all()


@pytest.mark.parametrize("limits", [{"max_depth": 2**31}, {"max_depth": 10**30}, {"max_leaves": 10**30}])
def test_limits_beyond_any_tree_are_no_limits_in_any_learner(limits):
    def plain_tree(base):
        setgen = sl.SetGenClassifier(base=base, confidences=(0.25,), evaluations=5, folds=3, random_state=0)
        return setgen.fit(X, Y).plain_tree_.to_json()

    assert plain_tree(sl.C45Classifier(**limits)) == plain_tree(sl.C45Classifier())
    bagged = sl.BaggedTreesClassifier(sl.C45Classifier(**limits), n_trees=2, random_state=0).fit(X, Y)
    assert bagged.ensemble_.n_trees == 2


def test_the_normal_quantile_is_that_of_scipy():
    confidences = np.concatenate(
        [
            np.geomspace(1.2e-38, 0.5, 400, dtype=np.float32),
            np.linspace(1e-3, 1, 400, endpoint=False, dtype=np.float32),
            np.float32(1) - np.geomspace(1e-7, 0.5, 100, dtype=np.float32),
        ]
    ).astype(float)
    z = np.array([_core.C45Options(confidence=confidence).z for confidence in confidences])
    np.testing.assert_allclose(z, -ndtri(confidences), rtol=1e-14, atol=1e-15)


def test_a_confidence_that_single_precision_rounds_to_1_adds_no_errors_either():
    nearly = 1 - 1e-12
    assert _core.C45Options(confidence=nearly).z == -np.inf
    trees = [
        sl.C45Classifier(confidence=confidence).fit(X, Y).tree_.to_json() for confidence in (0.6, nearly)
    ]
    assert trees[0] == trees[1]


def test_weights_count_rows_of_columns_with_too_many_values_to_test_singly():
    """With 300 values that have the rows of a leaf, groups of values are tested instead."""
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(300, dtype=np.int32), 2)
    labels = ((codes % 7 < 3) ^ (rng.random(600) < 0.1)).astype(np.int32)

    def tree(copies, weights):
        rows = _core.Columns([np.repeat(codes, copies)], [300], 600 * copies)
        options = _core.C45Options(min_leaf=4.0)
        return _core.C45Growth(rows, np.repeat(labels, copies), 2, options, weights=weights).tree()

    weighted, repeated = tree(1, np.full(600, 2.0)), tree(2, None)
    assert weighted.n_nodes == repeated.n_nodes > 1
    assert weighted.category.tolist() == repeated.category.tolist()
    assert weighted.counts.tolist() == repeated.counts.tolist()
    # With half the weight, no value has the rows of a leaf.
    assert tree(1, np.ones(600)).n_nodes < weighted.n_nodes


@pytest.mark.parametrize("confidence", [1e-300, 1e-45, 1e-39])
def test_the_quantile_stays_finite(confidence):
    assert _core.C45Options(confidence=confidence).z == pytest.approx(-ndtri(np.finfo(np.float32).tiny))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"confidence": 0.0}, "confidence must lie between 0 and 1"),
        ({"confidence": 1.0}, "confidence must lie between 0 and 1"),
        ({"confidence": float("nan")}, "confidence must lie between 0 and 1"),
        ({"min_leaf": 0.0}, "min_leaf must be positive"),
        ({"max_depth": -1}, "max_depth must be 0 or more"),
        ({"max_leaves": 0}, "max_leaves must be 1 or more"),
    ],
)
def test_what_the_options_refuse(parameters, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        _core.C45Options(**parameters)


def test_quinlan_s_limits_differ_at_every_level():
    levels = (0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95)
    z = [_core.C45Options(confidence=level, tabulated_limits=True).z for level in levels]
    by_hand = (1.65, 1.06, 0.6925, 0.3975, 0.2291667, 0.1875, 0.1458333, 0.1041667, 0.0625, 0.0208333)
    np.testing.assert_allclose(z, by_hand, atol=1e-6)


def test_quinlan_s_limits_prune_above_one_half_too():
    # Six branches save one error. By hand at 0.55, five leaves of two rows are charged 0.517 errors each
    # and a leaf of one row 0.45, together 3.03. One leaf with its error is charged 1.73.
    # Weka charges nothing.
    X, y = [[value] for value in "aabbccddeef"], ["no"] * 10 + ["yes"]
    options = {"confidence": 0.55, "min_leaf": 1}
    weka, quinlan = (sl.C45Classifier(limits=one, **options).fit(X, y).tree_ for one in ("weka", "quinlan"))
    assert (weka.n_leaves, quinlan.n_leaves) == (6, 1)
