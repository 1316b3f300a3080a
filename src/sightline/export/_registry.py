"""The kinds of export: who writes what."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import singledispatch
from pathlib import Path
from typing import Any

from sightline.exceptions import ParameterError, SightlineError, UnsupportedModelError
from sightline.files import atomic_write
from sightline.model import Ensemble

Content = str | bytes
_Writer = Callable[..., Any]

_KINDS: dict[str, Any] = {}
_TO_BYTES: dict[str, Callable[[Any], Content]] = {}


def kind(name: str, to_bytes: Callable[[Any], Content] | None = None) -> Any:
    """Make a kind of export known and return its verb, with which nouns are registered.

    Parameters
    ----------
    name : str
        What users ask for.
    to_bytes : callable, optional
        What of an export goes into a file, if the export itself is neither text nor bytes.

    Returns
    -------
    singledispatch function
        Decorate with its ``register`` what writes one noun.

    Examples
    --------
    >>> from sightline import Tree
    >>> shout = kind("shout")
    >>> @shout.register
    ... def _(model: Tree, **options):
    ...     return f"{model.n_leaves} LEAVES!"
    >>> from sightline.show._example import credit_tree
    >>> credit_tree().export("shout")
    '4 LEAVES!'
    >>> _ = _KINDS.pop("shout")
    """

    @singledispatch
    def write(model: Any, **options: Any) -> Any:  # noqa: ARG001 - the arguments are those of the registered
        raise _refusal(model, name)

    _KINDS[name] = write
    if to_bytes is not None:
        _TO_BYTES[name] = to_bytes
    return write


def export(model: Any, kind: str, path: str | Path | None = None, **options: Any) -> Any:
    """Write a model so that other programs can run or draw it.

    Parameters
    ----------
    model : Tree, Graph, RuleSet or Ensemble
        What to export. An ensemble only has the kind "json".
    kind : str
        One of "sql", "python", "c", "javascript", "onnx", "pmml", "json", "dot", "svg" and
        "sklearn".
    path : path-like, optional
        A file to write; it is replaced only when everything is on disk.
    **options
        Those of the kind, and these of every kind that runs:

        missing : {"exact", "largest"}, default="exact"
            What becomes of a row whose tested value is missing. *exact*: as in the model,
            or a refusal where the kind cannot share a row out among branches. *largest*: it
            follows the branch with the largest share, as in ``apply``.
        round_thresholds : bool, default=False
            Write short thresholds, see :func:`sightline.round_thresholds`, which gets ``X``
            and ``ensemble``.

        Of "sql": ``dialect`` ("ansi", "sqlite", "postgresql", "duckdb", "bigquery", "snowflake"
        or "sqlserver"), ``table`` (a name, a sequence of names such as schema and table, or None
        for the expression alone), ``column`` (the name of the answer, "prediction") and
        ``probabilities`` (whether to add ``probability_0``, ``probability_1``, … in the order of
        the classes). Of "pmml": ``column``. Of "c": ``name`` of the function. Of "dot" and "svg":
        those of :func:`sightline.show.to_svg`.

    Returns
    -------
    str, bytes or DecisionTreeClassifier
        Text; bytes of "onnx"; the estimator itself of "sklearn".

    Raises
    ------
    ParameterError
        If there is no such kind or option.
    UnsupportedModelError
        If the kind cannot express the model; the message says why and what can be done.

    Notes
    -----
    A number is at most a threshold or above it, in double, as in the model. SQL compares a
    column as a double; NaN counts as missing where a database knows it. scikit-learn rounds
    rows to float32 first, see :func:`sightline.export._sklearn.sklearn_thresholds`.

    Examples
    --------
    >>> from sightline.show._example import credit_tree
    >>> print(export(credit_tree(), "sql", missing="largest", table="loans"), end="")
    SELECT *,
      CASE
        WHEN ("age" > 30.0E0 OR "age" IS NULL) THEN 'good'
        WHEN "income" > 2000.0E0 THEN 'good'
        ELSE 'bad'
      END AS "prediction"
    FROM "loans"
    """
    if kind not in _KINDS:
        raise ParameterError(f"There is no export of kind {kind!r}; there are {', '.join(_KINDS)}.")
    given = _prepared(model, options)
    _check_options(given, kind, options)
    content = _KINDS[kind](given, **options)
    if path is not None:
        try:
            atomic_write(path, _TO_BYTES[kind](content) if kind in _TO_BYTES else content)
        except OSError as error:
            raise SightlineError(f"{path}: cannot be written ({error.strerror}).") from error
    return content


def _check_options(model: Any, kind: str, options: dict[str, Any]) -> None:
    parameters = inspect.signature(_KINDS[kind].dispatch(type(model))).parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return
    names = [parameter.name for parameter in parameters][1:]
    for option in options:
        if option not in names:
            has = f"it has {', '.join(names)}" if names else "it has none"
            raise ParameterError(
                f"The export of kind {kind!r} has no option {option!r} for this model; {has}."
            )


def _prepared(model: Any, options: dict[str, Any]) -> Any:
    """Apply the options that change the model, and take them out."""
    from sightline.export._rounding import round_thresholds  # noqa: PLC0415 - it exports nothing itself

    rows, ensemble = options.pop("X", None), options.pop("ensemble", None)
    if options.pop("round_thresholds", False):
        return round_thresholds(model, rows, ensemble).model
    return model


def _refusal(model: Any, name: str) -> UnsupportedModelError:
    noun = type(model).__name__
    able = [
        other for other, write in _KINDS.items() if write.dispatch(type(model)) is not write.dispatch(object)
    ]
    instead = f"It can be exported as {', '.join(able)}." if able else "Nothing of the kind can be exported."
    if isinstance(model, Ensemble):
        instead = f"{instead[:-1]}; a tree that is merged or distilled from it as all the others, too."
    return UnsupportedModelError(f"A model of type {noun} has no export of kind {name!r}. {instead}")
