"""Certificates against all cells of the space, and what they say."""

from __future__ import annotations

import copy
import json
import math
import random
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import xgboost
from cases import each
from grid import cell_table
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier
from strategies import (
    DrawnEnsemble,
    at_most,
    class_names,
    leaf,
    node_list,
    one_of,
    random_ensemble,
    random_rule_set,
    schema_of,
    tree_of,
)

import sightline as sl
from sightline import RuleSet, _core
from sightline.model import LEAF, SUBSET, THRESHOLD, Ensemble, Status, Voting

RULE_ARRAYS = (
    *("feature", "low", "high", "accepts_missing", "category_begin", "category"),
    *("condition_begin", "condition", "label", "weight", "source_begin", "source"),
)


def changed(drawn, rng):
    """The ensemble with one leaf, one threshold (by one ulp) or one set of categories changed."""
    other = copy.deepcopy(drawn)
    node = rng.choice([node for root in other.roots for node in node_list(root)])
    if node.test == THRESHOLD:
        node.threshold = math.nextafter(node.threshold, rng.choice([-math.inf, math.inf]))
    elif node.test == SUBSET:
        node.categories = sorted({*node.categories} ^ {rng.randrange(drawn.schema.n_values[node.feature])})
    elif node.test == LEAF:
        rng.shuffle(node.output)
        node.output[0] += rng.choice([0, 1, 1e-9])
    return other


@each(seed=range(300))
def test_certificates_agree_with_brute_force(seed):
    rng = random.Random(seed)
    drawn = random_ensemble(rng)
    ensemble, other = drawn.model(), changed(drawn, rng).model()
    cells = cell_table(ensemble, other)
    assert cells is not None, "too many cells"
    differ = ensemble.predict(cells) != other.predict(cells)
    tree = sl.merge(ensemble)
    for model in (tree, tree.to_graph(), ensemble):
        for X in (None, cells):
            certificate = sl.certify(model, other, X)
            assert certificate.equivalent is not differ.any()
            assert (certificate.witness is None) == certificate.equivalent
            assert bool(certificate) == certificate.equivalent
    check_leaves(sl.certify(tree, other), tree, cells, differ)


def voting_on_mixtures(rng, n_classes=4):
    """Voting trees whose missing values mix leaves: mixtures vote for classes that no leaf votes for."""
    schema = schema_of([0, 0])

    def grow(depth):
        if depth == 0:
            shares = [rng.choice([0.0, 0.2, 0.4, 0.6]) for _ in range(n_classes)]
            return leaf(*shares)
        shares = rng.choice([(0.5, 0.5), (0.25, 0.75), (1.0, 0.0)])
        return at_most(rng.randrange(2), float(rng.randrange(3)), grow(depth - 1), grow(depth - 1), shares)

    roots = [grow(rng.randrange(3)) for _ in range(4)]
    weights = [rng.choice([1.0, 1.5]) for _ in roots]
    return DrawnEnsemble(
        schema,
        roots,
        n_classes,
        votes=True,
        tree_weight=weights,
        vote_against=[0.0] * len(roots),
        tree_score=[-1] * len(roots),
        base=[0.0] * n_classes,
    ).model()


@each(seed=range(150))
def test_votes_of_mixed_leaves_agree_with_brute_force(seed):
    rng = random.Random(seed)
    ensemble, other = voting_on_mixtures(rng), voting_on_mixtures(rng)
    cells = cell_table(ensemble, other)
    tree = sl.merge(ensemble)
    assert tree.complete
    assert (tree.predict(cells) == ensemble.predict(cells)).all()
    assert sl.certify(tree, ensemble).equivalent
    differ = ensemble.predict(cells) != other.predict(cells)
    assert sl.certify(ensemble, other).equivalent is not differ.any()


def test_a_mixture_may_vote_for_a_class_that_no_leaf_votes_for():
    """Leaves vote a and b; a row with a missing value gets their mean, which votes c."""
    mixed = at_most(0, 2.0, leaf(0.6, 0.0, 0.4), leaf(0.0, 0.6, 0.4), shares=(0.5, 0.5))
    parts = {"votes": True, "vote_against": [0.0] * 3, "tree_score": [-1] * 3, "base": [0.0] * 3}
    roots = [mixed, leaf(1.0, 0.0, 0.0), leaf(0.0, 0.0, 1.0)]
    ensemble = DrawnEnsemble(schema_of([0]), roots, 3, tree_weight=[1.0, 1.5, 1.0], **parts).model()
    always_first = tree_of(leaf(1.0, 0.0, 0.0), schema_of([0]))
    certificate = sl.certify(always_first, ensemble)
    assert not certificate.equivalent
    assert certificate.witness == {"f0": None}
    assert sl.certify(always_first, ensemble, missing=False).equivalent


