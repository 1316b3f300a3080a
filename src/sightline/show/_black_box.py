"""How a black box is shown: by its name, and by what it predicts."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.model import BlackBox
from sightline.show._display import Display, shows
from sightline.show._model_findings import ModelFindings, explained
from sightline.show._row import Rows
from sightline.show._tree_text import classes_text
from sightline.table import Table, row_names_of
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

    def explain(self, rows: Any, *, reasons: bool = True, ids: Any = None) -> Any:
        """Say what the model predicts for rows; it gives no reasons."""
        read = self._read(rows, ids)
        queried = rows if self.model.schema is None else read.given
        return explained(BoxFindings(read, self.model, self.model.given_answers(queried), reasons), read)

    def _read(self, rows: Any, ids: Any) -> Rows:
        if self.model.schema is not None:
            return Rows.of(rows, self.model.schema, "the black box", ids)
        # Nobody has said which columns it takes: it gets the rows as they are.
        table = Table.from_any(rows)
        names = row_names_of(rows) if ids is None else list(ids)
        return Rows(table, table, range(table.n_rows) if names is None else names)

    def _sentences(self) -> list[str]:
        classes = self.model.classes_
        predicts = "; predicts a number" if self.model.task == "numbers" else ""
        if classes is not None:
            predicts = f"; predicts {classes_text([quote_if_odd(c) for c in classes])}"
        return [
            f"{printable(self.model.name)} as a black box{predicts}",
            "It is queried for predictions. Its internals are not read, so nothing about it can be proved.",
        ]


class BoxFindings(ModelFindings):
    """The predictions of a black box.

    Parameters
    ----------
    rows : Rows
        The rows.
    box : BlackBox
        The model.
    answers : tuple of ndarray
        Its predictions for them, as ``given_answers`` returns them.
    reasons : bool, default=True
        Whether the sentences say that there are no reasons.
    """

    gives_reasons = False

    def __init__(
        self,
        rows: Rows,
        box: BlackBox,
        answers: tuple[NDArray[np.int32], NDArray[np.float64] | None],
        reasons: bool = True,
    ) -> None:
        super().__init__(rows, None if box.task == "numbers" else box.classes_, *answers)
        self.reasons = reasons

    def sentences(self, row: int) -> str:
        """Say what is predicted."""
        predicted = self.predictions[row]
        if self.labels is None:
            text = f"Predicts {answer_text(float(predicted))}."
        else:
            known = self.probabilities
            share = "" if known is None else f" (probability {percent(float(known[row]), 0)})"
            text = f"Predicts {quote_if_odd(predicted)}{share}."
        return f"{text} A black box gives no reasons." if self.reasons else text
