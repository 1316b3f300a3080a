"""The options of ``load``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sightline.exceptions import UnsupportedModelError
from sightline.table import Table

if TYPE_CHECKING:
    from sightline.load.pipeline import StepsInFront


class CategoriesNeededError(UnsupportedModelError):
    """A model that does not store which columns have which categories: pass ``categories=X`` to ``load``."""


@dataclass(frozen=True)
class Options:
    """What the caller allows, and adds to the model, and what is in front of it.

    Parameters
    ----------
    allow_pickle : bool, default=False
        Whether files may be unpickled, which runs any code in them.
    categories : mapping of str to sequence, default={}
        Values of features, for models that store only hashes or parts of them. If ``rows`` are given,
        the values that these declare.
    rows : Table, optional
        Rows to take the values from, for models that store only hashes.
    in_front : StepsInFront, optional
        Steps whose rows the model gets. A model that holds others passes them on, because its members
        may read the same rows differently; all others are read over the columns in front of the steps.
    needs_label : bool, default=True
        Whether the labels of the model matter, not only its probabilities.
    """

    allow_pickle: bool = False
    categories: Mapping[str, Sequence[object]] = field(default_factory=dict)
    rows: Table | None = None
    in_front: StepsInFront | None = None
    needs_label: bool = True
