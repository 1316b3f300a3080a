"""The options of ``load``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sightline.exceptions import UnsupportedModelError
from sightline.table import Table


class CategoriesNeededError(UnsupportedModelError):
    """A model that does not store which columns have which categories: pass ``categories=X`` to ``load``."""


@dataclass(frozen=True)
class Options:
    """What the caller allows, and adds to the model.

    Parameters
    ----------
    allow_pickle : bool, default=False
        Whether files may be unpickled, which runs any code in them.
    categories : mapping of str to sequence, default={}
        Values of features, for models that store only hashes or parts of them. If ``rows`` are given,
        the values that these declare.
    rows : Table, optional
        Rows to take the values from, for models that store only hashes.
    """

    allow_pickle: bool = False
    categories: Mapping[str, Sequence[object]] = field(default_factory=dict)
    rows: Table | None = None
