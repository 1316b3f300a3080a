"""The stored form of ensembles of trees."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.exceptions import ModelFormatError
from sightline.model._document import Document, get, get_array, get_count, get_number
from sightline.model._ensemble import Ensemble, combined
from sightline.model._format import KindFormat, stores
from sightline.model._formula import Formula, Step, write_formula
from sightline.model._label_format import read_classes, write_classes
from sightline.model._link import Link, LinkKind, Ties
from sightline.model._node_format import read_nodes, write_nodes
from sightline.model._subject import read_schema, write_schema
from sightline.wording import pluralize


@stores(Ensemble)
class EnsembleFormat(KindFormat):
    """An ensemble of trees."""

    kind = "ensemble"

    @staticmethod
    def write(model: Ensemble) -> Document:
        """Return the trees and how they combine."""
        core, link = model.core, model.link
        return {
            **write_schema(model.schema, model.classes_),
            "classes": write_classes(model.classes_),
            "link": {
                "kind": link.kind,
                "divide_by": list(link.divide_by),
                "label_above": link.label_above,
                "probability_divisor": link.probability_divisor,
                **({} if link.formula is None else {"formula": write_formula(link.formula)}),
                **({} if link.ties == "scores" else {"ties": link.ties}),
            },
            "n_scores": core.n_scores,
            "votes": core.votes,
            "tree_weight": core.tree_weight,
            "vote_against": core.vote_against,
            "tree_score": core.tree_score,
            "base": core.base,
            "single_precision": _one_flag(core.single_precision),
            "tie_tolerance": core.tie_tolerance,
            **({"base_last": _one_flag(core.base_last)} if any(core.base_last) else {}),
            **({} if model.deviance_power is None else {"deviance_power": model.deviance_power}),
            "n_trees": model.n_trees,
            "trees": [write_nodes(tree) for tree in core.trees],
        }

    @staticmethod
    def read(document: Document) -> Ensemble:
        """Build the ensemble."""
        classes = read_classes(document)
        schema = read_schema(document, classes)
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
                single_precision=_get_flags(document, "single_precision"),
                tie_tolerance=get_number(document, "tie_tolerance", least=0),
                base_last="base_last" in document and _get_flags(document, "base_last"),
            )
        except ModelFormatError:
            raise
        except ValueError as error:
            raise ModelFormatError(str(error)) from error
        link = _read_link(get(document, "link", dict), core.n_scores)
        _check_link(link, classes, core)
        return Ensemble(core, schema, classes, link, deviance_power=_read_power(document, classes))


def _read_power(document: Document, classes: NDArray[Any] | None) -> float | None:
    if "deviance_power" not in document:
        return None
    power = get_number(document, "deviance_power", least=1)
    if power > 2:
        raise ModelFormatError("'deviance_power' must be at most 2")
    if classes is not None:
        raise ModelFormatError("'deviance_power' is for regressions, but there are classes")
    return power


def _read_link(stored: Document, n_scores: int) -> Link:
    kind = get(stored, "kind", str)
    if kind not in get_args(LinkKind):
        raise ModelFormatError(f"there is no link {kind!r}")
    divide_by = tuple(get_array(stored, "divide_by", np.float64).tolist())
    if 0 in divide_by:
        raise ModelFormatError("'divide_by' must not be 0")
    probability_divisor = get_number(stored, "probability_divisor")
    if not probability_divisor > 0:
        raise ModelFormatError("'probability_divisor' must be positive")
    formula = _read_formula(get(stored, "formula", dict), n_scores) if "formula" in stored else None
    if formula is not None and divide_by:
        raise ModelFormatError("'divide_by' must be empty if there is a formula")
    ties: Any = get(stored, "ties", str) if "ties" in stored else "scores"
    if ties not in get_args(Ties) or (ties != "scores" and kind != "softmax"):
        raise ModelFormatError(f"the link {kind!r} cannot have the ties {ties!r}")
    label_above = get_number(stored, "label_above")
    return Link(kind, divide_by, label_above, probability_divisor, formula=formula, ties=ties)


def _check_link(link: Link, classes: NDArray[Any] | None, core: _core.Ensemble) -> None:
    n_classes = 1 if classes is None else len(classes)
    if link.formula is not None and link.formula.native.n_classes != n_classes:
        raise ModelFormatError(f"the formula does not match {pluralize(n_classes, 'class', 'classes')}")
    if link.kind == "mixture":
        if link.formula is None:
            raise ModelFormatError("the link 'mixture' needs a formula")
        return
    if (classes is None) != (link.kind in ("identity", "median")):
        raise ModelFormatError(
            f"a model {'without' if classes is None else 'with'} classes cannot have the link {link.kind!r}"
        )
    expected = 1 if classes is None or link.kind == "sigmoid" else len(classes)
    if core.n_scores != expected or (link.kind == "sigmoid" and classes is not None and len(classes) != 2):
        raise ModelFormatError(f"the link {link.kind!r} does not match {core.n_scores} scores")


def _one_flag(flags: list[bool]) -> bool | list[bool]:
    """Return one flag if it holds for all scores."""
    return flags[0] if len(set(flags)) == 1 else flags


def _get_flags(document: Document, key: str) -> bool | list[bool]:
    if type(document.get(key)) is not list:
        return bool(get(document, key, bool))
    flags: list[bool] = document[key]
    if set(map(type, flags)) != {bool}:
        raise ModelFormatError(f"{key!r} must hold only true and false")
    return flags


def _read_formula(stored: Document, n_scores: int) -> Formula:
    steps = []
    for number, step in enumerate(get(stored, "steps", list)):
        if not isinstance(step, dict):
            raise ModelFormatError(f"step {number} of the formula: must be an object")
        try:
            steps.append(_read_step(step))
        except ModelFormatError as error:
            raise ModelFormatError(f"step {number} of the formula: {error}") from error
    results = [get(stored, key, int) for key in ("probabilities", "label")]
    if "decision" in stored:
        results.append(get(stored, "decision", int))
    if not all(0 <= result < len(steps) for result in results):
        raise ModelFormatError("the formula has no such step for its result")
    formula = Formula(tuple(steps), n_scores, *results)
    try:
        formula.native  # noqa: B018 - checks the steps
    except ValueError as error:
        raise ModelFormatError(str(error)) from error
    return formula


def _read_step(stored: Document) -> Step:
    return Step(
        get(stored, "op", str),
        tuple(get_array(stored, "of", np.int32).tolist()) if "of" in stored else (),
        tuple(get_array(stored, "numbers", np.float64).tolist()) if "numbers" in stored else (),
        tuple(get_array(stored, "columns", np.int32).tolist()) if "columns" in stored else (),
        "single" in stored and get(stored, "single", bool),
    )
