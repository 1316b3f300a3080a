"""Program code: templates filled with lists of literals."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sightline.export._node_table import NodeTable
from sightline.export._plain_nodes import (
    Missing,
    PlainNodes,
    other_codes,
    plain_label,
    refuse_missing_option,
    refused_features,
)
from sightline.export._rule_table import NO_VOTE, TIE, RuleTable
from sightline.model import ANY_NUMBER, NodeModel, RuleSet
from sightline.table import Schema

if TYPE_CHECKING:
    from jinja2 import Environment

_PER_LINE = 12


class Language(ABC):
    """How a language writes values. Its templates hold the loops over them.

    Attributes
    ----------
    suffix : str
        Ending of its templates, as in ``nodes.py.jinja``.
    brackets : tuple of str
        What encloses a list.
    """

    suffix: ClassVar[str]
    brackets: ClassVar[tuple[str, str]] = ("[", "]")

    @abstractmethod
    def literal(self, value: Any) -> str:
        """Write a string, number, boolean, or list of them so that it reads back unchanged."""

    @abstractmethod
    def categories(self, schema: Schema) -> dict[str, str]:
        """Write the declared values of nominal features, under the names of the template."""

    def program(self, model: NodeModel | RuleSet, missing: Missing | None, **more: str) -> str:
        """Write a model as a program; ``more`` goes to the template."""
        if isinstance(model, RuleSet):
            refuse_missing_option(missing)
            return self._rules(model, **more)
        return self._nodes(model, missing, **more)

    def _nodes(self, model: NodeModel, missing: Missing | None, **more: str) -> str:
        nodes = PlainNodes.of(model, missing)
        table = NodeTable.of(nodes)
        return self._rendered(
            "nodes",
            nodes.schema,
            nodes.used,
            nodes.classes_,
            noun=type(model).__name__.lower(),
            n_leaves=model.n_leaves,
            n_nodes=nodes.n_nodes,
            n_outputs=nodes.output.shape[1],
            mixes=nodes.shares_out,
            tie_tolerance=self.literal(nodes.tie_tolerance),
            test=self.array(nodes.test),
            feature=self.array(nodes.feature),
            threshold=self.array(nodes.threshold),
            first=self.array(table.first),
            missing=self.array(nodes.missing),
            child=self.array(nodes.child),
            share=self.array(nodes.share),
            n_branches=self.array(np.diff(nodes.begin)),
            code_begin=self.array(nodes.category_begin),
            code=self.array(nodes.category),
            output=self.array(table.outputs),
            own_labels={name: self.array(values) for name, values in table.own_labels.items()},
            lines={name: self.array(values) for name, values in table.line_arrays.items()},
            **more,
        )

    def _rules(self, model: RuleSet, **more: str) -> str:
        table = RuleTable.of(model)
        core, voting = table.rules.core, table.rules.voting
        return self._rendered(
            "rules",
            table.schema,
            table.used,
            table.classes_,
            n_rules=model.n_rules,
            n_votes=core.n_rules,
            n_sums=table.n_sums,
            feature=self.array(core.feature),
            low=self.array(core.low),
            high=self.array(core.high),
            accepts_missing=self.array(np.asarray(core.accepts_missing, dtype=np.int8)),
            code_begin=self.array(core.category_begin),
            code=self.array(core.category),
            begin=self.array(core.condition_begin),
            condition=self.array(core.condition),
            label=self.array(core.label),
            weight=self.array(core.weight),
            needed=self.array(table.needed),
            fallback_needed=self.array(table.fallback_needed),
            base=self.array(np.array(voting.base)),
            prior=self.array(np.array(voting.prior)),
            factor=self.literal(float(voting.wr)),
            no_vote=self.literal(NO_VOTE),
            tie=self.literal(TIE),
            largest=self.literal(ANY_NUMBER),
            **more,
        )

    def _rendered(
        self, template: str, schema: Schema, used: list[int], classes: list[Any] | None, **values: Any
    ) -> str:
        """Fill a template. Values are never parsed as templates."""
        refused = refused_features(schema, used)
        return (
            _environment()
            .get_template(f"{template}.{self.suffix}.jinja")
            .render(
                values,
                features=self.array(schema.names),
                classes=None if classes is None else self.array(classes),
                others=self.others(schema),
                refused=self.array(np.array(refused, dtype=np.int64)),
                n_refused=len(refused),
                instants=instant_notes(schema, used),
                target=self.literal(schema.subject.target) if schema.subject.target else "",
                positive=None if classes is None else schema.subject.positive,
                **self.categories(schema),
            )
        )

    def others(self, schema: Schema) -> str:
        """Write the codes of values that are not listed, by feature; an empty string if there are none."""
        codes = other_codes(schema)
        return str(codes) if codes else ""

    def array(self, values: Any) -> str:
        """Write the entries of an array, without brackets."""
        if isinstance(values, np.ndarray) and values.dtype.kind in "iu":
            return wrapped(list(map(str, values.tolist())))
        if isinstance(values, np.ndarray) and values.dtype.kind == "f" and np.isfinite(values).all():
            return wrapped(self._numbers(values))
        return wrapped(
            [self.literal(value) for value in (values.tolist() if hasattr(values, "tolist") else values)]
        )

    def finite(self, numbers: list[float]) -> list[str]:
        """Write finite numbers. Large models consist mostly of these, so this is fast."""
        return list(map(repr, numbers))

    def _numbers(self, values: NDArray[np.float64]) -> list[str]:
        """Write finite numbers, or rows of them."""
        literals = self.finite(values.ravel().tolist())
        if values.ndim == 1:
            return literals
        begin, end = self.brackets
        width = values.shape[1]
        return [f"{begin}{', '.join(literals[k : k + width])}{end}" for k in range(0, len(literals), width)]


_PLAIN_NAME = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_ .-]*[A-Za-z0-9_])?")
"""Names that may stand in a comment of any language."""

_MEANINGS = {
    "date": "a number of days since 1970-01-01",
    "datetime": "a number of seconds since 1970-01-01 00:00, in the data's local time",
    "datetime UTC": "a number of seconds since 1970-01-01 00:00 UTC",
    "duration": "a number of seconds",
}


def instant_notes(schema: Schema, used: Sequence[int]) -> list[str]:
    """Say which features are dates.

    A name that could end a comment, or is not ASCII, is left out.

    Examples
    --------
    >>> from sightline.table import Feature
    >>> instant_notes(Schema((Feature("age"), Feature("opened", kind="date"))), [0, 1])
    ["Feature 'opened' (index 1) is a number of days since 1970-01-01."]
    >>> instant_notes(Schema((Feature("*/", kind="duration"),)), [0])
    ['The feature at index 0 is a number of seconds.']
    """
    kinds = [(index, schema.features[index]) for index in used if schema.features[index].kind]
    return [f"{_in_comment(feature.name, index)} is {_MEANINGS[feature.kind]}." for index, feature in kinds]


def _in_comment(name: str, index: int) -> str:
    is_plain = _PLAIN_NAME.fullmatch(name) is not None
    return f"Feature '{name}' (index {index})" if is_plain else f"The feature at index {index}"


def wrapped(items: Sequence[str]) -> str:
    """Join literals with commas, a few per line.

    Examples
    --------
    >>> wrapped(["1", "2"])
    '    1, 2,'
    """
    lines = (", ".join(items[begin : begin + _PER_LINE]) for begin in range(0, len(items), _PER_LINE))
    return "\n".join(f"    {line}," for line in lines)


def plain_categories(schema: Schema) -> dict[int, list[Any]]:
    """Return the declared values of nominal features, by feature index."""
    return {
        index: [plain_label(value) for value in feature.categories]
        for index, feature in enumerate(schema.features)
        if feature.categories is not None
    }


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415 - only exports need it

    # No escaping here: every value is already a literal of the target language.
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
