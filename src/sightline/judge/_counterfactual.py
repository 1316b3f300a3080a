"""Counterfactuals of a row, and their wording."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, overload

from sightline.judge._wanted import Wanted
from sightline.model import plain
from sightline.wording import (
    answer_text,
    cell_text,
    exact_text,
    list_names,
    number_text,
    percent,
    printable,
    quote_if_odd,
    with_unit,
)

_MAX_LISTED = 20


class _ChangedCell(NamedTuple):
    column: str
    before: Any
    after: Any


class Change(_ChangedCell):
    """A column whose value a counterfactual changes; None means a missing value.

    Attributes
    ----------
    column : str
        Name of the column.
    before, after : object
        Its values.
    unit : str
        The unit of its numbers, such as "%", or an empty string. Not an item of the tuple.
    """

    unit: str = ""

    def __new__(cls, column: str, before: Any, after: Any, unit: str = "") -> Change:
        change = super().__new__(cls, column, before, after)
        change.unit = unit
        return change

    @property
    def before_text(self) -> str:
        """The value of the row, with the digits of its cell."""
        return self._written(self.before, lambda number, unit: with_unit(cell_text(number), unit))

    @property
    def after_text(self) -> str:
        """The new value, with all digits: a rounded number might get a different prediction."""
        return self._written(self.after, exact_text)

    def _written(self, value: Any, number: Callable[[float, str], str]) -> str:
        if value is None:
            return "missing"
        if isinstance(value, float) or self.unit:
            return number(float(value), printable(self.unit))
        return quote_if_odd(value)

    def __str__(self) -> str:
        return f"{quote_if_odd(self.column)} from {self.before_text} to {self.after_text}"


class Distance(NamedTuple):
    """How far a counterfactual is from the row: changed columns, then the sum of the scaled changes."""

    columns: int
    total: float


@dataclass(frozen=True)
class Counterfactual:
    """A row that gets the wanted prediction.

    Attributes
    ----------
    row : dict
        The values by column, in the form that models take.
    changes : tuple of Change
        What differs from the given row. Empty if that row already has the wanted prediction.
    distance : Distance
        Number of changed columns, and the sum of the scaled changes.
    proved : bool
        Whether no row with the wanted prediction is nearer, apart from the rounding of numbers. For later
        counterfactuals: no such row that keeps at least one of the columns that each earlier one changes.
    gap : float
        Largest share of the distance by which another row may be nearer: of the number of columns if
        fewer may be enough, else of the total. 0 if proved.
    bound : Distance
        No row is nearer than this.
    prediction : object
        What the model predicts for the row.
    ensemble_prediction : object or None
        What the ensemble predicts, if one was given.
    ensemble_before : object or None
        What the ensemble predicts for the given row, which may be the same.

    Examples
    --------
    >>> import sightline as sl
    >>> tree = sl.C45Classifier().fit([[20, 1], [30, 1], [40, 2], [50, 2]], ["no", "no", "yes", "yes"])
    >>> nearest = sl.counterfactuals(tree, [20, 1])[0]
    >>> nearest.changes
    (Change(column='x0', before=20, after=31),)
    >>> nearest.row
    {'x0': 31, 'x1': 1.0}
    """

    row: dict[str, Any]
    changes: tuple[Change, ...]
    distance: Distance
    proved: bool
    gap: float
    bound: Distance
    prediction: Any
    ensemble_prediction: Any = None
    ensemble_before: Any = None

    @property
    def text(self) -> str:
        """What to change, what the model then predicts, and whether this is proved to be nearest."""
        return self._sentences("Proved to be the nearest.")

    def _sentences(self, proved: str) -> str:
        if not self.changes:
            return f"The row already gets {_prediction(self.prediction)}: nothing has to change."
        changes = list_names([str(change) for change in self.changes], _MAX_LISTED)
        proof = proved if self.proved else self._gap()
        return f"Change {changes}: the prediction becomes {self._predictions()}. {proof}"

    def _predictions(self) -> str:
        if self.ensemble_prediction is None:
            return _prediction(self.prediction)
        if self.ensemble_prediction == self.ensemble_before:
            same = _prediction(self.ensemble_prediction)
            return f"{_prediction(self.prediction)}; the ensemble predicts {same} before and after"
        if self.ensemble_prediction == self.prediction:
            return f"{_prediction(self.prediction)}, and so does the ensemble's"
        return f"{_prediction(self.prediction)}, the ensemble's {_prediction(self.ensemble_prediction)}"

    def _gap(self) -> str:
        if self.bound.columns < self.distance.columns:
            fewer = self.distance.columns - self.bound.columns
            return f"Not proved to be the nearest: up to {fewer} fewer columns may be enough."
        return f"Not proved to be the nearest: the changes may be up to {percent(self.gap)} smaller."

    def to_dict(self) -> dict[str, Any]:
        """Return the counterfactual as dictionaries and lists for JSON.

        Returns
        -------
        dict
            Values as Python objects.
        """
        document = {
            "row": {name: plain(value) for name, value in self.row.items()},
            "changes": [
                {"column": name, "before": plain(before), "after": plain(after)}
                for name, before, after in self.changes
            ],
            "distance": plain(self.distance._asdict()),
            "proved": self.proved,
            "gap": plain(self.gap),
            "bound": plain(self.bound._asdict()),
            "prediction": plain(self.prediction),
            "text": self.text,
        }
        if self.ensemble_prediction is not None:
            document["ensemble_prediction"] = plain(self.ensemble_prediction)
            document["ensemble_before"] = plain(self.ensemble_before)
        return document

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, repr=False)
class Counterfactuals(Sequence[Counterfactual]):
    """The nearest counterfactuals of a row, nearest first.

    Attributes
    ----------
    row : dict
        The row to explain.
    prediction : object
        What the model predicts for it.
    goal : Wanted
        The wanted labels, or the range of wanted numbers.
    found : tuple of Counterfactual
        The counterfactuals.
    complete : bool
        Whether it is proved that there is no other one. Empty and complete: the wanted prediction is
        impossible.
    bound : Distance or None
        No other counterfactual is nearer than this; None if complete.
    n_boxes : int
        Number of boxes that the search visited.
    seconds : float
        Duration of the search.
    note : str
        A sentence if the model imitates other labels than those of the ensemble; else empty.

    Examples
    --------
    >>> import sightline as sl
    >>> tree = sl.C45Classifier().fit([[20, 1], [30, 1], [40, 2], [50, 2]], ["no", "no", "yes", "yes"])
    >>> print(sl.counterfactuals(tree, [20, 1]))
    The model predicts no; the goal is yes.
    1. Change x0 from 20 to 31: the prediction becomes yes. Proved to be the nearest.
    >>> print(sl.counterfactuals(tree, [20, 1], fixed=["x0"]))
    Proved impossible: no row with the allowed changes gets yes.
    """

    row: dict[str, Any]
    prediction: Any
    goal: Wanted
    found: tuple[Counterfactual, ...]
    complete: bool
    bound: Distance | None
    n_boxes: int
    seconds: float
    note: str = ""

    @overload
    def __getitem__(self, index: int) -> Counterfactual: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Counterfactual, ...]: ...
    def __getitem__(self, index: int | slice) -> Counterfactual | tuple[Counterfactual, ...]:
        return self.found[index]

    def __len__(self) -> int:
        return len(self.found)

    @property
    def wanted(self) -> str:
        """The wanted prediction in words."""
        return str(self.goal)

    @property
    def impossible(self) -> bool:
        """Whether it is proved that no row with the allowed changes gets the wanted prediction."""
        return not self.found and self.complete

    @property
    def text(self) -> str:
        """One sentence per counterfactual, or why there is none, and the note."""
        return "\n".join(filter(None, [self._outcome, self.note]))

    @property
    def _outcome(self) -> str:
        if self.impossible:
            return f"Proved impossible: no row with the allowed changes gets {self.wanted}."
        if not self.found:
            seconds = number_text(round(self.seconds, 2))
            return (
                f"No row that gets {self.wanted} was found in {seconds} seconds, but there may be one. "
                "Allow more time with max_seconds, or fewer columns with fixed and max_changes."
            )
        if not self.found[0].changes:
            return self.found[0].text
        lines = [f"The model predicts {_prediction(self.prediction)}; the goal is {self.wanted}."]
        first, *others = self.found
        lines.append(f"1. {first.text}")
        # Each keeps a column that an earlier one changes; without that, nearer rows may exist.
        other = "Proved to be the nearest with other changes."
        lines += [f"{place}. {found._sentences(other)}" for place, found in enumerate(others, 2)]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as dictionaries and lists for JSON.

        Returns
        -------
        dict
            Values as Python objects.
        """
        return {
            "row": {name: plain(value) for name, value in self.row.items()},
            "prediction": plain(self.prediction),
            "wanted": self.wanted,
            "counterfactuals": [found.to_dict() for found in self.found],
            "complete": self.complete,
            "n_boxes": self.n_boxes,
            "seconds": self.seconds,
        }

    def to_json(self) -> str:
        """Return :meth:`to_dict` as JSON text."""
        return json.dumps(self.to_dict(), allow_nan=False, ensure_ascii=False, indent=1) + "\n"

    def to_frame(self, library: str = "pandas") -> Any:
        """Return one line per changed column.

        Parameters
        ----------
        library : {"pandas", "polars"}, default="pandas"
            The library of the frame.

        Returns
        -------
        DataFrame
            With the columns counterfactual (counted from 1), column, before, after, distance and
            proved. Values are strings, because columns of different kinds are listed below each other.
        """
        from sightline.show import data_frame  # noqa: PLC0415 - matplotlib is slow to import

        lines = [
            (place, name, _text(before), _text(after), found.distance.total, found.proved)
            for place, found in enumerate(self.found, 1)
            for name, before, after in found.changes
        ]
        names = ("counterfactual", "column", "before", "after", "distance", "proved")
        return data_frame({name: [line[i] for line in lines] for i, name in enumerate(names)}, library)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        state = "complete" if self.complete else "all proved" if all(c.proved for c in self.found) else "open"
        return f"Counterfactuals({len(self.found)} found, {state})"

    def _repr_html_(self) -> str:
        """Return a table of the changes for notebooks."""
        changed = list(dict.fromkeys(change.column for found in self.found for change in found.changes))
        if not changed:
            return f"<p>{html.escape(self.text)}</p>"
        before = {change.column: change.before_text for found in self.found for change in found.changes}
        lines = [
            _line("th", ["", *changed, "prediction", "proved nearest"]),
            _line("td", ["row", *(before[name] for name in changed), _prediction(self.prediction), ""]),
        ]
        for place, found in enumerate(self.found, 1):
            after = {change.column: change.after_text for change in found.changes}
            proof = "yes" if found.proved else f"gap {percent(found.gap)}"
            cells = [str(place), *(after.get(name, "") for name in changed)]
            lines.append(_line("td", [*cells, _prediction(found.prediction), proof]))
        note = f"<p>{html.escape(self.note)}</p>" if self.note else ""
        return f"<table>{''.join(lines)}</table>{note}"


def _line(tag: str, cells: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"


def _prediction(value: Any) -> str:
    return answer_text(value) if isinstance(value, float) else quote_if_odd(value)


def _text(value: Any) -> str | None:
    if value is None:
        return None
    return number_text(value, digits=17) if isinstance(value, float) else str(value)