@pytest.mark.parametrize("weight", [1e9, 1e16])
def test_rules_whose_weights_cancel(weight):
    """Where +W and -W both match, rounding swallows the third vote of class 0, or parts of it."""
    core = _core.RuleSet(
        n_values=[0],
        n_classes=2,
        n_trees=1,
        feature=np.array([0], dtype=np.int32),
        low=np.array([5.0]),
        high=np.array([np.inf]),
        accepts_missing=np.zeros(1, dtype=np.uint8),
        category_begin=np.zeros(2, dtype=np.int64),
        category=np.empty(0, dtype=np.int32),
        condition_begin=np.array([0, 1, 2, 2], dtype=np.int64),
        condition=np.zeros(2, dtype=np.int32),
        label=np.zeros(3, dtype=np.int32),
        weight=np.array([weight, -weight, 0.3]),
        source_begin=np.arange(4, dtype=np.int64),
        source=np.zeros(3, dtype=np.int32),
    )
    for lead in (0.05, 1e-7, 2e-8):
        voting = Voting(prior=(0.5, 0.5), base=(0.0, 0.3 - lead), pc=1.0, wr=0.0, fallback=None)
        rules = RuleSet(core, schema_of([0]), class_names(2), voting)
        always_first = tree_of(leaf(1.0, 0.0), schema_of([0]))
        cells = cell_table(rules)
        agree = bool((rules.predict(cells) == always_first.predict(cells)).all())
        assert sl.certify(always_first, rules).equivalent is agree


def changed_rules(rules, rng):
    """The rules with one weight, one end (by one ulp) or the way they vote changed."""
    parts = {name: np.array(getattr(rules.core, name)) for name in RULE_ARRAYS}
    parts |= {name: getattr(rules.core, name) for name in ("n_classes", "n_trees")}
    parts["n_values"] = rules.schema.n_values
    voting = rules.voting
    what = rng.choice(["weight", "low", "high", "voting"])
    if what == "voting":
        voting = replace(voting, wr=rng.choice([0.0, 0.05, 0.5, 1.0]), fallback=rng.choice([None, 0.0, 0.5]))
    else:
        place = rng.randrange(len(parts[what]))
        up = rng.choice([-math.inf, math.inf])
        parts[what][place] = (
            rng.choice([0.5, 3.0]) if what == "weight" else math.nextafter(parts[what][place], up)
        )
    return RuleSet(_core.RuleSet(**parts), rules.schema, rules.classes_, voting)


@each(seed=range(300))
def test_rules_agree_with_brute_force(seed):
    rng = random.Random(seed)
    rules = random_rule_set(rng)
    other = changed_rules(rules, rng)
    cells = cell_table(rules, other)
    assert cells is not None, "too many cells"
    differ = rules.predict(cells) != other.predict(cells)
    certificate = sl.certify(rules, other)
    assert certificate.equivalent is not differ.any()
    assert (certificate.witness is None) == certificate.equivalent
    assert certificate.leaf_status == {}
    assert sl.certify(rules, rules).equivalent


@each(seed=range(60))
def test_simpler_rules_are_proved_to_be_the_same(seed):
    rules = random_rule_set(random.Random(seed))
    assert sl.certify(rules.simplified(), rules).equivalent


def test_rules_of_a_tree_are_proved_to_equal_it():
    X, y = load_iris(return_X_y=True)
    tree = sl.C45Classifier().fit(X, y)
    rules = sl.RuleSetClassifier(tree, pc=1.0, wr=0.0).fit(X, y)
    assert sl.certify(rules, tree, missing=False).to_text().startswith("Equivalent: proved for every row")
    assert not sl.certify(rules.resized(2), tree).equivalent


def check_leaves(certificate, tree, cells, differ):
    """A leaf is refuted if and only if a cell that reaches it wholly differs."""
    whole = tree.core.find_whole_leaves(cells.native(), 1)
    refuted = set(whole[differ].tolist())
    for node, status in certificate.leaf_status.items():
        assert status is (Status.REFUTED if node in refuted else Status.PROVED)


