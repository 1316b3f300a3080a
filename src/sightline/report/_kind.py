"""How the report shows one kind of model: what a new kind must say about itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from sightline.wording import pluralize

if TYPE_CHECKING:
    from sightline.report._columns import Columns
    from sightline.report._evidence import Evidence

Json = dict[str, Any]


class Kind(ABC):
    """A kind of model in the report. Subclass it and enter the class in ``KINDS``.

    Parameters
    ----------
    model : Tree, Graph, RuleSet, …
        A model of this kind.

    Attributes
    ----------
    noun : str
        What sentences call the model.
    heading : str
        What the title of the page calls it.
    unit : tuple of str
        What its size counts, singular and plural.
    parts : dict of str to str
        Parts of the page that every model of this kind has, with their headings.
    """

    noun: ClassVar[str]
    heading: ClassVar[str]
    unit: ClassVar[tuple[str, str]]
    parts: ClassVar[dict[str, str]] = {}

    def __init__(self, model: Any) -> None:
        self.model = model

    @property
    @abstractmethod
    def size(self) -> int:
        """How large the model is, in units."""

    @property
    @abstractmethod
    def features(self) -> set[int]:
        """Indices of the features that the model tests."""

    @abstractmethod
    def to_json(self, evidence: Evidence, columns: Columns) -> Json:
        """Return the model as plain data; ``kind`` names the script that predicts with it."""

    def sentences(self) -> list[str]:
        """Return what the model itself knows about how far it can be trusted."""
        return []

    @property
    def description(self) -> str:
        """The noun with the size, as in ``tree of 4 leaves``."""
        return f"{self.noun} of {pluralize(self.size, *self.unit)}"
