"""What the caller of ``load`` allows, and adds to what a model says of itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Options:
    """Answers to questions that a model leaves open.

    Parameters
    ----------
    allow_pickle : bool, default=False
        Whether files may be unpickled, which runs whatever code is in them.
    categories : mapping of str to sequence, default={}
        Per feature its values, for models that store only hashes of them, or parts.
    """

    allow_pickle: bool = False
    categories: Mapping[str, Sequence[object]] = field(default_factory=dict)
