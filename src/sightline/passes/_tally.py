"""Counts over all rows, and the measures of a model that follow from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sightline.passes._exact_sums import rounded
from sightline.wording import Share, percent, pluralize

__all__ = ["N_BINS", "Tally"]

N_BINS = 20
"""Bins of probabilities, all of the same width."""


@dataclass(frozen=True, eq=False, repr=False)
class Tally:
    """Exact counts over all rows of rows in parts.

    Measures are about the rows that did not choose the model: those outside the sample. Every count is a
    whole number, or a sum that is rounded once. So none of them depends on parts, workers or threads.

    Attributes
    ----------
    counts : dict of str to ndarray of int64
        The counts. Two tallies are added by adding these.
    classes_ : ndarray or None
        The classes; None if the model predicts numbers.

    Examples
    --------
    >>> import sightline as sl
    >>> table = sl.make_loans(2_000, random_state=0)
    >>> rows = sl.Rows(table.to_pandas(), target=table.target_name, sample_size=1_500)
    >>> tree = sl.C45Classifier(max_leaves=8).fit(rows)
    >>> tree.tally_.n_rows, tree.tally_.n_sampled, tree.tally_.n_judged
    (2000, 1500, 500)
    >>> tree.tally_.accuracy.n_rows
    500
    """

    counts: dict[str, NDArray[np.int64]]
    classes_: NDArray[Any] | None

    @staticmethod
    def added(above: Tally, below: Tally) -> Tally:
        """Return the counts of both."""
        counts = {name: above.counts[name] + below.counts[name] for name in above.counts}
        return Tally(counts, above.classes_)

    @property
    def n_rows(self) -> int:
        """Rows in all parts."""
        return int(self.counts["rows"].sum())

    @property
    def n_sampled(self) -> int:
        """Rows used to choose the model."""
        return int(self.counts["rows"][1])

    @property
    def n_judged(self) -> int:
        """Rows used to judge it: all others."""
        return int(self.counts["rows"][0])

    @property
    def has_weights(self) -> bool:
        """Whether rows of all parts have weights other than 0 and 1."""
        return bool(self.counts.get("other weights", np.zeros(1)).any())

    @property
    def n_missing(self) -> NDArray[np.int64]:
        """Per column: rows of all parts in which the value is missing."""
        return self.counts["missing"]

    @property
    def fidelity(self) -> Share | float | None:
        """Share of the judged rows with the ensemble's label, or R² to its numbers; None without ensemble."""
        return self._quality("ensemble model")

    @property
    def accuracy(self) -> Share | float | None:
        """Share of the judged rows with their own label, or R² to their numbers; None without a target."""
        return self._quality("truth model")

    @property
    def ensemble_accuracy(self) -> Share | float | None:
        """The same for the ensemble."""
        return self._quality("truth ensemble")

    @property
    def confusion(self) -> NDArray[np.int64] | None:
        """Judged rows by their own class (rows) and the model's (columns); None without a target."""
        return self.counts.get("truth model") if self.classes_ is not None else None

    @property
    def agreement(self) -> NDArray[np.int64] | None:
        """Judged rows by the ensemble's class (rows) and the model's (columns); None without ensemble."""
        return self.counts.get("ensemble model") if self.classes_ is not None else None

    @property
    def fidelity_by_class(self) -> dict[Any, Share]:
        """Per label of the ensemble: the share of its judged rows to which the model gives the same label."""
        found = self.agreement
        if found is None or self.classes_ is None:
            return {}
        totals = found.sum(axis=1)
        return {
            label: Share(int(found[code, code]), int(totals[code]))
            for code, label in enumerate(self.classes_.tolist())
            if totals[code]
        }

    @property
    def majority(self) -> Share | None:
        """What always giving the ensemble's most frequent label would reach on the judged rows."""
        found = self.agreement
        return (
            None if found is None or not found.sum() else Share(int(found.sum(axis=1).max()), self.n_judged)
        )

    @property
    def leaf_rows(self) -> NDArray[np.int64] | None:
        """Per node of a tree: judged rows that end there, and how many of these differ from the ensemble."""
        return self.counts.get("leaves")

    @property
    def mean_difference(self) -> float | None:
        """Mean absolute distance from the ensemble's numbers on the judged rows; None for classes."""
        if self.classes_ is not None or "ensemble model" not in self.counts or not self.n_judged:
            return None
        return float(rounded(self.counts["ensemble model"])[3] / self.n_judged)

    def calibration(self, label: Any, who: Literal["model", "ensemble"] = "model") -> NDArray[np.int64]:
        """Return judged rows by probability of a class.

        Parameters
        ----------
        label : label
            The class.
        who : {"model", "ensemble"}
            Whose probabilities.

        Returns
        -------
        ndarray of shape (20, 2)
            Per twentieth of the probabilities: all rows, and those that are of the class.
        """
        assert self.classes_ is not None
        code = self.classes_.tolist().index(label)
        return np.asarray(self.counts[f"calibration {who}"][code])

    def _quality(self, name: str) -> Share | float | None:
        found = self.counts.get(name)
        if found is None or not self.n_judged:
            return None
        if self.classes_ is not None:
            return Share(int(np.trace(found)), int(found.sum()))
        total, squares, errors, _ = rounded(found)
        spread = squares - total**2 / self.n_judged
        return float(1 - errors / spread) if spread > 0 else None

    def to_json(self) -> dict[str, Any]:
        """Return the numbers for other programs; shares with their intervals."""
        measured = {name: getattr(self, name) for name in ("fidelity", "accuracy", "ensemble_accuracy")}
        return {
            "rows": self.n_rows,
            "chose_the_model": self.n_sampled,
            "judged_it": self.n_judged,
            **{name: one.to_json() if isinstance(one, Share) else one for name, one in measured.items()},
        }

    def text(self) -> str:
        """Say on how many rows the model was chosen and judged."""
        chosen = f"model chosen on {pluralize(self.n_sampled, 'row')}"
        if not self.n_judged:
            return f"{chosen}; no other row is left to judge it."
        measured = ""
        if isinstance(self.fidelity, Share):
            measured = f": fidelity {self.fidelity.text}"
        elif self.fidelity is not None:
            measured = f": R² {self.fidelity:.3f} to the ensemble"
        elif isinstance(self.accuracy, Share):
            measured = f": accuracy {percent(self.accuracy.value, 1)}"
        elif self.accuracy is not None:
            measured = f": R² {self.accuracy:.3f}"
        return f"{chosen}, judged on {self.n_judged:,} others{measured}."

    def __repr__(self) -> str:
        return f"<Tally: {self.text()}>"
