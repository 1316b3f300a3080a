"""The targets of export: which models each one can write, and with which options."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from sightline.exceptions import ParameterError, UnsupportedModelError
from sightline.export._rounding import round_thresholds as shorten_thresholds
from sightline.files import atomic_write
from sightline.model import Ensemble

Content = str | bytes
_Writer = TypeVar("_Writer", bound=Callable[..., Any])


@dataclass(frozen=True)
class Target:
    """A format that models can be exported to.

    Attributes
    ----------
    write : callable
        Takes the model, then its options as keywords; returns the export.
    models : tuple of type
        The models that it can write.
    to_bytes : callable or None
        Turns an export that is neither text nor bytes into the content of a file.
    """

    write: Callable[..., Any]
    models: tuple[type, ...]
    to_bytes: Callable[[Any], Content] | None = None

    @property
    def options(self) -> list[str]:
        """Names of the options."""
        return list(inspect.signature(self.write).parameters)[1:]


_TARGETS: dict[str, Target] = {}


def target(
    kind: str, *models: type, to_bytes: Callable[[Any], Content] | None = None
) -> Callable[[_Writer], _Writer]:
    """Register a function as the writer of a kind of export.

    Parameters
    ----------
    kind : str
        The name that users pass to ``export``.
    *models : type
        The models that the function takes.
    to_bytes : callable, optional
        Turns an export that is neither text nor bytes into the content of a file.

    Returns
    -------
    decorator
        It returns the function unchanged. The keywords of the function are the options of the kind.

    Examples
    --------
    >>> import sightline as sl
    >>> @target("leaf count", sl.Tree)
    ... def to_leaf_count(model, *, unit="leaves"):
    ...     return f"{model.n_leaves} {unit}"
    >>> tree = sl.C45Classifier().fit([[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"])
    >>> tree.export("leaf count")
    '2 leaves'
    >>> _ = _TARGETS.pop("leaf count")
    """

    def register(write: _Writer) -> _Writer:
        _TARGETS[kind] = Target(write, models, to_bytes)
        return write

    return register


def export(
    model: Any,
    kind: str,
    path: str | Path | None = None,
    *,
    round_thresholds: bool = False,
    X: Any = None,
    ensemble: Any = None,
    **options: Any,
) -> Any:
    """Write a model so that other programs can run or draw it.

    Parameters
    ----------
    model : Tree, Graph, RuleSet, Ensemble or CaseBase
        The model. Ensembles and case bases can only be exported as "json".
    kind : str
        "sql", "python", "c", "javascript", "onnx", "pmml", "json", "dot", "svg" or "sklearn".
    path : path-like, optional
        A file to write as well. It is replaced only when everything is on disk.
    round_thresholds : bool, default=False
        Write short thresholds; see :func:`sightline.round_thresholds`.
    X, ensemble : optional
        Rows and ensemble that limit the rounding; see :func:`sightline.round_thresholds`.
    **options
        The keywords of the function for the kind, in :mod:`sightline.export`: `to_sql`,
        `to_python`, `to_c`, `to_javascript`, `to_onnx`, `to_pmml`, `to_json`, `to_dot`,
        `to_svg` or `to_sklearn`. Any other keyword is refused.

    Returns
    -------
    str, bytes or DecisionTreeClassifier
        Text; bytes for "onnx"; the estimator itself for "sklearn".

    Raises
    ------
    ParameterError
        If there is no such kind or option.
    UnsupportedModelError
        If the kind cannot express the model. The message says why and what to do.

    Notes
    -----
    Exports compare numbers with thresholds in double precision, as the model does. SQL compares
    columns as doubles; NaN is missing in databases that have it. scikit-learn rounds rows to
    float32 first; see :func:`sightline.export.to_sklearn`.

    Examples
    --------
    >>> import sightline as sl
    >>> tree = sl.C45Classifier().fit([[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"])
    >>> print(export(tree.tree_, "sql", table="loans", missing="largest"), end="")
    SELECT *,
      CASE
        WHEN "x0" > 2.0E0 THEN 'yes'
        ELSE 'no'
      END AS "prediction"
    FROM "loans"
    """
    if not isinstance(kind, str) or kind not in _TARGETS:
        raise ParameterError(f"There is no export of kind {kind!r}. Choose from: {', '.join(_TARGETS)}.")
    chosen = _TARGETS[kind]
    if not isinstance(model, chosen.models):
        raise _refusal(model, kind)
    _check_options(kind, chosen, options)
    if round_thresholds:
        model = shorten_thresholds(model, X, ensemble).model
    content = chosen.write(model, **options)
    if path is not None:
        atomic_write(path, content if chosen.to_bytes is None else chosen.to_bytes(content))
    return content


def _check_options(kind: str, chosen: Target, options: dict[str, Any]) -> None:
    for option in options:
        if option not in chosen.options:
            instead = f"Choose from: {', '.join(chosen.options)}" if chosen.options else "It has no options"
            raise ParameterError(f"The export of kind {kind!r} has no option {option!r}. {instead}.")


def _refusal(model: Any, kind: str) -> UnsupportedModelError:
    able = [name for name, other in _TARGETS.items() if isinstance(model, other.models)]
    instead = f"Choose from: {', '.join(able)}." if able else "It cannot be exported."
    if isinstance(model, Ensemble):
        instead += " Merge or distill it into a tree to use the other kinds."
    return UnsupportedModelError(
        f"A model of type {type(model).__name__} has no export of kind {kind!r}. {instead}"
    )
