"""Unfitted copies of estimators."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone


def cloned(estimator: Any) -> Any:
    """Return an unfitted copy with the same parameters, like scikit-learn's ``clone``.

    That function refuses CatBoost's estimators with ``cat_features``, because they copy the lists
    among their parameters.

    Parameters
    ----------
    estimator : estimator
        Fitted or not. Estimators among its parameters are copied as well.

    Returns
    -------
    estimator
        The copy.

    Raises
    ------
    TypeError
        If it is not an estimator.
    """
    try:
        return clone(estimator)
    except RuntimeError:
        parameters = estimator.get_params(deep=False)
        is_estimator = {name: hasattr(value, "get_params") for name, value in parameters.items()}
        return type(estimator)(
            **{name: cloned(value) if is_estimator[name] else value for name, value in parameters.items()}
        )
