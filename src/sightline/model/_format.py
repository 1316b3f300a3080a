"""The file format: one versioned, strict JSON for every noun.

A document is an object with ``format``, ``version``, ``kind`` and what the kind needs.
Node arrays are stored flat, as in :class:`sightline._core.Tree`, so that depth costs no
nesting. Doubles are written as Python's ``repr``: they round-trip, and writing what was
read gives the same bytes.

To change the format: raise ``VERSION``, teach the reader of the changed kind both forms
(it is handed the document's version), store a file of the old version under
``tests/data`` and read it in ``tests/model/test_format.py``. A key that may be absent, such as
``proof`` and ``counted`` of trees and graphs, needs no new version: readers pass over keys that
they do not know.
To add a noun: give it an entry in ``_WRITERS`` and ``_READERS``, or, in a file of its own,
:func:`register_kind`.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.exceptions import DataError, ModelFormatError, ParameterError, SightlineError
from sightline.files import atomic_write
from sightline.model._ensemble import Ensemble, Link, combined
from sightline.model._graph import Graph
from sightline.model._nodes import LabelSource, NodeModel
from sightline.model._proof import Proof
from sightline.model._rule_set import RuleSet, RuleStatistics, Voting
from sightline.model._tree import Tree
from sightline.table import Schema

FORMAT = "sightline"
VERSION = 1

Document = dict[str, Any]
_Core = TypeVar("_Core", _core.Tree, _core.Graph)

_DEFAULT_SOURCE: LabelSource = "learnt"

_SURROGATE = re.compile("[\ud800-\udfff]")

_NODE_ARRAYS: dict[str, type] = {
    "test": np.uint8,
    "feature": np.int32,
    "threshold": np.float64,
    "branch_begin": np.int64,
    "child": np.int32,
    "share": np.float64,
    "category_begin": np.int64,
    "category": np.int32,
    "weight": np.float64,
    "output": np.float64,
    "counts": np.float64,
}


def write_model(model: Any, path: str | Path | None = None) -> str:
    """Return the JSON text of a model, and write it to a file if a path is given."""
    document = {"format": FORMAT, "version": VERSION, **write_document(model)}
    text = json.dumps(document, allow_nan=False, ensure_ascii=False, separators=(",", ":")) + "\n"
    # Half a surrogate pair has no UTF-8 form, but JSON can name it.
    text = _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)
    if path is not None:
        _write_file(path, text)
    return text


def write_document(model: Any) -> Document:
    """Return what is stored of a model: its kind and what the kind needs."""
    for kind, (noun, write) in _WRITERS.items():
        if isinstance(model, noun):
            return {"kind": kind, **write(model)}
    raise TypeError(f"There is no stored form of a {type(model).__name__}.")


def _write_file(path: str | Path, text: str) -> None:
    try:
        atomic_write(path, text)
    except OSError as error:
        raise SightlineError(f"{path}: cannot be written ({error.strerror}).") from error


def read_model(path: str | Path) -> Any:
    """Read a model that ``to_json`` wrote.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    Tree, Graph, Ensemble or RuleSet
        What was stored.

    Raises
    ------
    ModelFormatError
        If the file is not one of sightline's, is damaged, or is of a newer version. The
        message names the file and the place.

    Examples
    --------
    >>> import tempfile
    >>> import sightline as sl
    >>> tree = sl.C45Classifier().fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]).tree_
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = tree.to_json(f"{folder}/tree.json")
    ...     again = sl.read_model(f"{folder}/tree.json")
    >>> again.predict([[1.5], [3.5]])
    array([0, 1])
    """
    if str(path).lstrip().startswith("{"):
        raise ModelFormatError(
            "read_model takes the path of a file. Got the JSON itself: write it to a file."
        )
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise ModelFormatError(f"{path}: cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise ModelFormatError(
            f"{path}: is not UTF-8 text (byte {error.start}), so no sightline model."
        ) from error
    return parse_model(text, str(path))


def parse_model(text: str, where: str) -> Any:
    """Build the model that a JSON text describes; `where` names the text in errors."""
    try:
        document = _parse_json(text)
        _check_header(document)
        return read_document(document)
    except ModelFormatError as error:
        raise ModelFormatError(f"{where}: {str(error).removesuffix('.')}.") from error
    except MemoryError as error:
        raise ModelFormatError(f"{where}: is too large for the memory of this machine.") from error


def read_document(document: Document) -> Any:
    """Build the model of the kind that a document names."""
    kind = get(document, "kind", str)
    if kind not in _READERS:
        raise ModelFormatError(f"there is no kind of model {kind!r}; known are {sorted(_READERS)}")
    return _READERS[kind](document)


def _parse_json(text: str) -> Document:
    try:
        document = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique_keys)
    except ModelFormatError:
        raise
    except RecursionError as error:
        raise ModelFormatError("the JSON is nested too deeply") from error
    except ValueError as error:
        raise ModelFormatError(f"is not valid JSON ({error})") from error
    if not isinstance(document, dict):
        raise ModelFormatError("a model is a JSON object")
    return document


def _refuse_constant(name: str) -> None:
    raise ModelFormatError(f"is not valid JSON ({name} is not a number)")


def _unique_keys(pairs: list[tuple[str, Any]]) -> Document:
    result = dict(pairs)
    if len(result) < len(pairs):
        twice = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise ModelFormatError(f"the key {twice!r} stands twice in one object")
    return result


def _check_header(document: Document) -> None:
    if document.get("format") != FORMAT:
        raise ModelFormatError(f"is not a sightline model (its 'format' is not {FORMAT!r})")
    version = get(document, "version", int)
    if not 1 <= version <= VERSION:
        raise ModelFormatError(
            f"has version {version}; this sightline reads up to {VERSION}, please update it"
        )


def get(document: Document, key: str, *types: type) -> Any:
    if key not in document:
        raise ModelFormatError(f"{key!r} is missing")
    value = document[key]
    if type(value) not in types:
        names = " or ".join(t.__name__ for t in types)
        raise ModelFormatError(f"{key!r} must be {names}, not {type(value).__name__}")
    return value


def get_number(document: Document, key: str, least: float = -math.inf) -> float:
    try:
        number = float(get(document, key, float, int))
    except OverflowError as error:
        raise ModelFormatError(f"{key!r} is too large") from error
    if not math.isfinite(number):
        raise ModelFormatError(f"{key!r} is too large")
    if number < least:
        raise ModelFormatError(f"{key!r} must be at least {least:g}")
    return number


def get_count(document: Document, key: str) -> int:
    count: int = get(document, key, int)
    if not 1 <= count < 2**31:
        raise ModelFormatError(f"{key!r} must be at least 1 and less than 2147483648")
    return count


def get_array(document: Document, key: str, dtype: type) -> NDArray[Any]:
    values = get(document, key, list)
    allowed = {int} if np.issubdtype(dtype, np.integer) else {int, float}
    if not set(map(type, values)) <= allowed:
        raise ModelFormatError(f"{key!r} must hold {'integers' if allowed == {int} else 'numbers'} only")
    try:
        array: NDArray[Any] = np.array(values, dtype=dtype)
    except OverflowError as error:
        raise ModelFormatError(f"{key!r} holds a number that is too large") from error
    if not np.isfinite(array).all():
        raise ModelFormatError(f"{key!r} holds a number that is too large")
    return array


# Types of JSON values that labels of each kind of numpy type are stored as.
_LABEL_TYPES: dict[str, set[type]] = {
    "b": {bool},
    "i": {int},
    "u": {int},
    "f": {float},
    "U": {str},
    "T": {str},
    "S": {str},
    "M": {int},
    "m": {int},
    "O": {str, int, float, bool},
}
_LABEL_DTYPE = re.compile(r"[<>|][biufSUMmO]\d{0,9}(\[\d{0,3}[A-Za-z]{1,2}\])?")
_MAX_LABEL_BYTES = 2**28


def write_classes(classes: NDArray[Any] | None) -> Any:
    if classes is None:
        return None
    kind, values = classes.dtype.kind, _label_values(classes)
    for value in values:
        if type(value) not in _LABEL_TYPES.get(kind, ()):
            raise DataError(
                f"Labels such as {value!r} of type {type(value).__name__} cannot be stored; use texts, "
                "numbers, truth values, or numpy's bytes and dates."
            )
    return {"dtype": "T" if kind == "T" else classes.dtype.str, "values": values}


def _label_values(classes: NDArray[Any]) -> list[Any]:
    """Return labels as values that JSON can hold."""
    if classes.dtype.kind in "Mm":
        classes = classes.astype(np.int64)
    if classes.dtype.kind == "S":
        return [value.decode("latin-1") for value in classes.tolist()]
    return list(classes.tolist())


def read_classes(document: Document) -> NDArray[Any] | None:
    stored = get(document, "classes", dict, type(None))
    if stored is None:
        return None
    name, values = get(stored, "dtype", str), get(stored, "values", list)
    dtype = _label_dtype(name)
    if dtype.itemsize * len(values) > _MAX_LABEL_BYTES:
        raise ModelFormatError(f"'classes' of type {name!r} are too large")
    if not set(map(type, values)) <= _LABEL_TYPES[dtype.kind]:
        raise ModelFormatError(f"'classes' do not fit their type {name!r}")
    try:
        plain = [value.encode("latin-1") for value in values] if dtype.kind == "S" else values
        with np.errstate(all="ignore"):
            classes = np.array(plain, dtype=np.int64 if dtype.kind in "Mm" else dtype).astype(
                dtype, copy=False
            )
    except (TypeError, ValueError, OverflowError) as error:
        raise ModelFormatError(f"'classes' do not fit their type {name!r}") from error
    if (
        classes.dtype != dtype
        or _label_values(classes) != values
        or any(value in (math.inf, -math.inf) for value in values)
    ):
        raise ModelFormatError(f"'classes' do not fit their type {name!r}")
    if len(set(values)) < len(values):
        raise ModelFormatError("'classes' must be different labels")
    return classes


def _label_dtype(name: str) -> Any:
    if name == "T":
        return np.dtypes.StringDType()
    try:
        if _LABEL_DTYPE.fullmatch(name):
            return np.dtype(name)
    except (TypeError, ValueError):
        pass
    raise ModelFormatError(f"there are no labels of type {name!r}")


def _write_nodes(core: _core.DecisionNodes) -> Document:
    arrays = {name: getattr(core, name).ravel().tolist() for name in _NODE_ARRAYS}
    return {"n_outputs": core.n_outputs, **arrays}


def _read_nodes(stored: Document, schema: Schema, build: type[_Core]) -> _Core:
    n_outputs = get_count(stored, "n_outputs")
    arrays = {name: get_array(stored, name, dtype) for name, dtype in _NODE_ARRAYS.items()}
    try:
        return build(n_values=schema.n_values, n_outputs=n_outputs, **arrays)
    except ValueError as error:
        raise ModelFormatError(str(error)) from error


def _write_node_model(model: NodeModel) -> Document:
    return {
        "features": model.schema.to_json(),
        "classes": write_classes(model.classes_),
        "tie_tolerance": model.tie_tolerance,
        type(model).__name__.lower(): _write_nodes(model.core),
        **({} if model.label_source == _DEFAULT_SOURCE else {"counted": model.label_source}),
        **({} if model.proof is None else {"proof": _write_proof(model.proof)}),
    }


def _write_proof(proof: Proof) -> Document:
    return {
        "is_proved": proof.is_proved.astype(int).tolist(),
        "complete": proof.complete,
        "missing": list(proof.missing),
        "n_boxes": proof.n_boxes,
        "share": proof.share,
    }


def _read_proof(document: Document, schema: Schema, n_nodes: int) -> Proof | None:
    if "proof" not in document:
        return None
    stored = get(document, "proof", dict)
    is_proved = get_array(stored, "is_proved", np.int64)
    if len(is_proved) != n_nodes or not np.isin(is_proved, (0, 1)).all():
        raise ModelFormatError(f"'is_proved' needs a 0 or 1 for each of the {n_nodes} nodes")
    missing = get(stored, "missing", list)
    if not all(isinstance(name, str) and name in schema.names for name in missing):
        raise ModelFormatError("'missing' must name features")
    share = None if get(stored, "share", float, int, type(None)) is None else get_number(stored, "share", 0)
    return Proof(
        is_proved.astype(bool),
        get(stored, "complete", bool),
        tuple(missing),
        int(get_number(stored, "n_boxes", least=0)),
        share,
    )


def _read_tree(document: Document) -> Tree:
    core, rest = _read_node_model(document, "tree", _core.Tree)
    return Tree(core, *rest)


def _read_graph(document: Document) -> Graph:
    core, rest = _read_node_model(document, "graph", _core.Graph)
    return Graph(core, *rest)


def _read_node_model(
    document: Document, key: str, build: type[_Core]
) -> tuple[_Core, tuple[Schema, NDArray[Any] | None, float, Proof | None, Any]]:
    schema = Schema.from_json(get(document, "features", dict))
    classes = read_classes(document)
    core = _read_nodes(get(document, key, dict), schema, build)
    if classes is not None and core.n_outputs != len(classes):
        raise ModelFormatError(f"there are {len(classes)} classes, but nodes have {core.n_outputs} outputs")
    label_source = get(document, "counted", str) if "counted" in document else _DEFAULT_SOURCE
    if label_source not in get_args(LabelSource):
        raise ModelFormatError(
            f"'counted' must be one of {list(get_args(LabelSource))}, not {label_source!r}"
        )
    proof = _read_proof(document, schema, core.n_nodes)
    return core, (schema, classes, get_number(document, "tie_tolerance", least=0), proof, label_source)


def _write_ensemble(ensemble: Ensemble) -> Document:
    core, link = ensemble.core, ensemble.link
    return {
        "features": ensemble.schema.to_json(),
        "classes": write_classes(ensemble.classes_),
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
        "n_trees": ensemble.n_trees,
        "trees": [_write_nodes(tree) for tree in core.trees],
    }


def _read_ensemble(document: Document) -> Ensemble:
    schema = Schema.from_json(get(document, "features", dict))
    stored = get(document, "trees", list)
    declared = get(document, "n_trees", int)
    if declared != len(stored):
        raise ModelFormatError(f"{declared} trees are declared, {len(stored)} are there")
    trees = []
    for number, nodes in enumerate(stored):
        if not isinstance(nodes, dict):
            raise ModelFormatError(f"tree {number}: must be an object")
        try:
            trees.append(_read_nodes(nodes, schema, _core.Tree))
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


_RULE_ARRAYS: dict[str, type] = {
    "feature": np.int32,
    "accepts_missing": np.uint8,
    "category_begin": np.int64,
    "category": np.int32,
    "condition_begin": np.int64,
    "condition": np.int32,
    "label": np.int32,
    "weight": np.float64,
    "source_begin": np.int64,
    "source": np.int32,
}
# What null stands for where a number may be infinite or unknown, which JSON cannot write.
_RULE_NULLS: dict[str, float] = {"low": -math.inf, "high": math.inf}
_STATISTICS = ("coverage", "precision", "oob_coverage", "oob_precision")


def _write_rule_set(rules: RuleSet) -> Document:
    core, voting = rules.core, rules.voting
    return {
        "features": rules.schema.to_json(),
        "classes": write_classes(rules.classes_),
        "voting": {
            "pc": float(voting.pc),
            "wr": float(voting.wr),
            "fallback": None if voting.fallback is None else float(voting.fallback),
            "base": list(voting.base),
            "prior": list(voting.prior),
        },
        "n_trees": core.n_trees,
        **{name: _with_nulls(getattr(core, name)) for name in _RULE_NULLS},
        **{name: getattr(core, name).tolist() for name in _RULE_ARRAYS},
        **{name: _with_nulls(getattr(rules.statistics, name)) for name in _STATISTICS},
    }


def _with_nulls(numbers: NDArray[np.float64]) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in numbers.tolist()]


def _get_array_with_nulls(document: Document, key: str, null: float) -> NDArray[np.float64]:
    values = get(document, key, list)
    known = [value for value in values if value is not None]
    array = np.full(len(values), null)
    array[[value is not None for value in values]] = get_array({key: known}, key, np.float64)
    return array


def _read_rule_set(document: Document) -> RuleSet:
    schema = Schema.from_json(get(document, "features", dict))
    classes = read_classes(document)
    if classes is None or not len(classes):
        raise ModelFormatError("a rule set needs classes")
    arrays = {name: get_array(document, name, dtype) for name, dtype in _RULE_ARRAYS.items()}
    arrays |= {name: _get_array_with_nulls(document, name, null) for name, null in _RULE_NULLS.items()}
    n_trees = get(document, "n_trees", int)
    if not 0 <= n_trees < 2**31:
        raise ModelFormatError("'n_trees' must be at least 0 and less than 2147483648")
    try:
        core = _core.RuleSet(n_values=schema.n_values, n_classes=len(classes), n_trees=n_trees, **arrays)
    except ValueError as error:
        raise ModelFormatError(str(error)) from error
    statistics = [_get_array_with_nulls(document, name, math.nan) for name in _STATISTICS]
    if any(len(array) != core.n_rules for array in statistics):
        raise ModelFormatError(f"there are {core.n_rules} rules, but not as many statistics")
    voting = _read_voting(get(document, "voting", dict), len(classes))
    return RuleSet(core, schema, classes, voting, RuleStatistics(*statistics))


def _read_voting(stored: Document, n_classes: int) -> Voting:
    base, prior = (tuple(get_array(stored, name, np.float64).tolist()) for name in ("base", "prior"))
    if len(base) != n_classes or len(prior) != n_classes or min(prior) < 0:
        raise ModelFormatError("'base' and 'prior' need one number per class, 'prior' none below 0")
    fallback = get(stored, "fallback", float, int, type(None))
    try:
        return Voting(
            prior,
            base,
            get_number(stored, "pc"),
            get_number(stored, "wr"),
            None if fallback is None else get_number(stored, "fallback"),
        )
    except ParameterError as error:
        raise ModelFormatError(str(error).rstrip(".")) from error


_WRITERS: dict[str, tuple[type, Callable[[Any], Document]]] = {
    "tree": (Tree, _write_node_model),
    "graph": (Graph, _write_node_model),
    "ensemble": (Ensemble, _write_ensemble),
    "rule_set": (RuleSet, _write_rule_set),
}
_READERS: dict[str, Callable[[Document], Any]] = {
    "tree": _read_tree,
    "graph": _read_graph,
    "ensemble": _read_ensemble,
    "rule_set": _read_rule_set,
}


def register_kind(
    kind: str, noun: type, write: Callable[[Any], Document], read: Callable[[Document], Any]
) -> None:
    """Make a noun known whose stored form is described in another file."""
    _WRITERS[kind] = (noun, write)
    _READERS[kind] = read
