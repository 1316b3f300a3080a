"""``sightline certify``: proof that two models agree on every row, or a row on which they do not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

import sightline as sl
from sightline.cli._console import Speech
from sightline.cli._model_file import read_any, read_ensemble
from sightline.cli._options import AsJson, Classes, MaxSeconds, OptionalData, Quiet
from sightline.exceptions import DataError

ANSWER_IS_NO = 1


def certify(
    first: Annotated[Path, typer.Argument(help="The model to certify.")],
    second: Annotated[Path, typer.Argument(help="The model that it should equal.")],
    data: OptionalData = None,
    classes: Classes = None,
    missing: Annotated[
        bool, typer.Option(help="Whether the proof covers rows with missing values, too.")
    ] = True,
    max_seconds: MaxSeconds = 60.0,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Prove that two models give every possible row the same label, or show a row on which they differ.

    Ends with exit code 0 only if that is proved, with 1 if not.

    For example:

      sightline certify model.json ensemble.json

      sightline certify model.json ensemble.json --data loans.csv --no-missing --max-seconds 10

      sightline certify model.json xgboost.json --classes no,yes
    """
    from sightline.cli._data import known_columns, read_rows

    speech = Speech(quiet, as_json)
    model = read_any(first)
    other = read_any(second) if classes is None else read_ensemble(second, classes=classes)
    _check_classes(first, model, second, other)
    rows = None if data is None else known_columns(data, read_rows(data)[0], model.schema)[0]
    with speech.steps(1) as step:
        step("looking for a proof")
        certificate = sl.certify(model, other, rows, max_seconds=max_seconds, missing=missing)
    speech.tell(certificate.to_text())
    speech.hand_over(json.loads(certificate.to_json()))
    if not certificate:
        raise typer.Exit(ANSWER_IS_NO)


def _check_classes(first: Path, model: Any, second: Path, other: Any) -> None:
    """Raise if two models share no class: the second may know numbers only."""
    known = [_classes_of(model), _classes_of(other)]
    if all(known) and not set(known[0]) & set(known[1]):
        own, others = (", ".join(map(repr, labels[:10])) for labels in known)
        raise DataError(
            f"{second}: its classes are {others}, those of {first} are {own}: give their names in this order "
            "with --classes."
        )


def _classes_of(model: Any) -> list[Any]:
    """Return the classes of a model, none if it is a regression."""
    return [] if model.classes_ is None else list(model.classes_.tolist())
