"""CatBoost compares with an end of single precision to ask for a missing value; texts say what it asks."""

import numpy as np
import pandas as pd
import pytest
from catboost import CatBoostClassifier

import sightline as sl


@pytest.fixture(scope="module", params=["Min", "Max"])
def boosted(request):
    X = pd.DataFrame({"x": np.arange(90.0)})
    X["x"] = X["x"].mask(X["x"] % 3 == 0)
    y = (X["x"].isna() | X["x"].between(20, 40)).astype(int)
    settings = {"iterations": 6, "depth": 2, "verbose": 0, "allow_writing_files": False, "random_seed": 0}
    return CatBoostClassifier(nan_mode=request.param, **settings).fit(X, y), X, y


def have_small_bounds(explained):
    bounds = [bound for reason in explained.reasons for bound in (reason.low, reason.high)]
    return all(bound is None or 0 <= bound < 90 for bound in bounds)


def test_trees_ask_for_a_value(boosted):
    model, X, _ = boosted
    ensemble = sl.load(model)
    assert [feature.complete for feature in ensemble.schema.features] == [False]
    tree = next(tree for tree in ensemble.trees if np.abs(tree.core.threshold).max() > 1e38)
    texts = [tree.to_text(), tree.to_text(style="weka"), tree.export("dot"), *tree.to_frame()["rule"]]
    assert not any("e38" in text or "E38" in text for text in texts)
    assert all("x has no value" in text and "x has a value" in text for text in texts[:2])
    missing, known = tree.explain(X.iloc[[3, 4]])
    assert "Because x has no value." in str(missing)
    assert "no value" not in str(known)
    for explained in (missing, known):
        assert "e38" not in str(explained)
        assert have_small_bounds(explained)


def test_rules_ask_for_a_value(boosted):
    model, X, y = boosted
    rules = sl.RuleSetClassifier(model, random_state=0).fit(X, y).rules_
    bounds = np.concatenate([rules.core.low, rules.core.high])
    assert (np.isfinite(bounds) & (np.abs(bounds) > 1e38)).any()
    assert "x has no value" in rules.to_text()
    assert "e38" not in rules.to_text(show_missing=True) + str(list(rules.to_frame()["rule"]))
    for explained in rules.explain(X.iloc[:8]):
        assert "e38" not in str(explained)
        assert have_small_bounds(explained)
