"""Rows on the tests of loaded models, to be asked of the model and of its library alike."""

from __future__ import annotations

import numpy as np
from source_tests import neighbours

SPECIAL = (0.0, -0.0, 1e-36, -1e-36, 1e-35, -1e-35, 1e-45, 5e-324, 1e30, -1e30, np.inf, -np.inf)
_LARGEST = 3e38


def rows_at_tests(ensemble, rows, seed=0):
    """Return rows with one value on or beside each threshold, and with special numbers.

    The canonical thresholds lie beside those of the source, so that both and their
    neighbours in both precisions are among the values.
    """
    rng = np.random.default_rng(seed)
    tests = {
        (int(f), float(t))
        for tree in ensemble.core.trees
        for f, t in zip(tree.feature, tree.threshold, strict=True)
        if f >= 0 and ensemble.schema.n_values[f] == 0 and abs(t) < _LARGEST
    }
    blocks = []
    for feature, threshold in sorted(tests):
        values = neighbours(threshold)
        block = rows[rng.integers(len(rows), size=len(values))].copy()
        block[:, feature] = values
        blocks.append(block)
    special = rows[rng.integers(len(rows), size=300)].copy()
    for row in special:
        row[rng.integers(rows.shape[1])] = rng.choice([*SPECIAL, np.nan])
    return np.concatenate([*blocks, special])


def assert_same_scores(ensemble, rows, *, scores, labels=None, probabilities=None, ulps=4, special=True):
    """Check scores bit by bit, labels, and probabilities but for the last bits of exp."""
    asked = [rows]
    if special:
        at_tests = rows_at_tests(ensemble, rows)
        asked += [at_tests, at_tests.astype(np.float32)]
    for block in asked:
        expected = np.asarray(scores(block))
        found = ensemble.scores(block).reshape(expected.shape)
        np.testing.assert_array_equal(found, expected)
        if labels is not None:
            np.testing.assert_array_equal(ensemble.predict(block), np.ravel(labels(block)))
        if probabilities is not None:
            expected = np.asarray(probabilities(block))
            unit = np.finfo(expected.dtype).eps
            np.testing.assert_allclose(ensemble.predict_proba(block), expected, rtol=ulps * unit, atol=unit)
