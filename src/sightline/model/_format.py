"""The file format: one versioned, strict JSON for every noun.

A document is an object with ``format``, ``version``, ``kind`` and what the kind needs.
Node arrays are stored flat, as in :class:`sightline._core.Tree`, so that depth costs no
nesting. Doubles are written as Python's ``repr``: they round-trip, and writing what was
read gives the same bytes.

To change the format: raise ``VERSION``, teach the reader of the changed kind both forms
(it is handed the document's version), store a file of the old version under
``tests/data`` and read it in ``tests/model/test_format.py``.
To add a noun: give it an entry in ``_WRITERS`` and ``_READERS``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.exceptions import ModelFormatError
from sightline.files import write_whole
from sightline.model._ensemble import Ensemble, Link, combined
from sightline.model._tree import Tree
from sightline.table import Schema

FORMAT = "sightline"
VERSION = 1

Document = dict[str, Any]

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
    for kind, (noun, write) in _WRITERS.items():
        if isinstance(model, noun):
            document = {"format": FORMAT, "version": VERSION, "kind": kind, **write(model)}
            text = json.dumps(document, allow_nan=False, ensure_ascii=False, separators=(",", ":")) + "\n"
            if path is not None:
                write_whole(path, text)
            return text
    raise TypeError(f"There is no stored form of a {type(model).__name__}.")


def read_model(path: str | Path) -> Any:
    """Read a model that ``to_json`` wrote.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    Tree or Ensemble
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
        kind = _get(document, "kind", str)
        if kind not in _READERS:
            raise ModelFormatError(f"there is no kind of model {kind!r}; known are {sorted(_READERS)}")
        return _READERS[kind](document)
    except ModelFormatError as error:
        raise ModelFormatError(f"{where}: {error}.") from error
    except MemoryError as error:
        raise ModelFormatError(f"{where}: is too large for the memory of this machine.") from error


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
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ModelFormatError(f"the key {twice!r} stands twice in one object")
    return result


def _check_header(document: Document) -> None:
    if document.get("format") != FORMAT:
        raise ModelFormatError(f"is not a sightline model (its 'format' is not {FORMAT!r})")
    version = _get(document, "version", int)
    if not 1 <= version <= VERSION:
        raise ModelFormatError(
            f"has version {version}; this sightline reads up to {VERSION}, please update it"
        )


def _get(document: Document, key: str, *types: type) -> Any:
    if key not in document:
        raise ModelFormatError(f"{key!r} is missing")
    value = document[key]
    if type(value) not in types:
        names = " or ".join(t.__name__ for t in types)
        raise ModelFormatError(f"{key!r} must be {names}, not {type(value).__name__}")
    return value


def _get_array(document: Document, key: str, dtype: type) -> NDArray[Any]:
    values = _get(document, key, list)
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


def _write_classes(classes: NDArray[Any] | None) -> Any:
    if classes is None:
        return None
    if classes.dtype.kind == "M":
        return {"dtype": classes.dtype.str, "values": classes.astype("int64").tolist()}
    if classes.dtype.kind == "S":
        return {"dtype": classes.dtype.str, "values": [value.decode("latin-1") for value in classes.tolist()]}
    return {"dtype": classes.dtype.str, "values": classes.tolist()}


def _read_classes(document: Document) -> NDArray[Any] | None:
    stored = _get(document, "classes", dict, type(None))
    if stored is None:
        return None
    name, values = _get(stored, "dtype", str), _get(stored, "values", list)
    if not set(map(type, values)) <= {str, int, float, bool}:
        raise ModelFormatError("'classes' must be texts, numbers or truth values")
    try:
        dtype = np.dtype(name)
        if dtype.kind == "S":
            return np.array([value.encode("latin-1") for value in values], dtype=dtype)
        classes = np.array(values, dtype="int64" if dtype.kind == "M" else dtype).astype(dtype, copy=False)
    except (TypeError, ValueError, OverflowError, AttributeError, SyntaxError) as error:
        raise ModelFormatError(f"'classes' do not fit their type {name!r}") from error
    if dtype.kind not in "biufSUMO" or classes.ndim != 1 or len(set(classes.tolist())) < len(classes):
        raise ModelFormatError("'classes' must be different labels")
    return classes


def _write_nodes(core: _core.Tree) -> Document:
    arrays = {name: getattr(core, name).ravel().tolist() for name in _NODE_ARRAYS}
    return {"n_outputs": core.n_outputs, **arrays}


