"""Letters that the command writes: from our template or the user's own."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from sightline.cli._model_file import list_some
from sightline.exceptions import DataError, ParameterError
from sightline.wording import list_names, pluralize

_MAX_NAMED = 20
"""Rows without a letter that a note names; --json names all."""


@dataclass(frozen=True)
class LetterOptions:
    """Letters instead of sentences."""

    letter: Annotated[
        bool, typer.Option("--letter", help="Write a plain letter for each row, with the main reasons.")
    ] = False
    template: Annotated[
        Path | None,
        typer.Option(
            "--template", help="Template of the letter, with placeholders such as $prediction and $reasons."
        ),
    ] = None
    call: Annotated[
        list[str] | None,
        typer.Option("--call", help='Plain name of a column or label in letters: no="declined". Repeatable.'),
    ] = None

    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            "-t",
            help="Name of the target in letters.",
            show_default="from metrics.json beside the model",
        ),
    ] = None

    allow_disagreement: Annotated[
        bool,
        typer.Option(
            "--allow-disagreement",
            help="Also write letters for rows that --ensemble labels differently.",
        ),
    ] = False

    def check(self, explanation: Any) -> None:
        """Raise if a letter is wanted for a row to which the ensemble gives another label."""
        objection = explanation.findings.objection(explanation.index) if self.letter else ""
        if objection and not self.allow_disagreement:
            raise DataError(f"No letter: {objection} Pass --allow-disagreement to write it anyway.")

    def check_call(self, model: Any, file: Path) -> None:
        """Raise if ``--call`` names no column, label or target: a letter would keep the name to replace.

        Parameters
        ----------
        model : model of any kind
            The model that letters explain.
        file : Path
            Its file.
        """
        labels = [] if model.classes_ is None else [str(label) for label in model.classes_.tolist()]
        target = model.schema.subject.target or target_beside(file) or ""
        columns = [feature.name for feature in model.schema.features]
        known = [*labels, *filter(None, [self.target, target]), *columns]
        for text in self.call or []:
            name, _ = name_and_value(text)
            if name not in known:
                raise ParameterError(f"--call names {name!r}. Choose from: {list_some(known)}.")

    def writer(
        self, model: Path, with_changes: bool = False, has_ensemble: bool = False
    ) -> Callable[[Any, Any], str] | None:
        """Return what writes the letter of an explanation; None if no letters are wanted.

        Parameters
        ----------
        model : Path
            The file of the model. The folder that ``distill`` wrote also knows what is predicted.
        with_changes : bool, default=False
            Whether letters tell what would have led to another result.
        has_ensemble : bool, default=False
            Whether there is an ensemble that may disagree.

        Returns
        -------
        callable or None
            Takes an explanation and, if letters tell them, its counterfactuals.

        Raises
        ------
        ParameterError
            If the template cannot be read, or has placeholders that cannot be filled in.
        """
        if not self.letter:
            if self.template is not None or self.call or self.target is not None or self.allow_disagreement:
                raise ParameterError(
                    "--template, --call, --target and --allow-disagreement work only with --letter."
                )
            return None
        if self.allow_disagreement and not has_ensemble:
            raise ParameterError("--allow-disagreement works only with --ensemble.")
        from sightline.show import LETTER, LETTER_WITH_CHANGES, checked_template, letter

        names = dict(name_and_value(text) for text in self.call or [])
        if self.template is None:
            template = checked_template(LETTER_WITH_CHANGES if with_changes else LETTER)
        else:
            try:
                template = checked_template(self.template.read_text(encoding="utf-8"))
            except UnicodeDecodeError:
                raise ParameterError(f"{self.template}: the template must be text in UTF-8.") from None
            except ParameterError as error:
                raise ParameterError(f"{self.template}: {error}") from None
        if ("changes" in template.get_identifiers()) != with_changes:
            raise ParameterError(f"{self.template}: a template with $changes and --what-if need each other.")
        target = target_beside(model) if self.target is None else self.target
        return lambda explanation, changes: letter(explanation, template, names, target, changes)


@dataclass(frozen=True)
class Recipients:
    """Who gets a letter: the rows to which model and ensemble give the same label.

    Attributes
    ----------
    explanations : Explanations
        The rows that get one.
    left_out : list
        Names of rows that get none, because the ensemble gives them another label.
    unexplained : list
        Names of rows to which only the ensemble gives the label of ``--only``: the model has no reasons.
    """

    explanations: Any
    left_out: list[Any]
    unexplained: list[Any]

    @classmethod
    def of(cls, everyone: Any, chosen: Any, only: str | None, allow_disagreement: bool) -> Recipients:
        """Sort out the chosen rows, and find those that only the ensemble would have chosen."""
        agrees = chosen.agrees
        if agrees is None:
            return cls(chosen, [], [])
        unexplained = []
        if only is not None:
            differ = everyone[~everyone.agrees]
            labels = differ.findings.ensemble_labels[differ.chosen].tolist()
            unexplained = differ[[str(label) == only for label in labels]].rows
        if allow_disagreement:
            return cls(chosen, [], unexplained)
        return cls(chosen[agrees], chosen[~agrees].rows, unexplained)

    def notes(self, only: str | None) -> list[str]:
        """Say who gets no letter, and why."""
        notes = []
        if self.left_out:
            notes.append(
                f"Left out {pluralize(len(self.left_out), 'letter')}, because the ensemble gives another "
                f"label: {_listed(self.left_out)}. Pass --allow-disagreement to write such letters anyway."
            )
        if self.unexplained:
            notes.append(
                f"No letter for {pluralize(len(self.unexplained), 'row')}, because only the ensemble "
                f"predicts {only}, and this model has no reasons for it: {_listed(self.unexplained)}."
            )
        return notes

    def to_json(self) -> dict[str, list[Any]]:
        """Return the names of all rows without a letter."""
        from sightline.model import plain

        return {"left_out": plain(self.left_out), "unexplained": plain(self.unexplained)}


def _listed(names: list[Any]) -> str:
    return f"row{'' if len(names) == 1 else 's'} {list_names([str(name) for name in names], _MAX_NAMED)}"


def target_beside(model: Path) -> str | None:
    """Return what a model predicts, from the numbers that ``distill`` wrote beside it; None without them."""
    try:
        numbers = json.loads((model.parent / "metrics.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    target = numbers.get("target") if isinstance(numbers, dict) else None
    return target if isinstance(target, str) and target else None


def name_and_value(text: str) -> tuple[str, str]:
    """Split ``name=value``.

    Examples
    --------
    >>> name_and_value("income=1800")
    ('income', '1800')
    """
    name, separator, value = text.partition("=")
    if not separator:
        raise ParameterError(f"{text!r} does not have the form name=value.")
    return name, value
