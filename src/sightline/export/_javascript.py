"""One JavaScript function that needs no library; the report's page predicts with the same code."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.export._code import Language, plain_categories
from sightline.export._node_table import NodeTable
from sightline.export._plain_nodes import SHARED, Missing, PlainNodes, plain_label
from sightline.export._registry import target
from sightline.export._rule_table import NO_VOTE, TIE, RuleTable
from sightline.model import ANY_NUMBER, LEAF, MULTIWAY, SUBSET, THRESHOLD, NodeModel, RuleSet, finite_or_none
from sightline.table import Schema

_LARGEST_SAFE_INTEGER = 2**53


@cache
def predictor_source(name: str) -> str:
    """Return the JavaScript that predicts with a model of :func:`predictor_data`.

    Parameters
    ----------
    name : {"nodes", "rules", "values"}
        Trees and graphs, rule sets, or the reading of rows of names and values.

    Returns
    -------
    str
        Plain functions over a plain object.
    """
    return (Path(__file__).parent / "predictor" / f"{name}.js").read_text(encoding="utf-8")


def predictor_data(model: NodeModel | RuleSet) -> dict[str, Any]:
    """Return a model as the object over which the JavaScript predictor works.

    Parameters
    ----------
    model : Tree, Graph or RuleSet
        The model.

    Returns
    -------
    dict
        Finite numbers, dicts of numbers, and arrays or lists of numbers; None is no bound.
    """
    if isinstance(model, RuleSet):
        return _rule_data(model)
    data = _node_data(model, missing=None)
    return {**data, "threshold": np.minimum(data["threshold"], ANY_NUMBER)}


def _node_data(model: NodeModel, missing: Missing | None) -> dict[str, Any]:
    nodes = PlainNodes.of(model, missing)
    table = NodeTable.of(nodes)
    shares = {"n_branches": np.diff(nodes.begin), "share": nodes.share} if nodes.shares_out else {}
    return {
        "kinds": {"leaf": LEAF, "threshold": THRESHOLD, "subset": SUBSET, "multiway": MULTIWAY},
        "split": SHARED,
        "tie_tolerance": nodes.tie_tolerance,
        "test": nodes.test,
        "feature": nodes.feature,
        "threshold": nodes.threshold,
        "first": table.first,
        "missing": nodes.missing,
        "child": nodes.child,
        **shares,
        **_shared_codes(nodes),
        "output": table.outputs,
        **table.own_labels,
        **table.line_arrays,
    }


def _shared_codes(nodes: PlainNodes) -> dict[str, NDArray[Any]]:
    """Return where the codes of each subset test are. Equal subsets are stored once.

    A graph asks the same few questions at thousands of nodes, and one about a column of 20,000
    values may name half of them.
    """
    place: dict[bytes, tuple[int, int]] = {b"": (0, 0)}
    parts: list[NDArray[np.int32]] = []
    spans = np.zeros((len(nodes.test), 2), dtype=np.int64)
    n_codes = 0
    for node in np.flatnonzero(nodes.test == SUBSET).tolist():
        codes = nodes.category[nodes.category_begin[node] : nodes.category_begin[node + 1]]
        key = codes.tobytes()
        if key not in place:
            place[key] = (n_codes, n_codes + len(codes))
            n_codes += len(codes)
            parts.append(codes)
        spans[node] = place[key]
    codes = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32)
    return {"code_begin": spans[:, 0], "code_end": spans[:, 1], "code": codes}


def _rule_data(rules: RuleSet) -> dict[str, Any]:
    table = RuleTable.of(rules)
    core, voting = table.rules.core, table.rules.voting
    features = rules.schema.features
    return {
        "tie_tolerance": TIE,
        "no_vote": NO_VOTE,
        "partial_factor": float(voting.wr),
        "is_mean": int(table.classes_ is None),
        "feature": core.feature,
        "is_nominal": np.array([features[f].is_nominal for f in core.feature.tolist()], dtype=np.int8),
        "low": _bounds(core.low),
        "high": _bounds(core.high),
        "accepts_missing": np.asarray(core.accepts_missing, dtype=np.int8),
        "code_begin": core.category_begin,
        "code": core.category,
        "begin": core.condition_begin,
        "condition": core.condition,
        "label": core.label,
        "weight": core.weight,
        "needed": table.needed,
        "fallback_needed": table.fallback_needed,
        "base": np.array(voting.base),
        "prior": np.array(voting.prior),
    }


def _bounds(values: Any) -> list[float | None]:
    return [finite_or_none(value) for value in values.tolist()]


class JavaScript(Language):
    r"""Literals in ASCII, without a character that could end a script element of a page.

    Examples
    --------
    >>> print(JavaScript().literal("</script>"), JavaScript().literal([0.1, True, None]))
    "\u003c/script>" [0.1, true, null]
    """

    suffix = "js"

    def literal(self, value: Any) -> str:
        """Write a value as JSON; integers that a double cannot hold become BigInt."""
        if isinstance(value, list):
            return f"[{', '.join(map(self.literal, value))}]"
        if value is None or isinstance(value, str | bool):
            return json.dumps(value).replace("<", "\\u003c")
        if isinstance(value, int):
            return str(value) if abs(value) <= _LARGEST_SAFE_INTEGER else f"{value}n"
        if math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        return repr(value)

    def categories(self, schema: Schema) -> dict[str, str]:
        """Write an object of maps: the keys of objects would all be strings."""
        maps = [
            f"{index}: new Map({self.literal([[value, code] for code, value in enumerate(values)])})"
            for index, values in plain_categories(schema).items()
        ]
        return {"categories": f"{{{', '.join(maps)}}}"}

    def _nodes(self, model: NodeModel, missing: Missing | None, **more: str) -> str:
        noun = type(model).__name__.lower()
        data, used = _node_data(model, missing), PlainNodes.of(model).used
        return self._program("nodes", model, used, data, noun=noun, n_leaves=model.n_leaves, **more)

    def _rules(self, model: RuleSet, **more: str) -> str:
        used = RuleTable.of(model).used
        return self._program("rules", model, used, _rule_data(model), n_rules=model.n_rules, **more)

    def _program(
        self,
        template: str,
        model: NodeModel | RuleSet,
        used: list[int],
        data: dict[str, Any],
        **values: Any,
    ) -> str:
        """Write a model and the functions that predict with it."""
        classes = (
            None if model.classes_ is None else [plain_label(label) for label in model.classes_.tolist()]
        )
        members = {name: self._member(entry) for name, entry in data.items()}
        sources = {f"{name}_source": predictor_source(name) for name in ("values", template)}
        return self._rendered(template, model.schema, used, classes, model=members, **sources, **values)

    def _member(self, entry: Any) -> str:
        if isinstance(entry, dict):
            return f"{{ {', '.join(f'{name}: {self.literal(value)}' for name, value in entry.items())} }}"
        return f"[\n{self.array(entry)}\n  ]" if hasattr(entry, "__len__") else self.literal(entry)


@target("javascript", NodeModel, RuleSet)
def to_javascript(model: NodeModel | RuleSet, *, missing: Missing | None = None) -> str:
    """Write a model as one JavaScript function without dependencies.

    Parameters
    ----------
    model : Tree, Graph or RuleSet
        The model.
    missing : {"exact", "largest"}, optional
        How rows with missing values are treated, as in :func:`to_sql`.

    Returns
    -------
    str
        JavaScript source.

    Examples
    --------
    >>> from sightline.export import to_javascript
    >>> import sightline as sl
    >>> tree = sl.C45Classifier().fit([[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"]).tree_
    >>> "function predict(row" in to_javascript(tree)
    True
    """
    return JavaScript().program(model, missing)
