"""What a model predicts, in its schema and in files."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import ModelFormatError, ParameterError
from sightline.model._document import Document, get
from sightline.table import Schema, Subject
from sightline.wording import list_names

_MAX_CLASSES = 10


class AboutTarget:
    """A model that may know the name of its target and the positive class."""

    schema: Schema
    classes_: Any

    @property
    def subject(self) -> str:
        """What the model predicts, as in ``default = yes``; empty if its target has no name."""
        return self.schema.subject.text(self.classes_)

    @property
    def target(self) -> str:
        """Name of the target; empty if unknown."""
        return self.schema.subject.target

    @property
    def positive(self) -> Any:
        """The positive class; None if none was named."""
        return self.schema.subject.label(self.classes_)

    @property
    def label_rule(self) -> str:
        """How labels are decided, such as by a threshold; empty if the most probable class wins."""
        return self.schema.subject.label_rule

    def about(self, target: str | None = None, positive: Any = None) -> Self:
        """Return the same model with the name of its target and the positive class.

        Texts, drawings, reports, exports and files then name them, as in ``default = yes``.

        Parameters
        ----------
        target : str, optional
            Name of the target; by default unchanged.
        positive : label, optional
            The positive class; by default unchanged.

        Returns
        -------
        model
            A copy that predicts the same, or the model itself if that has these names.

        Raises
        ------
        ParameterError
            If there is no such class.

        Examples
        --------
        >>> from sightline.show._example import credit_tree
        >>> credit_tree().about("credit", positive="bad")
        Tree(4 leaves, depth 2, 3 features, predicts credit = bad)
        """
        schema = with_subject(self.schema, self.classes_, target, positive)
        if schema.subject == self.schema.subject:
            return self
        named = copy.copy(self)
        named.schema = schema
        return named

    def of_weighted_rows(self) -> Self:
        """Return the same model, with sums of weights where it had numbers of training rows."""
        weighted = copy.copy(self)
        weighted.schema = replace(self.schema, subject=replace(self.schema.subject, is_weighted=True))
        return weighted


def with_subject(
    schema: Schema, classes: NDArray[Any] | None, target: str | None = None, positive: Any = None
) -> Schema:
    """Return the schema of a model with the name of its target, the positive class, or both.

    Parameters
    ----------
    schema : Schema
        The columns of the model.
    classes : ndarray or None
        Its classes.
    target : str, optional
        Name of the target; by default unchanged.
    positive : label, optional
        The positive class; by default unchanged.

    Raises
    ------
    ParameterError
        If there is no such class.
    """
    old = schema.subject
    index = old.positive if positive is None else positive_index(classes, positive)
    name = old.target if target is None else target
    return replace(schema, subject=replace(old, target=name, positive=index))


def positive_index(classes: Any, positive: Any) -> int:
    """Return the index of the class that a caller named as positive.

    Raises
    ------
    ParameterError
        If there is no such class, as in a model of numbers, whose classes are None.

    Examples
    --------
    >>> positive_index(["no", "yes"], "yes")
    1
    """
    known: list[Any] = [] if classes is None else np.asarray(classes).tolist()
    wanted = positive.item() if isinstance(positive, np.generic) else positive
    if np.ndim(wanted) or wanted not in known:
        listed = list_names([repr(one) for one in known], _MAX_CLASSES) if known else "numbers"
        raise ParameterError(f"positive names {positive!r}, but the model predicts {listed}.")
    return known.index(wanted)


def with_labels_only(schema: Schema) -> Schema:
    """Return the schema of a model whose probabilities are 0 and 1, and say nothing."""
    return replace(schema, subject=replace(schema.subject, has_labels_only=True))


def write_schema(schema: Schema, classes: NDArray[Any] | None) -> Document:
    """Return the columns of a model, and what it predicts, where that has a name."""
    subject = schema.subject
    return {
        "features": schema.to_json(),
        **({"target": subject.target} if subject.target else {}),
        **({} if subject.positive is None or classes is None else {"positive": subject.positive}),
        **({"label_rule": subject.label_rule} if subject.label_rule else {}),
        **({"weighted_rows": True} if subject.is_weighted else {}),
        **({"labels_only": True} if subject.has_labels_only else {}),
        **({"counts_ensemble": True} if subject.counts_ensemble else {}),
    }


def read_schema(document: Document, classes: NDArray[Any] | None) -> Schema:
    """Build the schema that :func:`write_schema` wrote; files of version 0.1 name no target."""
    schema = Schema.from_json(get(document, "features", dict))
    target = get(document, "target", str) if "target" in document else ""
    positive = get(document, "positive", int) if "positive" in document else None
    if positive is not None and (classes is None or not 0 <= positive < len(classes)):
        raise ModelFormatError(f"'positive' is {positive}, which is not the number of a class")
    label_rule = get(document, "label_rule", str) if "label_rule" in document else ""
    flags = (
        name in document and get(document, name, bool)
        for name in ("weighted_rows", "labels_only", "counts_ensemble")
    )
    return replace(schema, subject=Subject(target, positive, label_rule, *flags))
