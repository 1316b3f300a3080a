"""Explanations as data: what is predicted for rows, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import DataError
from sightline.model._findings import EnsembleAnswer, Findings, NearCase, Reason, RuleVote
from sightline.model._plain import plain
from sightline.model._readable import Shown
from sightline.wording import list_names

__all__ = ["Explanation", "Explanations", "reworded"]


_MAX_LISTED = 20
"""Rows of the same name that an error lists."""


class Explanation(Shown):
    """Why a model predicts what it predicts for one row.

    ``str()`` gives plain sentences; in a notebook it shows itself as a card.

    Parameters
    ----------
    findings : Findings
        What is known about this row and others.
    index : int
        Index of the row among them.
    row : object
        Name of the row; None if it has none.

    Examples
    --------
    >>> from sightline.show._example import credit_tree
    >>> why = credit_tree().explain({"age": 25, "income": 1800, "purpose": "car"})
    >>> why.prediction, why.probability, why.support, why.precision
    ('bad', 0.8, 25.0, 0.8)
    >>> [(reason.condition, reason.value, round(reason.change, 2)) for reason in why.reasons]
    [('age <= 30', 25.0, 0.32), ('income <= 2000', 1800.0, 0.15)]
    >>> print(why)
    Predicted bad. 25 training rows took this path; 80% of them were "bad".
    Because age <= 30 (yours: 25) and income <= 2000 (yours: 1800).
    """

    def __init__(self, findings: Findings, index: int = 0, row: Any = None) -> None:
        self.findings = findings
        self.index = index
        self.row = row

    @property
    def prediction(self) -> Any:
        """The predicted label or number."""
        return plain(self.findings.predictions[self.index])

    @property
    def probability(self) -> float | None:
        """The probability of the predicted label; None if a number or only a label is predicted."""
        known = self.findings.probabilities
        return None if known is None else float(known[self.index])

    @property
    def is_number(self) -> bool:
        """Whether a number is predicted, not a label."""
        return self.findings.labels is None

    @property
    def conditions(self) -> tuple[Reason, ...]:
        """The conditions that the row meets, one per column, in the order in which the model tests them."""
        return self.findings.conditions(self.index)

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """The conditions, ordered by how much they moved the probability or the number."""
        return tuple(sorted(self.conditions, key=lambda reason: -abs(reason.change)))

    @property
    def support(self) -> float | None:
        """How many training rows ended in the same leaf; None without a single leaf or without counts."""
        return self.findings.support(self.index)[0]

    @property
    def precision(self) -> float | None:
        """Share of those rows that have the predicted label; None if not known."""
        return self.findings.support(self.index)[1]

    @property
    def proved(self) -> bool | None:
        """Whether the ensemble provably agrees on every row that takes the same path.

        False if it provably does not, None if that is not known. The search takes half a second at most.
        """
        return self.findings.is_proved(self.index)

    @property
    def ensemble(self) -> EnsembleAnswer | None:
        """What the ensemble predicts; None if there is none."""
        return self.findings.ensemble_answer(self.index)

    @property
    def rules(self) -> tuple[RuleVote, ...]:
        """For a rule set: the rules that vote, the strongest first."""
        return self.findings.rules(self.index)

    @property
    def cases(self) -> tuple[NearCase, ...]:
        """For a case base: the nearest cases, then the nearest one against the prediction."""
        return self.findings.cases(self.index)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON.

        Returns
        -------
        dict
            The keys are ``row``, ``prediction``, ``probability``, ``support``, ``precision``, ``path`` (the
            conditions in words), ``reasons``, ``proved``, ``ensemble``, ``rules`` and ``cases``.
        """
        return self._to_dict(search=True)

    def _to_dict(self, search: bool) -> dict[str, Any]:
        conditions = self.conditions
        ordered = sorted(conditions, key=lambda reason: -abs(reason.change))
        ensemble = self.ensemble
        support, precision = self.findings.support(self.index)
        return {
            "row": plain(self.row),
            "prediction": self.prediction,
            "probability": self.probability,
            "support": plain(support),
            "precision": plain(precision),
            "path": [reason.condition for reason in conditions],
            "reasons": [reason.to_dict() for reason in ordered],
            "proved": self.findings.is_proved(self.index, search),
            "ensemble": None if ensemble is None else ensemble.to_dict(),
            "rules": [rule.to_dict() for rule in self.rules],
            "cases": [case.to_dict() for case in self.cases],
        }

    def to_frame(self, library: str = "pandas") -> Any:
        """Return the reasons as a data frame, the strongest first.

        Parameters
        ----------
        library : {"pandas", "polars"}, default="pandas"
            The library of the frame.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            One row per reason: its column, condition, the row's value (as a string), and the change.
        """
        return self._display().frame(library)

    def to_letter(
        self,
        template: str | None = None,
        *,
        names: Mapping[str, str] | None = None,
        target: str | None = None,
        changes: Any = None,
    ) -> str:
        """Write a plain letter to the person described by the row: the result and its main reasons.

        Parameters
        ----------
        template : str, optional
            The text, with placeholders: ``$row``, ``$prediction``, ``$target``, ``$result`` (such as
            ``default = yes``), ``$probability``, ``$reasons`` (a numbered list), ``$reason_1`` to
            ``$reason_4``, ``$evidence`` and ``$changes``; ``$$`` is a dollar sign. By default
            :data:`sightline.show.LETTER`, or with changes :data:`sightline.show.LETTER_WITH_CHANGES`.
        names : mapping of str to str, optional
            Plain names of columns, labels and the target, such as ``{"inc_m": "monthly income", "bad":
            "declined"}``. Values of columns stay as they are.
        target : str, optional
            Name of the target; by default the one that the model knows. ``$result`` has it before the
            label, unless the label has a plain name or the target is just called "outcome" or the like.
        changes : Counterfactuals, optional
            What :func:`sightline.counterfactuals` found for the row.

        Returns
        -------
        str
            The letter, with at most four reasons, all of which led to the result.

        Warns
        -----
        DataWarning
            If the ensemble gives the row another label: these are not the reasons for its decision.

        Examples
        --------
        >>> from sightline.show._example import credit_tree
        >>> why = credit_tree().explain({"age": 25, "income": 1800, "purpose": "car"})
        >>> print(why.to_letter("The result is $prediction because of: $reason_1"))
        The result is bad because of: age: 25 (30 or less)
        >>> import sightline as sl
        >>> found = sl.counterfactuals(credit_tree(), {"age": 25, "income": 1800, "purpose": "car"}, n=1)
        >>> print(why.to_letter("$changes", changes=found))
        The result would have been different with this change:
        <BLANKLINE>
        1. income: 2001 instead of 1800
        """
        letter: str = self._display().letter(template, names, target, changes)
        return letter

    def __str__(self) -> str:
        text: str = self._display().text()
        return text

    def __repr__(self) -> str:
        row = "" if self.row is None else f"row {self.row!r}: "
        probability = "" if self.probability is None else f", probability {self.probability:.3g}"
        return f"<Explanation of {row}{self.prediction!r}{probability}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Explanation):
            return NotImplemented
        return str(self) == str(other) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]


