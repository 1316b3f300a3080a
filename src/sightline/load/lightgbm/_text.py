"""LightGBM's text format: lines of names and numbers, one block per tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load._file import FileImporter, ModelFile, register_file
from sightline.load._response import tweedie_power
from sightline.load.lightgbm._frame import ColumnRange, frame_categories
from sightline.load.lightgbm._importer import (
    LightGBMModel,
    LightGBMTrees,
    plain_lists,
    refuse_unknown_version,
)
from sightline.model import Ensemble

_CATEGORICAL_BIT, _DEFAULT_LEFT_BIT, _MISSING_SHIFT = 1, 2, 2
_LAST_LINE = b"pandas_categorical:"
_POWER = b"[tweedie_variance_power: "
_FLAGS = (b"average_output",)


@register_file
class LightGBMTextImporter(FileImporter):
    """Reads what ``save_model`` writes."""

    format_name: ClassVar[str] = "LightGBM text"

    def recognizes(self, file: ModelFile) -> bool:
        """Check the first line."""
        return file.content.startswith((b"tree\n", b"tree\r\n"))

    def read(self, file: ModelFile) -> Ensemble:
        """Return the additive model. The file has no labels, so classes are numbers."""
        return parse_text(file, None).ensemble()


def parse_text(file: ModelFile, classes: NDArray[Any] | None) -> LightGBMModel:
    """Return the model that the text describes.

    Parameters
    ----------
    file : ModelFile
        The text, named after the file or class.
    classes : ndarray, optional
        The labels, which the text does not contain.

    Returns
    -------
    LightGBMModel
        The model. Its parts have the right types and lengths.
    """
    owner = file.name
    blocks, tail = _blocks(file.content, owner)
    header = blocks[0]
    refuse_unknown_version(_decoded(header.line(b"version"), owner), owner)
    names = _decoded(header.line(b"feature_names"), owner).split(" ")
    if header.whole(b"max_feature_idx") != len(names) - 1:
        raise header.fault(
            f"'feature_names' has {len(names)} entries, which does not match 'max_feature_idx'"
        )
    infos = header.line(b"feature_infos").split(b" ")
    if len(infos) != len(names):
        raise header.fault(f"'feature_infos' has {len(infos)} entries for {len(names)} features")
    trees = blocks[1:]
    joined = _joined([_tree(block) for block in trees])
    if b"tree_sizes" in header:
        _check_sizes(header, trees)
    frame_columns = _frame_columns(tail, any(map(_is_categorical, infos)), owner)
    return LightGBMModel(
        owner=owner,
        objective=_decoded(header.line(b"objective"), owner) if b"objective" in header else None,
        n_scores=header.whole(b"num_tree_per_iteration", minimum=1),
        n_outputs=header.whole(b"num_class", minimum=1),
        averages=b"average_output" in header,
        feature_names=names,
        categories=frame_categories(
            _parsed_json(frame_columns, owner),
            names,
            [_column_range(info, header) for info in infos],
            joined.show_fractions(len(names)),
            file.options.categories,
            owner,
        ),
        trees=joined,
        classes_=classes,
        tweedie_power=_tweedie_power(tail),
    )


def _check_sizes(header: _Block, trees: list[_Block]) -> None:
    """Refuse sizes of trees that do not fit: the library finds the trees by them."""
    sizes = header.integers(b"tree_sizes").tolist()
    if len(sizes) != len(trees):
        raise header.fault(f"'tree_sizes' has {len(sizes)} entries for {len(trees)} trees")
    for number, (size, tree) in enumerate(zip(sizes, trees, strict=True)):
        if size != tree.n_bytes:
            raise header.fault(
                f"'tree_sizes' gives tree {number} {size} bytes, but it has {tree.n_bytes}. "
                f"If you edited the tree, remove the line 'tree_sizes'"
            )


def _is_categorical(info: bytes) -> bool:
    return info != b"none" and not info.startswith(b"[")


def _column_range(info: bytes, header: _Block) -> ColumnRange:
    """Parse '[low:high]' of a numeric column, '0:2:1' of a categorical one, or 'none' of an unused one."""
    if info == b"none":
        return ColumnRange(np.nan, np.nan)
    try:
        values = [float(part) for part in info.strip(b"[]").split(b":")]
    except ValueError as error:
        raise header.fault(f"'feature_infos' has the entry {info[:40]!r}, which is not supported") from error
    # A categorical column has -1 for missing values.
    known = [value for value in values if not _is_categorical(info) or value >= 0] or [np.nan]
    return ColumnRange(min(known), max(known))


class _Block:
    """Lines of the form ``name=value`` up to the next block."""

    def __init__(self, where: str, is_tree: bool = True) -> None:
        self.where = where
        self.is_tree = is_tree
        self.n_bytes = 0
        self.is_complete = False
        self._lines: dict[bytes, bytes] = {}

    def __contains__(self, key: bytes) -> bool:
        return key in self._lines

    def fault(self, sentence: str) -> ModelFormatError:
        return ModelFormatError(f"{self.where}: {sentence}.")

    def add(self, line: bytes) -> None:
        if self.is_complete:
            raise self.fault(f"the line {_shown(line[:40])} follows an empty line, where the tree ends")
        key, separator, value = line.partition(b"=")
        if not separator and (key not in _FLAGS or self.is_tree):
            raise self.fault(f"the line {line[:40]!r} is not supported")
        if key in self._lines:
            raise self.fault(f"the line {_shown(key)} occurs twice")
        self._lines[key] = value

    def line(self, key: bytes) -> bytes:
        if key not in self._lines:
            raise self.fault(f"the line {_shown(key)} is missing")
        return self._lines[key]

    def whole(self, key: bytes, minimum: int = 0) -> int:
        values = self.integers(key, 1)
        if not minimum <= values[0] < 2**31:
            raise self.fault(f"{_shown(key)} must be at least {minimum}")
        return int(values[0])

    def integers(self, key: bytes, length: int | None = None) -> NDArray[np.int64]:
        return self._numbers(key, length, _core.read_integers)

    def numbers(self, key: bytes, length: int | None = None) -> NDArray[np.float64]:
        return self._numbers(key, length, _core.read_numbers)

    def _numbers(self, key: bytes, length: int | None, read: Any) -> NDArray[Any]:
        try:
            values: NDArray[Any] = read(self.line(key).rstrip(b" "))
        except ModelFormatError:
            raise
        except ValueError as error:
            raise self.fault(f"{_shown(key)}: {error}") from error
        if length is not None and len(values) != length:
            raise self.fault(f"{_shown(key)} has {len(values)} entries instead of {length}")
        return values


def _shown(key: bytes) -> str:
    return repr(key.decode("utf-8", "backslashreplace"))


def _blocks(content: bytes, owner: str) -> tuple[list[_Block], bytes]:
    """Return the header and the trees, and the text after them."""
    body, end, tail = content.replace(b"\r\n", b"\n").partition(b"\nend of trees\n")
    if not end:
        raise ModelFormatError(f"{owner}: the line 'end of trees' is missing. The file is truncated.")
    blocks = [_Block(owner, is_tree=False)]
    for line in body.split(b"\n")[1:]:
        if line.startswith(b"Tree="):
            if line[5:] != str(len(blocks) - 1).encode():
                raise ModelFormatError(f"{owner}: expected tree {len(blocks) - 1}, but found {_shown(line)}.")
            blocks.append(_Block(f"{owner}: tree {len(blocks) - 1}"))
        elif line:
            blocks[-1].add(line)
        else:
            # The library ends a tree at the first empty line, and stops at anything but another tree.
            blocks[-1].is_complete = len(blocks) > 1
        blocks[-1].n_bytes += len(line) + 1
    return blocks, tail


def _decoded(text: bytes, owner: str) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        raise ModelFormatError(f"{owner}: is not UTF-8 text.") from error


def _frame_columns(tail: bytes, is_needed: bool, owner: str) -> str:
    """Return the last line, which has the categories of the frame."""
    lines = [line for line in tail.split(b"\n") if line.startswith(_LAST_LINE)]
    if not lines and not is_needed:
        return "null"
    if len(lines) != 1 or not tail.endswith(b"\n"):
        raise ModelFormatError(
            f"{owner}: has categorical features, but no line 'pandas_categorical:' at its end. The file is "
            f"truncated. If the categories are plain numbers, add the line 'pandas_categorical:null'."
        )
    return _decoded(lines[0][len(_LAST_LINE) :], owner)


def _tweedie_power(tail: bytes) -> float | None:
    """Return the power among the parameters, which follow the trees."""
    stored = {line[len(_POWER) : -1] for line in tail.split(b"\n") if line.startswith(_POWER)}
    return tweedie_power(stored.pop().decode("ascii", "replace")) if len(stored) == 1 else None


def _parsed_json(text: str, owner: str) -> object:
    try:
        # Wrapped in an object, so that arrays of numbers and of strings are parsed alike.
        stored = _core.parse_json(b'{"stored":' + text.encode() + b"}").value()["stored"]
    except ValueError as error:
        raise ModelFormatError(f"{owner}: 'pandas_categorical' is not valid JSON ({error}).") from error
    return plain_lists(stored)


@dataclass(frozen=True)
class _Tree:
    """A tree as stored: arrays over its inner nodes; value and count over those and then the leaves."""

    n_leaves: int
    feature: NDArray[np.int64]
    threshold: NDArray[np.float64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    decision: NDArray[np.int64]
    listed: list[NDArray[np.int64]]
    value: NDArray[np.float64]
    count: NDArray[np.float64]


def _joined(trees: list[_Tree]) -> LightGBMTrees:
    """Return all trees as one: of each tree first the inner nodes, then the leaves."""
    n_leaves = np.array([tree.n_leaves for tree in trees], dtype=np.int64)
    begin = np.concatenate([np.zeros(1, dtype=np.int64), (2 * n_leaves - 1).cumsum()])
    index = np.arange(begin[-1]) - np.repeat(begin[:-1], 2 * n_leaves - 1)
    is_inner = index < np.repeat(n_leaves - 1, 2 * n_leaves - 1)

    def all_of(name: str, dtype: type) -> NDArray[Any]:
        return np.concatenate([np.empty(0, dtype=dtype), *(getattr(tree, name) for tree in trees)])

    def spread(inner: NDArray[Any]) -> NDArray[Any]:
        values = np.zeros(len(is_inner), dtype=inner.dtype)
        values[is_inner] = inner
        return values

    def children(name: str) -> NDArray[np.int64]:
        # Inner nodes are stored as 0, 1, ... and leaves as -1, -2, ... Others stay out of range.
        stored, n = all_of(name, np.int64), np.repeat(n_leaves, n_leaves - 1)
        return spread(np.where(stored < 0, n - 2 - stored, np.where(stored < n - 1, stored, -1)))

    decision = all_of("decision", np.int64)
    return LightGBMTrees(
        begin=begin,
        is_leaf=~is_inner,
        feature=spread(all_of("feature", np.int64)),
        threshold=spread(all_of("threshold", np.float64)),
        left=children("left"),
        right=children("right"),
        default_left=spread((decision & _DEFAULT_LEFT_BIT).astype(np.bool_)),
        missing=spread(decision >> _MISSING_SHIFT),
        is_categorical=spread((decision & _CATEGORICAL_BIT).astype(np.bool_)),
        listed=[codes for tree in trees for codes in tree.listed],
        value=all_of("value", np.float64),
        count=all_of("count", np.float64),
    )


def _tree(block: _Block) -> _Tree:
    if b"is_linear" in block and block.whole(b"is_linear"):
        raise UnsupportedModelError(
            f"{block.where}: has linear functions in its leaves, which are not supported.",
            "sl.BlackBox takes any model.",
        )
    _check_number_of_sets(block)
    n_leaves = block.whole(b"num_leaves", minimum=1)
    n_inner = n_leaves - 1
    if n_inner == 0:
        nothing = np.empty(0, dtype=np.int64)
        value, count = block.numbers(b"leaf_value", 1), _counts(block, n_leaves)
        return _Tree(1, nothing, np.empty(0), nothing, nothing, nothing, [], value, count)
    decision = block.integers(b"decision_type", n_inner)
    if not ((decision >= 0) & (decision < 12)).all():
        raise block.fault("'decision_type' must be from 0 to 11")
    is_categorical = (decision & _CATEGORICAL_BIT).astype(np.bool_)
    threshold = block.numbers(b"threshold", n_inner)
    return _Tree(
        n_leaves=n_leaves,
        feature=block.integers(b"split_feature", n_inner),
        threshold=threshold,
        left=block.integers(b"left_child", n_inner),
        right=block.integers(b"right_child", n_inner),
        decision=decision,
        listed=list(_listed(block, threshold[is_categorical])),
        value=np.concatenate(
            [block.numbers(b"internal_value", n_inner), block.numbers(b"leaf_value", n_leaves)]
        ),
        count=_counts(block, n_leaves),
    )


def _counts(block: _Block, n_leaves: int) -> NDArray[np.float64]:
    """Return the training rows of each node, 0 if the tree does not store them."""
    if b"leaf_count" not in block:
        return np.zeros(2 * n_leaves - 1)
    leaves = block.numbers(b"leaf_count", n_leaves)
    return (
        np.concatenate([block.numbers(b"internal_count", n_leaves - 1), leaves]) if n_leaves > 1 else leaves
    )


def _check_number_of_sets(block: _Block) -> None:
    declared = block.whole(b"num_cat") if b"num_cat" in block else 0
    stored = len(block.integers(b"cat_boundaries")) - 1 if b"cat_boundaries" in block else 0
    if declared != stored:
        raise block.fault(f"'num_cat' is {declared}, but there are {stored} sets of categories")


def _listed(block: _Block, indices: NDArray[np.float64]) -> Iterator[NDArray[np.int64]]:
    """Yield the categories of each categorical test. Its threshold is the index of their set."""
    if not len(indices):
        return
    ends, words = block.integers(b"cat_boundaries"), block.integers(b"cat_threshold")
    is_valid = len(ends) > 1 and ends[0] == 0 and ends[-1] == len(words) and (np.diff(ends) >= 0).all()
    if not is_valid or not ((words >= 0) & (words < 2**32)).all():
        raise block.fault("'cat_threshold' does not match 'cat_boundaries'")
    for index in indices.tolist():
        if not (index.is_integer() and 0 <= index < len(ends) - 1):
            raise block.fault(f"there is no set {index:g} of categories")
        begin, end = ends[int(index) : int(index) + 2]
        bits = np.unpackbits(words[begin:end].astype("<u4").view(np.uint8), bitorder="little")
        yield np.flatnonzero(bits)
