"""Distribution of the rows over the classes, and the class in focus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.measure._interval import Weights
from sightline.model import positive_index
from sightline.table import rare_classes
from sightline.wording import percent


@dataclass(frozen=True, eq=False)
class ClassBalance:
    """The classes and their rows.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The labels: those of the model first.
    shares : ndarray of shape (n_classes,)
        Share of the rows per class, weighted if the rows are.
    focus : int or None
        The class that AUC, average precision and calibration of two classes refer to: the positive one if the
        caller named it, else the rarest if the classes are imbalanced, else the second. None for more than
        two balanced classes.

    Examples
    --------
    >>> balance = ClassBalance.of(np.array([0] * 99 + [1]), np.array(["no", "yes"]))
    >>> balance.is_imbalanced, balance.focus_label, balance.majority_label
    (True, 'yes', 'no')
    """

    classes: NDArray[Any]
    shares: NDArray[np.float64]
    focus: int | None

    @classmethod
    def of(
        cls,
        codes: NDArray[np.intp],
        classes: NDArray[Any],
        weights: Weights = None,
        positive: Any = None,
        n_known: int | None = None,
    ) -> ClassBalance:
        """Count the rows of each class.

        Parameters
        ----------
        codes : ndarray of shape (n_rows,)
            Indices of the rows' classes.
        classes : ndarray of shape (n_classes,)
            The labels.
        weights : ndarray of shape (n_rows,), optional
            Weight of each row.
        positive : label, optional
            The positive class.
        n_known : int, optional
            Number of classes that the model has, the first ones. Only these can be in focus. Default: all.
        """
        counts = np.bincount(codes, weights, minlength=len(classes))
        shares = counts / counts.sum()
        return cls(classes, shares, _focus(shares[:n_known], classes.tolist()[:n_known], positive))

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def is_imbalanced(self) -> bool:
        """Whether a class has less than a fifth of the rows of the most frequent one."""
        return bool(self.is_rare.any())

    @property
    def is_rare(self) -> NDArray[np.bool_]:
        """Which classes these are."""
        return rare_classes(self.shares)

    @property
    def majority(self) -> int:
        """Index of the most frequent class."""
        return int(self.shares.argmax())

    @property
    def majority_label(self) -> Any:
        """The most frequent class."""
        return self.classes.tolist()[self.majority]

    @property
    def focus_label(self) -> Any:
        """The label of ``focus``; None without one."""
        return None if self.focus is None else self.classes.tolist()[self.focus]

    @property
    def rarest(self) -> int:
        """Index of the class in focus if it is rare, else of the class with the fewest rows."""
        if self.focus is not None and self.is_rare[self.focus]:
            return self.focus
        return int(np.where(self.shares > 0, self.shares, np.inf).argmin())

    @property
    def rarest_label(self) -> Any:
        """The label of ``rarest``."""
        return self.classes.tolist()[self.rarest]

    @property
    def scored(self) -> list[int]:
        """The classes whose scores make up AUC and average precision: one of two, or all."""
        return [self.focus] if self.n_classes == 2 and self.focus is not None else list(range(self.n_classes))

    @property
    def text(self) -> str:
        """The classes with their shares, the most frequent first, as in ``no 99.0%, yes 1.0%``."""
        order = np.argsort(-self.shares, kind="stable")[:MAX_LISTED].tolist()
        labels = self.classes.tolist()
        named = [f"{labels[one]} {percent(float(self.shares[one]), 1)}" for one in order]
        rest = self.n_classes - len(order)
        return ", ".join(named) + (f" and {rest:,} more" if rest else "")


MAX_LISTED = 10


def _focus(shares: NDArray[np.float64], labels: list[Any], positive: Any) -> int | None:
    if positive is not None:
        return positive_index(labels, positive)
    if rare_classes(shares).any():
        return int(np.where(shares > 0, shares, np.inf).argmin())
    return 1 if len(labels) == 2 else None