@pytest.mark.parametrize("direction", [-math.inf, math.inf])
def test_a_threshold_moved_by_one_ulp_is_found(direction):
    schema = schema_of([0])
    tree = tree_of(at_most(0, 0.1, leaf(1, 0), leaf(0, 1), shares=[1, 0]), schema)
    moved = math.nextafter(0.1, direction)
    other = tree_of(at_most(0, moved, leaf(1, 0), leaf(0, 1), shares=[1, 0]), schema)
    certificate = sl.certify(tree, other)
    assert certificate.equivalent is False
    assert certificate.witness == {"f0": max(0.1, moved)}


def test_a_difference_in_missing_values_only():
    schema = schema_of([0, 2])
    one = tree_of(one_of(1, [0], leaf(1, 0), leaf(0, 1), shares=[1, 0]), schema)
    other = tree_of(one_of(1, [0], leaf(1, 0), leaf(0, 1), shares=[0, 1]), schema)
    certificate = sl.certify(one, other)
    assert certificate.witness == {"f0": 0.0, "f1": None}
    assert certificate.answers == ("class 0", "class 1")
    assert sl.certify(one, other, missing=False).equivalent is True
    assert sl.certify(one, other, missing=["f0"]).equivalent is True
    assert certificate.to_text() == (
        "Not equivalent: the labels differ.\n"
        "Row: f0 = 0, f1 = missing\n"
        "The model predicts class 0, the other tree class 1.\n"
        "Leaves: 1 proved, 1 refuted, 0 open.\n"
    )


def test_a_budget_leaves_leaves_open_and_never_says_equivalent():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 8))
    y = (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int)
    forest = RandomForestClassifier(30, random_state=0).fit(X, y)
    certificate = sl.certify(forest, sl.load(forest), max_nodes=500)
    assert certificate.equivalent is None
    assert certificate.witness is None
    assert certificate.to_text().startswith("Open: neither proved nor refuted after ")
    merged = sl.merge(forest, max_nodes=20_000)
    certificate = sl.certify(merged, forest, X, max_nodes=20_000)
    assert certificate.equivalent is not True
    assert {*certificate.leaf_status.values()} == {*Status}
    leaves = merged.apply(X)
    expected = np.mean([certificate.leaf_status[node] is Status.PROVED for node in leaves.tolist()])
    assert certificate.proved_share == expected


def test_budgets_never_give_a_wrong_answer():
    for seed in range(40):
        rng = random.Random(seed)
        drawn = random_ensemble(rng)
        ensemble, other = drawn.model(), changed(drawn, rng).model()
        full = sl.certify(sl.merge(ensemble), other)
        for model in (sl.merge(ensemble), sl.merge(ensemble, to="graph")):
            for max_nodes in (1, 2, 5, 20):
                part = sl.certify(model, other, max_nodes=max_nodes)
                assert part.equivalent in (None, full.equivalent)
            for node, status in sl.certify(sl.merge(ensemble), other, max_nodes=20).leaf_status.items():
                assert status in (Status.OPEN, full.leaf_status[node])


def test_search_can_stop_at_the_first_difference():
    schema = schema_of([0])
    tree = tree_of(at_most(0, 0.0, leaf(1, 0), leaf(0, 1), shares=[1, 0]), schema)
    flipped = tree_of(at_most(0, 0.0, leaf(0, 1), leaf(1, 0), shares=[1, 0]), schema)
    assert len(sl.certify(tree, flipped).witnesses) == 2
    assert len(sl.certify(tree, flipped, every_leaf=False).witnesses) == 1


def test_estimators_paths_and_models_of_scikit_learn(tmp_path):
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(4, max_depth=2, random_state=0).fit(X, y)
    merged = sl.merge(forest, to="graph")
    merged.to_json(tmp_path / "graph.json")
    assert sl.certify(tmp_path / "graph.json", forest).equivalent
    tree = sl.C45Classifier().fit(X, y)
    assert sl.certify(tree, tree.tree_).equivalent
    assert sl.certify(tree, forest).equivalent is False


