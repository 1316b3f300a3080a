"""How explanations are shown: sentences, cards for notebooks, frames."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from sightline.exceptions import DataWarning, ParameterError
from sightline.model import Explanation, Explanations, Reason
from sightline.show._display import Display, shows
from sightline.show._explanation_html import card, overview
from sightline.show._frame import data_frame
from sightline.show._letter import LETTER_WITH_CHANGES, checked_template, letter
from sightline.wording import number_text, printable, with_unit


@shows(Explanation)
class ExplanationDisplay(Display):
    """One row: sentences, a card, its reasons as a frame."""

    model: Explanation

    def text(self) -> str:
        """Return a few sentences, one per line."""
        return self.model.findings.sentences(self.model.index)

    def html(self) -> str:
        """Return a card."""
        return card(self.model)

    def letter(
        self, template: str | None, names: Mapping[str, str] | None, target: str | None, changes: Any
    ) -> str:
        """Return a letter to the person described by the row."""
        if not isinstance(template, str | None):
            raise ParameterError(f"The template of a letter must be a string. Got {template!r} instead.")
        by_default = None if changes is None else LETTER_WITH_CHANGES
        text = by_default if template is None else template
        checked = None if text is None else checked_template(text)
        written = letter(self.model, checked, names, target, changes)
        objection = self.model.findings.objection(self.model.index)
        if objection:
            row = "" if self.model.row is None else f"Row {printable(self.model.row)}: "
            sentence = f"{row}{objection} Send it only if the explained model decides."
            warnings.warn(sentence, DataWarning, stacklevel=3)
        return written

    def frame(self, library: str = "pandas") -> Any:
        """Return a frame with one row per reason, the strongest first."""
        reasons = self.model.reasons
        return data_frame(
            {
                "column": [reason.column for reason in reasons],
                "condition": [reason.condition for reason in reasons],
                "value": [_value(reason) for reason in reasons],
                "change": [reason.change for reason in reasons],
            },
            library,
        )


def _value(reason: Reason) -> str | None:
    """Write the value of a row with all its digits, and with its unit."""
    if reason.unit and isinstance(reason.value, float):
        return with_unit(number_text(reason.value, 17), reason.unit)
    return None if reason.value is None else str(reason.value)


@shows(Explanations)
class ExplanationsDisplay(Display):
    """Many rows: the sentences of each, a table, a frame."""

    model: Explanations

    def text(self) -> str:
        """Return the sentences of every row, under its name if there are several."""
        if len(self.model) == 1:
            return str(self.model[0])
        return "\n\n".join(f"Row {one.row}:\n{one}" for one in self.model)

    def html(self) -> str:
        """Return a table of the first rows."""
        return overview(self.model)

    def frame(self, library: str = "pandas", *, prove: bool = False) -> Any:
        """Return a frame with one row per explained row."""
        columns: dict[str, Any] = self.model.to_columns(prove=prove)
        return data_frame(columns | {"row": self.model.rows}, library)
