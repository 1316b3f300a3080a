"""The stored form of ensembles of trees."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.exceptions import ModelFormatError
from sightline.model._document import Document, get, get_array, get_count, get_number
from sightline.model._ensemble import Ensemble, Link, combined
from sightline.model._format import KindFormat, stores
from sightline.model._label_format import read_classes, write_classes
from sightline.model._node_format import read_nodes, write_nodes
from sightline.table import Schema


@stores(Ensemble)
class EnsembleFormat(KindFormat):
    """An ensemble of trees."""

    kind = "ensemble"

    @staticmethod
    def write(model: Ensemble) -> Document:
        """Return the trees and how they combine."""
        core, link = model.core, model.link
        return {
            "features": model.schema.to_json(),
            "classes": write_classes(model.classes_),
            "link": {
                "kind": link.kind,
                "divide_by": list(link.divide_by),
                "label_above": link.label_above,
                "probability_divisor": link.probability_divisor,
            },
            "n_scores": core.n_scores,
            "votes": core.votes,
            "tree_weight": core.tree_weight,
            "vote_against": core.vote_against,
            "tree_score": core.tree_score,
            "base": core.base,
            "single_precision": core.single_precision,
            "tie_tolerance": core.tie_tolerance,
            **({"base_last": True} if core.base_last else {}),
            "n_trees": model.n_trees,
            "trees": [write_nodes(tree) for tree in core.trees],
        }

    @staticmethod
    def read(document: Document) -> Ensemble:
        """Build the ensemble."""
        schema = Schema.from_json(get(document, "features", dict))
        stored = get(document, "trees", list)
        declared = get(document, "n_trees", int)
        if declared != len(stored):
            raise ModelFormatError(f"{declared} trees are declared, but {len(stored)} are stored")
        trees = []
        for number, nodes in enumerate(stored):
            if not isinstance(nodes, dict):
                raise ModelFormatError(f"tree {number}: must be an object")
            try:
                trees.append(read_nodes(nodes, schema, _core.Tree))
            except ModelFormatError as error:
                raise ModelFormatError(f"tree {number}: {error}") from error
        try:
            core = combined(
                trees,
                n_scores=get_count(document, "n_scores"),
                votes=get(document, "votes", bool),
                tree_weight=get_array(document, "tree_weight", np.float64).tolist(),
                vote_against=get_array(document, "vote_against", np.float64).tolist(),
                tree_score=get_array(document, "tree_score", np.int32).tolist(),
                base=get_array(document, "base", np.float64).tolist(),
                single_precision=get(document, "single_precision", bool),
                tie_tolerance=get_number(document, "tie_tolerance", least=0),
                base_last="base_last" in document and get(document, "base_last", bool),
            )
        except ModelFormatError:
            raise
        except ValueError as error:
            raise ModelFormatError(str(error)) from error
        classes, link = read_classes(document), _read_link(get(document, "link", dict))
        _check_link(link, classes, core)
        return Ensemble(core, schema, classes, link)


def _read_link(stored: Document) -> Link:
    kind = get(stored, "kind", str)
    if kind not in ("mean", "sigmoid", "softmax", "identity", "median"):
        raise ModelFormatError(f"there is no link {kind!r}")
    divide_by = tuple(get_array(stored, "divide_by", np.float64).tolist())
    if 0 in divide_by:
        raise ModelFormatError("'divide_by' must not be 0")
    probability_divisor = get_number(stored, "probability_divisor")
    if not probability_divisor > 0:
        raise ModelFormatError("'probability_divisor' must be positive")
    return Link(kind, divide_by, get_number(stored, "label_above"), probability_divisor)


def _check_link(link: Link, classes: NDArray[Any] | None, core: _core.Ensemble) -> None:
    if (classes is None) != (link.kind in ("identity", "median")):
        raise ModelFormatError(
            f"a model {'without' if classes is None else 'with'} classes cannot have the link {link.kind!r}"
        )
    expected = 1 if classes is None or link.kind == "sigmoid" else len(classes)
    if core.n_scores != expected or (link.kind == "sigmoid" and classes is not None and len(classes) != 2):
        raise ModelFormatError(f"the link {link.kind!r} does not fit {core.n_scores} scores")