def test_paths_of_other_libraries(tmp_path):
    """certify reads paths as sl.load does, for files of any library."""
    X, y = load_iris(return_X_y=True)
    booster = xgboost.XGBClassifier(n_estimators=2, max_depth=2, n_jobs=1).fit(X, y)
    booster.save_model(tmp_path / "xgb.json")
    tree = sl.merge(booster)
    assert sl.certify(str(tmp_path / "xgb.json"), tree).equivalent
    assert sl.certify(tree, tmp_path / "xgb.json").equivalent
    tree.to_json(tmp_path / "tree.json")
    # A tree stays a tree: each leaf has a status.
    assert len(sl.certify(tmp_path / "tree.json", booster).leaf_status) == tree.n_leaves


def test_the_certificate_as_json_and_picture(tmp_path):
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(4, max_depth=2, random_state=0).fit(X, y)
    certificate = sl.certify(sl.C45Classifier().fit(X, y), forest, X)
    document = json.loads(certificate.to_json(tmp_path / "certificate.json"))
    assert document["equivalent"] is False
    assert set(document["leaf_status"].values()) <= {"proved", "refuted", "open"}
    assert json.loads((tmp_path / "certificate.json").read_text()) == document
    texts = [text.get_text() for text in certificate.plot().texts]
    assert any(text.endswith("refuted") for text in texts)
    assert sum(text.startswith("Leaves: ") for text in texts) == 1
    with pytest.raises(sl.UnsupportedModelError) as caught:
        sl.certify(forest, forest).plot()
    assert str(caught.value) == (
        "Ensemble has no leaves to mark. plot needs a certificate of a tree or graph."
    )


def test_models_of_rows_with_another_category_can_be_compared_as_the_refusal_says():
    cities, y = pd.Series(["Rome", "Oslo", "Bern"] * 10, name="city"), ["no", "yes", "no"] * 10
    fewer = cities.replace("Bern", "Rome")

    def tree(column):
        return sl.C45Classifier().fit(column.to_frame(), y).tree_

    with pytest.raises(sl.DataError) as caught:
        sl.certify(tree(fewer), tree(cities))
    assert str(caught.value) == (
        "Column 'city' has different categories: 'Bern' only in the other tree. A proof needs the same ones "
        "in both. Declare them before you train: as the dtype of the column (pd.CategoricalDtype), or as "
        "categories of a pipeline's encoder."
    )
    kinds = [pd.CategoricalDtype(["Rome", "Oslo", "Bern"]), pd.CategoricalDtype(["Bern", "Oslo", "Rome"])]
    with pytest.raises(sl.DataError, match="different categories: they are in another order"):
        sl.certify(*(tree(cities.astype(kind)) for kind in kinds))
    assert sl.certify(tree(fewer.astype(kinds[0])), tree(cities.astype(kinds[0]))).equivalent is not None
    encoders = (OneHotEncoder(categories=[[*kinds[0].categories]], sparse_output=False) for _ in range(2))
    old, new = (
        make_pipeline(encoder, RandomForestClassifier(2, random_state=0)).fit(rows.to_frame(), y)
        for encoder, rows in zip(encoders, (fewer, cities), strict=True)
    )
    assert sl.certify(old, new).equivalent is not None


def one_leaf(n_values, classes=2):
    return tree_of(leaf(*[1.0] * classes), schema_of(n_values))


@pytest.mark.parametrize(
    ("model", "ensemble", "options", "message"),
    [
        ([0], [0, 0], {}, "The model has 1 column, the other tree 2. Both must have the same columns."),
        (
            [2],
            [3],
            {},
            "Column 'f0' has different categories: 'v2' only in the other tree. A proof needs the",
        ),
        (
            [0],
            [0],
            {"max_nodes": 0},
            "The 'max_nodes' parameter of certify must be a whole number from 1. Got 0 instead.",
        ),
        (
            [0],
            [0],
            {"max_seconds": -1},
            "The 'max_seconds' parameter of certify must be positive. Got -1 instead.",
        ),
        ([0], [0], {"missing": ["x"]}, "The 'missing' parameter names 'x', which is not a feature."),
        (
            [0],
            [0],
            {"X": np.empty((0, 1))},
            "Found array with 0 sample(s) (shape=(0, 1)) while ",
        ),
    ],
)
def test_incomparable_models_are_refused(model, ensemble, options, message):
    with pytest.raises(sl.SightlineError) as caught:
        sl.certify(one_leaf(model), one_leaf(ensemble), **options)
    assert message in str(caught.value)