def _read_nodes(stored: Document, schema: Schema) -> _core.Tree:
    n_outputs = _get(stored, "n_outputs", int)
    if n_outputs < 1:
        raise ModelFormatError("'n_outputs' must be at least 1")
    arrays = {name: _get_array(stored, name, dtype) for name, dtype in _NODE_ARRAYS.items()}
    try:
        return _core.Tree(n_values=schema.n_values, n_outputs=n_outputs, **arrays)
    except ValueError as error:
        raise ModelFormatError(str(error)) from error


def _write_tree(tree: Tree) -> Document:
    return {
        "features": tree.schema.to_json(),
        "classes": _write_classes(tree.classes),
        "tie_tolerance": tree.tie_tolerance,
        "tree": _write_nodes(tree.core),
    }


def _read_tree(document: Document) -> Tree:
    schema = Schema.from_json(_get(document, "features", dict))
    classes = _read_classes(document)
    core = _read_nodes(_get(document, "tree", dict), schema)
    if classes is not None and core.n_outputs != len(classes):
        raise ModelFormatError(f"there are {len(classes)} classes, but nodes have {core.n_outputs} outputs")
    return Tree(core, schema, classes, float(_get(document, "tie_tolerance", float, int)))


def _write_ensemble(ensemble: Ensemble) -> Document:
    core, link = ensemble.core, ensemble.link
    return {
        "features": ensemble.schema.to_json(),
        "classes": _write_classes(ensemble.classes_),
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
        "n_trees": ensemble.n_trees,
        "trees": [_write_nodes(tree) for tree in core.trees],
    }


def _read_ensemble(document: Document) -> Ensemble:
    schema = Schema.from_json(_get(document, "features", dict))
    stored = _get(document, "trees", list)
    declared = _get(document, "n_trees", int)
    if declared != len(stored):
        raise ModelFormatError(f"{declared} trees are declared, {len(stored)} are there")
    trees = []
    for number, nodes in enumerate(stored):
        if not isinstance(nodes, dict):
            raise ModelFormatError(f"tree {number}: must be an object")
        try:
            trees.append(_read_nodes(nodes, schema))
        except ModelFormatError as error:
            raise ModelFormatError(f"tree {number}: {error}") from error
    try:
        core = combined(
            trees,
            n_scores=_get(document, "n_scores", int),
            votes=_get(document, "votes", bool),
            tree_weight=_get_array(document, "tree_weight", np.float64).tolist(),
            vote_against=_get_array(document, "vote_against", np.float64).tolist(),
            tree_score=_get_array(document, "tree_score", np.int32).tolist(),
            base=_get_array(document, "base", np.float64).tolist(),
            single_precision=_get(document, "single_precision", bool),
            tie_tolerance=float(_get(document, "tie_tolerance", float, int)),
        )
    except (ValueError, TypeError, IndexError) as error:
        raise ModelFormatError(str(error)) from error
    classes, link = _read_classes(document), _read_link(_get(document, "link", dict))
    _check_link(link, classes, core)
    return Ensemble(core, schema, classes, link)


def _read_link(stored: Document) -> Link:
    kind = _get(stored, "kind", str)
    if kind not in ("mean", "sigmoid", "softmax", "identity", "median"):
        raise ModelFormatError(f"there is no link {kind!r}")
    divide_by = tuple(_get_array(stored, "divide_by", np.float64).tolist())
    if 0 in divide_by:
        raise ModelFormatError("'divide_by' must not be 0")
    probability_divisor = float(_get(stored, "probability_divisor", float, int))
    if not probability_divisor > 0:
        raise ModelFormatError("'probability_divisor' must be positive")
    return Link(kind, divide_by, float(_get(stored, "label_above", float, int)), probability_divisor)


def _check_link(link: Link, classes: NDArray[Any] | None, core: _core.Ensemble) -> None:
    if (classes is None) != (link.kind in ("identity", "median")):
        raise ModelFormatError(
            f"a model {'without' if classes is None else 'with'} classes cannot have the link {link.kind!r}"
        )
    expected = 1 if classes is None or link.kind == "sigmoid" else len(classes)
    if core.n_scores != expected or (link.kind == "sigmoid" and classes is not None and len(classes) != 2):
        raise ModelFormatError(f"the link {link.kind!r} does not fit {core.n_scores} scores")


_WRITERS: dict[str, tuple[type, Callable[[Any], Document]]] = {
    "tree": (Tree, _write_tree),
    "ensemble": (Ensemble, _write_ensemble),
}
_READERS: dict[str, Callable[[Document], Any]] = {
    "tree": _read_tree,
    "ensemble": _read_ensemble,
}
