"""Letters that the command writes: from our template or the user's own."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from sightline.exceptions import ParameterError


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

    def writer(self, model: Path, with_changes: bool = False) -> Callable[[Any, Any], str] | None:
        """Return what writes the letter of an explanation; None if no letters are wanted.

        Parameters
        ----------
        model : Path
            The file of the model. The folder that ``distill`` wrote also knows what is predicted.
        with_changes : bool, default=False
            Whether letters tell what would have led to another result.

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
            if self.template is not None or self.call or self.target is not None:
                raise ParameterError("--template, --call and --target work only with --letter.")
            return None
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