def test_other_names_classes_and_regressors_are_refused():
    tree = one_leaf([0])
    schema = sl.Table.from_any([[0.0]], feature_names=["age"]).schema
    with pytest.raises(sl.DataError) as caught:
        sl.certify(tree, sl.Tree(tree.core, schema, tree.classes_))
    assert str(caught.value) == (
        "Column 0 is 'f0' in the model and 'age' in the other tree. "
        "Both must have the same columns in the same order."
    )
    with pytest.raises(sl.DataError) as caught:
        sl.certify(tree, sl.Tree(tree.core, tree.schema, np.array(["a", "b"])))
    assert str(caught.value) == (
        "The model has the classes ['class 0', 'class 1'], the other tree ['a', 'b']. "
        "They have no class in common. Give both the same class names: sl.load(ensemble, classes=[…])."
    )
    forest = RandomForestRegressor(2, random_state=0).fit([[0.0], [1.0]], [0.0, 1.0])
    with pytest.raises(sl.UnsupportedModelError) as caught:
        sl.certify(forest, tree)
    assert str(caught.value) == (
        "The model is a regressor, but the tree is a classifier. Both must predict classes, or both numbers."
    )
    with pytest.raises(sl.ParameterError) as caught:
        sl.certify(tree, tree, tolerance=0.1)
    assert str(caught.value) == (
        "The 'tolerance' parameter of certify is for regressors, but both models are classifiers. "
        "Leave it out."
    )
    with pytest.raises(sl.ParameterError) as caught:
        sl.certify(forest, forest, tolerance=-1.0)
    assert str(caught.value) == (
        "The 'tolerance' parameter of certify must be a finite number, 0 or larger. Got -1.0 instead."
    )


def test_classes_are_compared_by_their_labels():
    schema = schema_of([0])
    root = at_most(0, 0.0, leaf(1, 0), leaf(0, 1), shares=[1, 0])
    mirrored = at_most(0, 0.0, leaf(0, 1), leaf(1, 0), shares=[1, 0])
    tree = sl.Tree(tree_of(root, schema).core, schema, np.array(["no", "yes"]))
    same = sl.Tree(tree_of(mirrored, schema).core, schema, np.array(["yes", "no"]))
    assert sl.certify(tree, same).equivalent
    assert sl.certify(tree, Ensemble.average([same, same, same])).equivalent


def test_a_certificate_prints_as_text():
    tree = sl.C45Classifier().fit([[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"])
    certificate = sl.certify(tree, tree)
    assert str(certificate) == certificate.to_text().rstrip("\n")
    assert repr(certificate).startswith("Certificate(equivalent=True, ")


def test_given_rows_that_differ_are_counted_and_one_of_them_is_shown():
    X = [[float(x)] for x in range(10)]
    first, second = (sl.C45Classifier(min_leaf=1).fit(X, [x < cut for x in range(10)]) for cut in (4, 6))
    certificate = sl.certify(first, second, X)
    assert certificate.witness["x0"] in (4.0, 5.0)
    assert (certificate.n_differing, certificate.n_rows) == (2, 10)
    assert "The labels differ on 2 of 10 given rows (20.0%)." in str(certificate)
    assert "The labels agree on all 4 given rows." in str(sl.certify(first, second, X[:4]))
    assert certificate.to_dict()["n_differing"] == 2
    assert "given rows" not in str(sl.certify(first, second))


@pytest.mark.thorough
def test_many_rows_that_differ_do_not_outlast_the_budget():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 20))
    first, second = (
        sl.load(
            DecisionTreeClassifier(max_leaf_nodes=6000, random_state=0).fit(X, rng.integers(2, size=len(X)))
        )
        for _ in range(2)
    )
    tree = sl.merge(first)
    before = time.process_time()
    certificate = sl.certify(tree, second, X, max_seconds=0.1)
    # Looking up the missing values of all rows for each of thousands of witnesses took seconds.
    assert time.process_time() - before < 1.5
    assert certificate.equivalent is False
    # However little time is left for the search, every leaf in which the rows differ has a witness.
    differ = tree.predict(X) != second.predict(X)
    shown = np.unique(tree.apply(X)[differ])
    assert len(shown) > 2500
    assert set(shown.tolist()) <= set(certificate.witnesses)
