"""How a black box is shown: by its name, and by what it predicts."""

from __future__ import annotations

from html import escape
from typing import Any

from sightline.model import BlackBox
from sightline.show._display import Display, shows
from sightline.show._tree_text import classes_text
from sightline.table import Table
from sightline.wording import answer_text, percent, printable, quote_if_odd


@shows(BlackBox)
class BlackBoxDisplay(Display):
    """The name of the model, its classes, and its label or number for a row."""

    model: BlackBox

    def text(self) -> str:
        """Return the name and the classes."""
        return "\n".join(self._sentences()) + "\n"

    def html(self) -> str:
        """Return the same as one element."""
        return f"<div>{''.join(f'<p>{escape(line)}</p>' for line in self._sentences())}</div>"

    def explain(self, row: Any, *, reasons: bool = True) -> str:
        """Say what the model predicts for a row; it gives no reasons."""
        rows = row if isinstance(row, Table) else Table.from_any(row)
        codes, probabilities = self.model.answers(rows)
        if self.model.task == "numbers":
            return self._with_reasons(f"Predicts {answer_text(float(probabilities[0, 0]))}.", reasons)
        label = quote_if_odd((self.model.classes_ if self.model.classes_ is not None else [])[codes[0]])
        share = percent(float(probabilities[0, codes[0]]), 0)
        return self._with_reasons(f"Predicts {label} (probability {share}).", reasons)

    @staticmethod
    def _with_reasons(text: str, reasons: bool) -> str:
        return f"{text} A black box gives no reasons." if reasons else text

    def _sentences(self) -> list[str]:
        classes = self.model.classes_
        predicts = "; predicts a number" if self.model.task == "numbers" else ""
        if classes is not None:
            predicts = f"; predicts {classes_text([quote_if_odd(c) for c in classes])}"
        return [
            f"{printable(self.model.name)} as a black box{predicts}",
            "It is asked about rows. Its inner workings are not read, so nothing about it can be proved.",
        ]
