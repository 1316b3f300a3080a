"""How the report shows one kind of model: what a new kind must define."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from sightline.exceptions import UnsupportedModelError
from sightline.model import KindTable
from sightline.wording import pluralize

if TYPE_CHECKING:
    from sightline.report._columns import Columns
    from sightline.report._evidence import Evidence

Json = dict[str, Any]


class Kind(ABC):
    """A kind of model in the report. Subclass it and register the class in ``KINDS``.

    Parameters
    ----------
    model : Tree, Graph, RuleSet, …
        A model of this kind.

    Attributes
    ----------
    noun : str
        The noun for the model in sentences.
    heading : str
        The noun in the title of the page.
    unit : tuple of str
        What its size counts, singular and plural.
    parts : dict of str to str
        Parts of the page that every model of this kind has, with their headings.
    max_size : int or None
        Most units that a page lists, so that it stays below some 20 MB; None if it does not list them.
    """

    noun: ClassVar[str]
    heading: ClassVar[str]
    unit: ClassVar[tuple[str, str]]
    parts: ClassVar[dict[str, str]] = {}
    max_size: ClassVar[int | None] = 20_000

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
        """Return the model's own statements on how far it can be trusted."""
        return []

    def predictor(self, with_size: bool = True) -> str:
        """Return what gives the labels, for sentences; ``with_size`` adds the size of the model."""
        return f"this {self.description if with_size else self.noun}"

    @property
    def predictor_noun(self) -> str:
        """The noun for what gives the labels."""
        return self.noun

    @property
    def size_text(self) -> str:
        """How much there is to read, for the model card."""
        counts = {key: n for key, n in self.model.size_.items() if n}
        return ", ".join(f"depth {n:,}" if key == "depth" else f"{n:,} {key}" for key, n in counts.items())

    @property
    def description(self) -> str:
        """The noun with the size, as in ``tree of 4 leaves``."""
        return f"{self.noun} of {pluralize(self.size, *self.unit)}"


KINDS: KindTable[type[Kind]] = KindTable("report")
"""The kinds of models that have a report."""


def kind_of(model: Any) -> Kind:
    """Return how the report shows a model.

    Examples
    --------
    >>> import sightline as sl
    >>> tree = sl.C45Classifier().fit([[0.0], [1.0]] * 5, ["no", "yes"] * 5).tree_
    >>> kind_of(tree).noun, kind_of(tree).description
    ('tree', 'tree of 2 leaves')
    """
    kind = KINDS.get(model)
    if kind is None:
        raise UnsupportedModelError(f"There is no report for a {type(model).__name__}.")
    shown: Kind = kind(model)
    if shown.max_size is not None and shown.size > shown.max_size:
        raise UnsupportedModelError(
            f"A report shows at most {pluralize(shown.max_size, *shown.unit)}, but this {shown.noun} has "
            f"{shown.size:,}. Use a smaller one, or write this one to a file with export or to_json."
        )
    return shown