class Explanations(Shown, Sequence[Explanation]):
    """Explanations of many rows, one by one or as a frame.

    Like a list: index it, loop over it, take its length. Selecting several rows gives the same type.
    Predictions are computed for all rows at once; sentences are made only for the rows that are read.

    Parameters
    ----------
    findings : Findings
        What is known about the rows.
    names : sequence
        Names of the rows: identifiers, the labels of a frame's index, or row numbers.
    chosen : ndarray of int, optional
        Indices of the rows; all by default.

    Examples
    --------
    >>> from sightline.show._example import credit_tree
    >>> why = credit_tree().explain([[25, 1800, "car"], [45, 900, "house"]])
    >>> len(why), [one.prediction for one in why]
    (2, ['bad', 'good'])
    >>> why.to_frame()[["row", "prediction", "reason_1"]].values.tolist()
    [[0, 'bad', 'age <= 30'], [1, 'good', 'age > 30']]
    """

    def __init__(
        self, findings: Findings, names: Sequence[Any], chosen: NDArray[np.intp] | None = None
    ) -> None:
        self.findings = findings
        self._names = names
        self.chosen = np.arange(len(names)) if chosen is None else chosen

    @property
    def rows(self) -> list[Any]:
        """Names of the rows."""
        return [self._names[i] for i in self.chosen.tolist()]

    @property
    def predictions(self) -> NDArray[Any]:
        """The predicted labels or numbers."""
        return np.asarray(self.findings.predictions[self.chosen])

    @property
    def probabilities(self) -> NDArray[np.float64] | None:
        """The probability of each predicted label; None if numbers or only labels are predicted."""
        known = self.findings.probabilities
        return None if known is None else known[self.chosen]

    @property
    def agrees(self) -> NDArray[np.bool_] | None:
        """Whether the ensemble gives each row the same label; None if there is none, or for numbers."""
        labels = self.findings.ensemble_labels
        return None if labels is None else np.asarray(labels == self.findings.predictions)[self.chosen]

    def named(self, name: Any) -> Explanation:
        """Return the explanation of the row with this name.

        Parameters
        ----------
        name : object
            An identifier, as in :attr:`rows`.

        Raises
        ------
        KeyError
            If no row has this name.
        DataError
            If several rows have it.
        """
        found = [index for index, row in enumerate(self.rows) if row == name]
        if not found:
            raise KeyError(f"There is no row {name!r}.")
        if len(found) > 1:
            listed = list_names([str(index) for index in found], _MAX_LISTED)
            raise DataError(
                f"{len(found):,} rows are named {name!r}: indices {listed}. Select one by its index, as in "
                f"explanations[{found[0]}]."
            )
        return self[found[0]]

    def to_dict(self, *, prove: bool = False) -> list[dict[str, Any]]:
        """Return one dictionary per row, as :meth:`Explanation.to_dict` does.

        Parameters
        ----------
        prove : bool, default=False
            Whether to search for a proof of every leaf that has none, up to half a second each.
        """
        return list(self.to_dicts(prove=prove))

    def to_dicts(self, *, prove: bool = False) -> Iterator[dict[str, Any]]:
        """Give the dictionaries of :meth:`to_dict` one by one.

        Parameters
        ----------
        prove : bool, default=False
            As in :meth:`to_dict`.
        """
        for explanation in self:
            yield explanation._to_dict(prove)

    def to_columns(self, *, prove: bool = False) -> dict[str, NDArray[Any]]:
        """Return the columns of :meth:`to_frame` as arrays by name.

        Parameters
        ----------
        prove : bool, default=False
            As in :meth:`to_dict`.
        """
        names = np.empty(len(self), dtype=object)
        names[:] = self.rows
        columns: dict[str, NDArray[Any]] = {"row": names, "prediction": self.predictions}
        if self.probabilities is not None:
            columns["probability"] = self.probabilities
        more = self.findings.columns(prove)
        return columns | {name: column[self.chosen] for name, column in more.items()}

    def to_frame(self, library: str = "pandas", *, prove: bool = False) -> Any:
        """Return a data frame with one row per explained row.

        Parameters
        ----------
        library : {"pandas", "polars"}, default="pandas"
            The library of the frame.
        prove : bool, default=False
            As in :meth:`to_dict`.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            Name of the row, prediction, probability, facts that the kind of model adds, the ensemble's
            prediction if there is one, and the four strongest reasons.
        """
        return self._display().frame(library, prove=prove)

    @overload
    def __getitem__(self, index: int) -> Explanation: ...
    @overload
    def __getitem__(self, index: Any) -> Any: ...
    def __getitem__(self, index: Any) -> Any:
        chosen = self.chosen[index]
        if np.ndim(chosen) == 0:
            return Explanation(self.findings, int(chosen), self._names[int(chosen)])
        return Explanations(self.findings, self._names, np.asarray(chosen))

    def __len__(self) -> int:
        return len(self.chosen)

    def __str__(self) -> str:
        text: str = self._display().text()
        return text

    def __repr__(self) -> str:
        return f"<Explanations of {len(self)} rows>"


def reworded(explained: Explanation | Explanations, tell: Callable[[int], str]) -> Any:
    """Return the same explanations with other sentences.

    Parameters
    ----------
    explained : Explanation or Explanations
        One or many.
    tell : callable
        Takes the index of a row in the findings and returns its sentences.
    """
    findings = copy(explained.findings)
    findings.sentences = tell  # type: ignore[method-assign,assignment]
    if isinstance(explained, Explanation):
        return Explanation(findings, explained.index, explained.row)
    return Explanations(findings, explained._names, explained.chosen)
