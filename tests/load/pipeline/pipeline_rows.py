"""Rows on which a loaded pipeline must answer as the pipeline itself."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd

LARGE = 1e30
"""No threshold beyond this is asked for: scalers overflow there, and the pipeline refuses the row."""


def answers(pipeline, rows):
    """Return labels and probabilities, or None if the pipeline refuses the rows."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return pipeline.predict(rows), pipeline.predict_proba(rows)
        except ValueError:
            return None


def rows_at_thresholds(ensemble, X, rng):
    """Return rows with one number on, just below and just above each threshold of the ensemble."""
    parts = []
    for feature, name in enumerate(ensemble.feature_names):
        if ensemble.schema.features[feature].is_nominal:
            continue
        found = [tree.threshold[tree.feature == feature] for tree in ensemble.core.trees]
        thresholds = np.unique(np.concatenate(found))
        thresholds = thresholds[np.abs(thresholds) < LARGE]
        values = np.concatenate(
            [thresholds, np.nextafter(thresholds, np.inf), np.nextafter(thresholds, -np.inf)]
        )
        if len(values):
            rows = X.iloc[rng.integers(len(X), size=len(values))].copy()
            parts.append(rows.assign(**{name: values}))
    return pd.concat(parts, ignore_index=True) if parts else None


def changed_rows(X, rng):
    """Yield rows in which one column is missing, unseen or extreme."""
    for name in X.columns:
        some = X.iloc[rng.integers(len(X), size=12)]
        if name == "note":
            continue
        is_text = X[name].dtype.kind not in "iuf"
        yield some.assign(**{name: np.array([np.nan] * 12, dtype=object if is_text else float)})
        if is_text:
            yield some.assign(
                **{name: rng.choice(np.array(["new", "any other", "none", ""], dtype=object), 12)}
            )
        else:
            yield some.assign(
                **{name: rng.choice([0.0, -0.0, 1.0, 2.0, 3.5, 7.5, -17.25, 1e6, -1e6, 1e-300], 12)}
            )


def assert_same_answers(ensemble, pipeline, X, rng):
    """Check labels and probabilities on all of these rows, and return how many the pipeline accepts."""
    blocks = [X, *changed_rows(X, rng)]
    at_thresholds = rows_at_thresholds(ensemble, X, rng)
    if at_thresholds is not None:
        blocks.append(at_thresholds)
    together = pd.concat(blocks, ignore_index=True)
    n_rows = 0
    # One by one only if the pipeline refuses some of them: each call costs more than its rows.
    for block in [together] if answers(pipeline, together) is not None else blocks:
        expected = answers(pipeline, block)
        if expected is not None:
            n_rows += len(block)
            labels, probabilities = expected
            unit = np.finfo(np.asarray(probabilities).dtype).eps
            np.testing.assert_allclose(ensemble.predict_proba(block), probabilities, rtol=4 * unit, atol=unit)
            np.testing.assert_array_equal(ensemble.predict(block), labels)
    return n_rows
