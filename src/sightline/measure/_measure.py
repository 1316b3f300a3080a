"""The function ``measure``."""

from __future__ import annotations

import warnings
from typing import Any

from sightline.budget import is_number
from sightline.exceptions import DataWarning, ParameterError
from sightline.measure._all_predictions import AllPredictions, read, teacher_of
from sightline.measure._measures import Measures
from sightline.measure._row_weights import RowWeights
from sightline.table import Table


def measure(
    model: Any,
    X: Any,
    y: Any = None,
    ensemble: Any = None,
    *,
    baseline: Any = None,
    sample_weight: Any = None,
    positive: Any = None,
    confidence: float = 0.95,
) -> Measures:
    """Measure a model's accuracy, its fidelity to the ensemble, and what a constant guess would reach.

    Parameters
    ----------
    model : fitted estimator, Tree, RuleSet, Ensemble, BlackBox or other model
        The model. One that cannot be read is queried as a black box.
    X : Table, frame or array of shape (n_rows, n_features)
        Rows that were not used for fitting; otherwise the numbers are too optimistic.
    y : array-like of shape (n_rows,), optional
        Their labels or numbers. Without them only fidelity is measured. A table with a target has its own.
    ensemble : fitted model, function or BlackBox, optional
        The ensemble that the model replaces; by default the one that the estimator learned from.
    baseline : fitted model, optional
        An ordinary tree of the same size, for comparison.
    sample_weight : array-like of shape (n_rows,), optional
        Weight of each row, such as its exposure. Every measure counts a row by its weight; numbers of rows
        stay numbers of rows. A Series gives the weights their name.
    positive : label, optional
        For two classes: the one that AUC, average precision, Brier score and calibration refer to. By default
        the one passed to :func:`sightline.load`, the rarer one if the classes are imbalanced, or the second.
    confidence : float, default=0.95
        Confidence of the intervals.

    Returns
    -------
    Measures
        For classes: accuracy, balanced accuracy, recall and precision per class, confusion matrix, AUC,
        average precision, Brier score, log loss and calibration curve; fidelity overall, per class and
        balanced, and how similar the probabilities are. For numbers: R², MAE and RMSE; also D² and mean
        deviance if the ensemble learned to minimize a Poisson, gamma or Tweedie deviance. All with intervals
        and numbers of rows, beside the ensemble and the most frequent class, or the mean.

    Raises
    ------
    DataError
        If rows, labels and models do not match, or if there is neither y nor an ensemble.

    Warns
    -----
    DataWarning
        If some labels are no class of the model: their rows count as errors, as in scikit-learn. If many
        cells of a column that model or ensemble test are unlike those of training, such as new categories.

    Notes
    -----
    Shares have Wilson's intervals; with sample weights, for Kish's effective number of rows. Means of
    shares, such as the balanced accuracy, recover theirs from those of the parts (MOVER). AUC has DeLong's
    interval on the scale of log odds, and average precision Wilson's for the rows of the class.
    Spearman's correlation has that of Bonett and Wright. Means over rows (Brier score, log loss,
    differences, errors of numbers) have normal ones. They account only for chance in sampling the rows.

    Of more than two classes, AUC and average precision are the means over the classes, each against the rest.
    A model that gives labels only has no AUC, average precision, Brier score, log loss or calibration.

    Examples
    --------
    >>> import sightline as sl
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> forest = RandomForestClassifier(random_state=0).fit(X[::2], y[::2])
    >>> tree = sl.DistilledTreeClassifier(forest, max_leaves=4, random_state=0).fit(X[::2])
    >>> found = sl.measure(tree, X[1::2], y[1::2])
    >>> found.model.accuracy.n_rows, found.guess.accuracy.text
    (284, '61.3%')
    >>> found.model.auc.value < found.ensemble.auc.value
    True
    """
    if y is None and isinstance(X, Table):
        y = X.y
    if not (is_number(confidence) and 0 < confidence < 1):
        raise ParameterError(
            "The 'confidence' parameter of measure must be between 0 and 1, both excluded. "
            f"Got {confidence!r} instead."
        )
    loaded = read(model)
    predictions = AllPredictions.of(
        loaded, X, y, teacher_of(model, loaded, ensemble), baseline, type(model).__name__
    )
    for note in predictions.notes:
        warnings.warn(note, DataWarning, stacklevel=3)
    return predictions.measures(positive, confidence, RowWeights.of(sample_weight, predictions.rows.n_rows))
