"""``sightline explain --what-if``: what would have to change for a different prediction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

import sightline as sl
from sightline.cli._model_file import list_some
from sightline.exceptions import ParameterError


@dataclass(frozen=True)
class WhatIfOptions:
    """The nearest rows with a different prediction."""

    what_if: Annotated[
        bool,
        typer.Option("--what-if", help="Also show what would have to change for a different prediction."),
    ] = False
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            help="Desired label, or a range of numbers as low..high, such as ..1000.",
            show_default="any other label",
        ),
    ] = None
    fixed: Annotated[
        list[str] | None, typer.Option("--fixed", help="Column that --what-if must not change. Repeatable.")
    ] = None
    max_changes: Annotated[
        int | None,
        typer.Option("--max-changes", min=1, help="Maximum number of columns that --what-if may change."),
    ] = None

    def check(self, one_row_or_letters: bool) -> None:
        """Raise if ``--what-if`` is missing for an option that needs it, or used for many rows."""
        others = {"--to": self.to, "--fixed": self.fixed, "--max-changes": self.max_changes}
        given = [name for name, value in others.items() if value is not None]
        if given and not self.what_if:
            raise ParameterError(f"{given[0]} works only with --what-if.")
        if self.what_if and not one_row_or_letters:
            raise ParameterError(
                "--what-if of many rows needs --letter. Add it, or leave out --out and --only."
            )

    def answer(self, model: Any, cells: Any, ensemble: Any, rows: Any) -> sl.Counterfactuals | None:
        """Return what would have to change; None without ``--what-if``.

        Parameters
        ----------
        model : Tree, Graph, RuleSet or Ensemble
            The model.
        cells : dict
            The row.
        ensemble : Ensemble or None
            A model that must also give the wanted prediction.
        rows : Table or None
            Rows that show which values occur.

        Returns
        -------
        Counterfactuals or None
            The nearest rows.
        """
        if not self.what_if:
            return None
        return sl.counterfactuals(
            model,
            cells,
            to=self._wanted(model),
            ensemble=ensemble,
            within=rows,
            fixed=self.fixed or [],
            max_changes=self.max_changes,
        )

    def check_goal(self, model: Any) -> None:
        """Raise if a model cannot predict what ``--to`` says, or predicts numbers and has no goal."""
        if self.what_if:
            self._wanted(model)

    def _wanted(self, model: Any) -> Any:
        """Return the label that a text names, or the ends of a range."""
        if model.classes_ is not None:
            labels = {str(label): label for label in model.classes_.tolist()}
            if self.to is not None and self.to not in labels:
                raise ParameterError(
                    f"--to must be one of the labels {list_some(list(labels))}. Got {self.to!r} instead."
                )
            return None if self.to is None else labels[self.to]
        needs = "a range such as 500..1000, ..1000 or 500.., because the model predicts numbers."
        if self.to is None:
            raise ParameterError(f"--what-if needs --to: {needs}")
        ends = self.to.split("..")
        try:
            low, high = (float(end) if end.strip() else None for end in ends)
        except ValueError:
            raise ParameterError(f"--to must be {needs} Got {self.to!r} instead.") from None
        return low, high
