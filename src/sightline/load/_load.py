"""The function ``load``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sightline.exceptions import DataError, ParameterError, UnsupportedModelError
from sightline.load._class_names import with_class_names
from sightline.load._file import ModelFile, load_file
from sightline.load._options import Options
from sightline.load._registry import find_importer
from sightline.model import BlackBox, Ensemble
from sightline.table import Schema, Table


def load(
    model: Any,
    *,
    allow_pickle: bool = False,
    categories: Mapping[str, Sequence[object]] | Any = None,
    classes: Sequence[object] | Mapping[Any, object] | None = None,
    positive: Any = None,
) -> Ensemble:
    """Read a fitted model, or the file of one, as an ensemble of trees.

    The ensemble gives the same label and score as the model for every row, also for rows exactly
    on a threshold, and does so without the model's own library. Files are recognized by their
    content and read without that library.

    Parameters
    ----------
    model : object or path-like
        A fitted tree, forest, bagging or boosting model of scikit-learn, also behind the steps of a
        pipeline, which is then read over its original columns, and in searches, votes, calibrations,
        thresholds, one-vs-rest and one-vs-one, nested in any way; an estimator or
        Booster of XGBoost or LightGBM; an estimator of CatBoost; a fitted sightline
        estimator; a :class:`~sightline.model.Tree`; or an
        :class:`~sightline.model.Ensemble`, which is returned unchanged. For an estimator that
        replaces an ensemble with a tree, the result is that tree as an ensemble of one; the
        original ensemble is its ``ensemble_``. Or the path of a file: XGBoost JSON and UBJSON,
        LightGBM text and JSON dump, CatBoost JSON, skops, ONNX, PMML, treelite checkpoints,
        folders of Spark ML, sightline's own JSON, or a pickle.
    allow_pickle : bool, default=False
        Whether the file may be a pickle or joblib file. Opening one runs any code in it, so
        allow it only for files that you trust.
    categories : mapping of str to sequence, Table or frame, optional
        The values of each categorical feature, or rows to take them from. CatBoost stores only
        hashes: categories that are not given here are shown as their hash, but are still found in
        rows. XGBoost needs them in the order of the training frame before version 3.1, which stores
        only codes, and up to 3.2 if they are not ASCII, because it stores those wrongly. LightGBM does
        not store which columns have which categories, and needs them where several columns are possible.
    classes : sequence or mapping, optional
        Names for the classes in their order, or a dict from the model's labels to names. Boosters that
        were trained on the codes 0, 1, … know no others.
    positive : label, optional
        The class that matters, such as ``"default"``; by its name if ``classes`` are given. It is
        stored with the ensemble.

    Returns
    -------
    Ensemble
        The trees, and how their outputs are combined.

    Raises
    ------
    UnsupportedModelError
        If the model is of another kind, or uses something that is not supported. Nothing is
        ever read approximately. A :class:`sightline.BlackBox` is queried instead of read.
    ModelFormatError
        If the model is damaged. The message names the file, the tree and the node.
    UnfittedModelError
        If the model is not fitted. Also a ``sklearn.exceptions.NotFittedError``.

    See Also
    --------
    sightline.load.Importer : Add another kind of model.
    sightline.read_model : Read any model that sightline wrote.

    Notes
    -----
    XGBoost and LightGBM without a frame know categories only as numbers. These categories are the
    codes that tests list, and ``'any other'``. Labels of XGBoost models and of LightGBM files are
    numbers from 0. Infinite numbers lie beyond every threshold, as in libraries that accept them.

    Examples
    --------
    >>> from sightline.load import load
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    >>> ensemble = load(forest)
    >>> ensemble.feature_names[0]
    'sepal length (cm)'
    >>> bool((ensemble.predict_proba(X) == forest.predict_proba(X)).all())
    True
    """
    options = _options(allow_pickle, categories)
    if isinstance(model, str | os.PathLike):
        ensemble = load_file(ModelFile.read(model, options))
    elif isinstance(model, BlackBox):
        raise UnsupportedModelError(f"Cannot load {model.name}: a black box can be queried, not read.")
    else:
        ensemble = _as_learned(find_importer(model).read_with(model, options), model)
    return with_class_names(ensemble, classes, positive)


def _as_learned(ensemble: Ensemble, model: Any) -> Ensemble:
    """Restore what a model does not know of the table that it was fitted to here.

    Numeric columns may be dates. And whether the frame of the table had NaN or None for missing values does
    not matter, because all rows come as tables, in which they are the same.
    """
    schema: Schema | None = getattr(model, LEARNED_SCHEMA, None)
    if schema is None:
        return ensemble
    learned = ensemble.schema.in_kinds_of(schema)
    features = tuple(replace(feature, missing_kinds=()) for feature in learned.features)
    return ensemble.replaced(schema=replace(learned, features=features))


LEARNED_SCHEMA = "sightline_schema_"
"""Attribute of a model of another library that was fitted to a :class:`Table`: the table's schema."""


def _options(allow_pickle: bool, categories: Any) -> Options:
    if categories is None or isinstance(categories, Mapping):
        return Options(allow_pickle, _checked(categories or {}))
    rows = _rows(categories)
    declared = {feature.name: feature.categories or () for feature in rows.schema.features}
    return Options(allow_pickle, declared, rows)


def _checked(categories: Mapping[str, Sequence[object]]) -> Mapping[str, Sequence[object]]:
    for name, values in categories.items():
        if isinstance(values, str | bytes) or not isinstance(values, Iterable):
            raise ParameterError(
                f"The 'categories' parameter of load must hold lists. Got {values!r} for {name!r} instead."
            )
    return {name: list(values) for name, values in categories.items()}


def _rows(categories: Any) -> Table:
    try:
        return Table.from_any(categories)
    except (DataError, TypeError) as error:
        raise ParameterError(
            "The 'categories' parameter of load must be a dict from features to lists of values, or a table. "
            f"Got {categories!r} instead."
        ) from error
