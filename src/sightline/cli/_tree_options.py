"""Options about a distilled tree: what it imitates, which columns it may test, how large it may become.

Rules follow the threshold and the costs, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Annotated, Any

import typer

from sightline.exceptions import ParameterError
from sightline.wording import list_choices

MIN_LEAF = 5
"""No reader would trust a leaf with fewer training rows."""


class ObjectiveName(StrEnum):
    """What a tree imitates."""

    LABELS = "labels"
    BOTH = "both"
    PROBABILITIES = "probabilities"


@dataclass(frozen=True)
class TreeOptions:
    """How to distill a tree. Options that are not given keep the estimator's defaults."""

    objective: Annotated[
        ObjectiveName | None,
        typer.Option("--objective", help="What the tree imitates.", show_default="both"),
    ] = None
    class_weight: Annotated[
        list[str] | None,
        typer.Option(
            "--class-weight",
            help='Weight of the rows of a class, as LABEL=WEIGHT, repeatable; or "balanced".',
            show_default=False,
        ),
    ] = None
    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold",
            help="Lowest probability at which the ensemble labels a row as positive.",
            show_default=False,
        ),
    ] = None
    cost: Annotated[
        list[str] | None,
        typer.Option(
            "--cost",
            help="Cost of a wrong label, as TRUE:LABEL=COST; others cost 1. Repeatable.",
            show_default=False,
        ),
    ] = None
    min_leaf: Annotated[
        str | None,
        typer.Option(
            "--min-leaf",
            help="Minimum training rows in a leaf: a number, or a share such as 1%.",
            show_default=str(MIN_LEAF),
        ),
    ] = None
    max_depth: Annotated[
        int | None, typer.Option("--max-depth", min=1, help="Maximum tests on a path.", show_default=False)
    ] = None
    max_features: Annotated[
        int | None,
        typer.Option(
            "--max-features", min=1, help="Maximum number of columns in the tree.", show_default=False
        ),
    ] = None
    exclude: Annotated[
        list[str] | None,
        typer.Option(
            "--exclude",
            help="Do not test this column. The ensemble may still use it; see --drop. Repeatable.",
        ),
    ] = None
    only: Annotated[list[str] | None, typer.Option("--only", help="Test only this column. Repeatable.")] = (
        None
    )
    prefer: Annotated[
        list[str] | None,
        typer.Option("--prefer", help="Prefer this column when another one is hardly better. Repeatable."),
    ] = None
    group: Annotated[
        list[str] | None,
        typer.Option(
            "--group", help="Columns that --max-features counts as one, separated by commas. Repeatable."
        ),
    ] = None
    monotone: Annotated[
        list[str] | None,
        typer.Option(
            "--monotone",
            help="COLUMN=+1: the prediction may only rise with it; COLUMN=-1: only fall. Repeatable.",
        ),
    ] = None

    @property
    def given(self) -> list[str]:
        """The options that were given, as the user writes them."""
        return [
            option_of(field.name) for field in fields(self) if getattr(self, field.name) not in (None, [])
        ]

    def parameters(self, classes: Sequence[Any] | None) -> dict[str, Any]:
        """Return the estimator parameters that the options set.

        Parameters
        ----------
        classes : sequence, optional
            The classes, if the target is not numbers.

        Raises
        ------
        ParameterError
            Naming an option that cannot be understood.
        """
        labels = _Labels(classes or ())
        found = {
            "objective": None if self.objective is None else self.objective.value,
            "class_weight": labels.weights(self.class_weight or []),
            "threshold": self.threshold,
            "cost_matrix": labels.costs(self.cost or []),
            "min_leaf": None if self.min_leaf is None else _rows_or_share(self.min_leaf),
            "max_depth": self.max_depth,
            "max_features": self.max_features,
            "exclude": self.exclude or None,
            "only": self.only or None,
            "prefer": self.prefer or None,
            "group": [[name.strip() for name in names.split(",")] for names in self.group or []] or None,
            "monotone": dict(_direction(text) for text in self.monotone or []) or None,
        }
        return {name: value for name, value in found.items() if value is not None}


def option_of(parameter: str) -> str:
    """Return the option that sets a parameter of an estimator.

    Examples
    --------
    >>> option_of("max_depth"), option_of("cost_matrix")
    ('--max-depth', '--cost')
    """
    return f"--{parameter.removesuffix('_matrix').replace('_', '-')}"


class _Labels:
    """The classes, by what the user calls them."""

    def __init__(self, classes: Sequence[Any]) -> None:
        self._by_text = {str(label): label for label in classes}

    def weights(self, texts: list[str]) -> dict[Any, float] | str | None:
        if texts == ["balanced"]:
            return "balanced"
        pairs = (_pair(text, "--class-weight", "LABEL=WEIGHT") for text in texts)
        return {self._label(name, "--class-weight"): value for name, value in pairs} or None

    def costs(self, texts: list[str]) -> list[list[float]] | None:
        if not texts:
            return None
        labels = list(self._by_text)
        costs = [[float(one != other) for other in labels] for one in labels]
        for text in texts:
            pair, cost = _pair(text, "--cost", "TRUE:LABEL=COST")
            true, colon, label = pair.partition(":")
            if not colon:
                raise ParameterError(f"--cost {text!r} must be TRUE:LABEL=COST, such as yes:no=5.")
            for name in (true, label):
                self._label(name, "--cost")
            costs[labels.index(true)][labels.index(label)] = cost
        return costs

    def _label(self, text: str, option: str) -> Any:
        if text not in self._by_text:
            raise ParameterError(
                f"{option} names {text!r}, which is not a class. Choose from: "
                f"{', '.join(self._by_text) or 'no classes, because the target holds numbers'}."
            )
        return self._by_text[text]


def _pair(text: str, option: str, form: str) -> tuple[str, float]:
    name, _, number = text.rpartition("=")
    try:
        return name, float(number)
    except ValueError:
        raise ParameterError(f"{option} {text!r} must be {form}, with a number after the last =.") from None


def _direction(text: str) -> tuple[str, int]:
    name, _, sign = text.rpartition("=")
    directions = {"+1": 1, "1": 1, "-1": -1}
    if not name or sign not in directions:
        raise ParameterError(
            f"--monotone {text!r} must be COLUMN=+1 or COLUMN=-1: the prediction may only rise, or only fall."
        )
    return name, directions[sign]


def _rows_or_share(text: str) -> int | float:
    """Return a number of rows, or a share of them."""
    number = text.strip()
    try:
        if number.endswith("%"):
            return float(number[:-1]) / 100
        return int(number) if number.isdigit() else float(number)
    except ValueError:
        raise ParameterError(
            f"--min-leaf {text!r} must be {list_choices(['a number of rows', 'a share such as 1%'])}."
        ) from None
