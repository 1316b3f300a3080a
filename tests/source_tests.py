"""Rows on the tests of a fitted scikit-learn model, where a careless import goes wrong."""

from __future__ import annotations

import numpy as np

from sightline.load import load


def source_tests(model):
    """Yield (feature, threshold) of every numeric test, as the library stores them."""
    if hasattr(model, "tree_"):
        is_inner = model.tree_.children_left >= 0
        yield from zip(model.tree_.feature[is_inner], model.tree_.threshold[is_inner], strict=True)
    for predictor in [p for stage in getattr(model, "_predictors", []) for p in stage]:
        nodes = predictor.nodes[(predictor.nodes["is_leaf"] == 0) & (predictor.nodes["is_categorical"] == 0)]
        yield from zip(nodes["feature_idx"], nodes["num_threshold"], strict=True)
    members = np.ravel(getattr(model, "estimators_", []))
    subsets = getattr(model, "estimators_features_", [np.arange(model.n_features_in_)] * len(members))
    for member, columns in zip(members, subsets, strict=True):
        for feature, threshold in source_tests(member):
            yield columns[feature], threshold


def neighbours(threshold):
    """Return the threshold, one ulp of double and of float32 either side, and the rounding borders."""
    single = np.float32(threshold)
    above, below = np.nextafter(single, np.float32(np.inf)), np.nextafter(single, np.float32(-np.inf))
    centres = [float(c) for c in (threshold, single, above, below)]
    centres += [(float(single) + float(above)) / 2, (float(single) + float(below)) / 2]
    return np.unique([np.nextafter(c, to) for c in centres for to in (-np.inf, c, np.inf)])


def rows_at_tests(model, rows, rng):
    """Return copies of rows, each with one value on or beside the threshold of a test."""
    tests = sorted({(int(f), float(t)) for f, t in source_tests(model) if np.isfinite(t)})
    result = []
    for feature, threshold in tests:
        values = neighbours(threshold)
        block = rows[rng.integers(len(rows), size=len(values))]
        block[:, feature] = values
        result.append(block)
    return np.concatenate(result)


def assert_same_answers(model, rows, seed=0):
    """Check label and score bit by bit: on rows, at every threshold, in both precisions."""
    ensemble = load(model)
    at_tests = rows_at_tests(model, rows, np.random.default_rng(seed))
    for asked in (rows, at_tests, rows.astype(np.float32), at_tests.astype(np.float32)):
        assert_same_answers_on(ensemble, model, asked)
    return ensemble


def assert_same_answers_on(ensemble, model, asked):
    """Check label and score bit by bit on the given rows."""
    expected = model.predict(asked)
    found = ensemble.predict(asked)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    if hasattr(model, "classes_"):
        np.testing.assert_array_equal(ensemble.classes_, model.classes_)
        np.testing.assert_array_equal(ensemble.predict_proba(asked), model.predict_proba(asked))
