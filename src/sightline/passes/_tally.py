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

    If rows have weights, measures and tables count each row by its weight, and the rows that judge were set
    aside before the sample was drawn by weight: they are a random part of all rows of positive weight. The
    intervals of shares are those of ``n_effective`` rows.

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
        """Rows used to judge it: all others; of rows with weights, those that were set aside for it."""
        return int(self.counts["rows"][0])

    @property
    def n_effective(self) -> float:
        """Effective number of the rows that judge: as many of equal weight would give the same precision."""
        if not self.is_weighted or not self.n_judged:
            return float(self.n_judged)
        total, squares = rounded(self.counts["weights"])
        return float(total**2 / squares)

    @property
    def is_weighted(self) -> bool:
        """Whether rows count by a weight."""
        return "weights" in self.counts

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
    def confusion(self) -> NDArray[Any] | None:
        """Judged rows, or their weights, by their own class (rows) and the model's (columns).

        None without a target, and for rows with weights of more than 100 classes.
        """
        return self._table("truth model") if self.classes_ is not None else None

    @property
    def agreement(self) -> NDArray[Any] | None:
        """Judged rows, or their weights, by the ensemble's class (rows) and the model's (columns).

        None without an ensemble, and for rows with weights of more than 100 classes.
        """
        return self._table("ensemble model") if self.classes_ is not None else None

    @property
    def fidelity_by_class(self) -> dict[Any, Share]:
        """Per label of the ensemble: the share of its judged rows to which the model gives the same label."""
        if self.classes_ is None or "ensemble model" not in self._measured:
            return {}
        shares = self._shares_by_class("ensemble model")
        return {
            label: share
            for label, share in zip(self.classes_.tolist(), shares, strict=True)
            if share is not None
        }

    @property
    def majority(self) -> Share | None:
        """What always giving the ensemble's most frequent label would reach on the judged rows."""
        if self.classes_ is None or "ensemble model" not in self._measured or not self.n_judged:
            return None
        if self.is_weighted:
            totals = rounded(self.counts["ensemble model hits"])[:, 1]
            return self._weighted_share(totals.max(), rounded(self.counts["weights"]), self.n_judged)
        return Share(int(self.counts["ensemble model"].sum(axis=1).max()), self.n_judged)

    @property
    def leaf_rows(self) -> NDArray[Any] | None:
        """Per node of a tree: judged rows that end there, and how many of these differ from the ensemble.

        If rows have weights: the sums of these.
        """
        return self._table("leaves")

    @property
    def mean_difference(self) -> float | None:
        """Mean absolute distance from the ensemble's numbers on the judged rows; None for classes."""
        if self.classes_ is not None or "ensemble model" not in self.counts or not self.n_judged:
            return None
        return float(rounded(self.counts["ensemble model"])[3] / self._total)

    def calibration(self, label: Any, who: Literal["model", "ensemble"] = "model") -> NDArray[Any]:
        """Return judged rows by probability of a class.

        Parameters
        ----------
        label : label
            The class.
        who : {"model", "ensemble"}, default="model"
            Whose probabilities.

        Returns
        -------
        ndarray of shape (20, 2)
            Per twentieth of the probabilities: all rows, and those that are of the class. If rows have
            weights: the sums of these.
        """
        assert self.classes_ is not None
        code = self.classes_.tolist().index(label)
        found = self.counts[f"calibration {who}"][code]
        return rounded(found) if self.is_weighted else np.asarray(found)

    @property
    def _measured(self) -> set[str]:
        """Whose answers were compared."""
        return {name.removesuffix(" hits") for name in self.counts}

    @property
    def _total(self) -> float:
        """Weight of the judged rows, in the unit of their sums; without weights, their number."""
        return float(rounded(self.counts["weights"])[0]) if self.is_weighted else self.n_judged

    def _table(self, name: str) -> NDArray[Any] | None:
        found = self.counts.get(name)
        return rounded(found) if found is not None and self.is_weighted else found

    def _quality(self, name: str) -> Share | float | None:
        if name not in self._measured or not self.n_judged:
            return None
        if self.classes_ is not None and self.is_weighted:
            hits, *sums = rounded(self.counts[f"{name} hits"].sum(axis=0))
            return self._weighted_share(hits, sums, self.n_judged)
        found = self.counts[name]
        if self.classes_ is not None:
            return Share(int(np.trace(found)), int(found.sum()))
        total, squares, errors, _ = rounded(found)
        spread = squares - total**2 / self._total
        return float(1 - errors / spread) if spread > 0 else None

    def _shares_by_class(self, name: str) -> list[Share | None]:
        """Return per class of the first answers the share of equal ones; None without rows."""
        if not self.is_weighted:
            found = self.counts[name]
            totals, hits = found.sum(axis=1).tolist(), np.diagonal(found).tolist()
            return [Share(hit, total) if total else None for hit, total in zip(hits, totals, strict=True)]
        rows, sums = self.counts[f"{name} rows"].tolist(), rounded(self.counts[f"{name} hits"])
        return [
            self._weighted_share(one[0], one[1:], n) if n else None for n, one in zip(rows, sums, strict=True)
        ]

    @staticmethod
    def _weighted_share(hits: float, sums: Any, n_rows: int) -> Share:
        """Return a share by the sums of weights and of their squares, as ``sl.measure`` does."""
        total, squares = map(float, sums)
        return Share(float(hits) / total * n_rows, n_rows, n_effective=total**2 / squares)

    def to_json(self) -> dict[str, Any]:
        """Return the numbers for other programs; shares with their intervals."""
        measured = {name: getattr(self, name) for name in ("fidelity", "accuracy", "ensemble_accuracy")}
        return {
            "rows": self.n_rows,
            "chose_the_model": self.n_sampled,
            "judged_it": self.n_judged,
            **({"weights": {"effective_rows": self.n_effective}} if self.is_weighted else {}),
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
        weighted = " by weight" if self.is_weighted else ""
        return f"{chosen}, judged on {self.n_judged:,} others{weighted}{measured}."

    def __repr__(self) -> str:
        return f"<Tally: {self.text()}>"
