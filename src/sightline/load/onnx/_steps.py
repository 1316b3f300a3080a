"""The nodes in front of the trees that can be pulled back over one column.

Each function takes a node and its inputs and returns what the node computes, or raises. Arithmetic is
that of onnxruntime, in the precision of the tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.load._computed_columns import CategoryColumn, NumberColumn, Step, as_single, filled
from sightline.load.onnx._node import OnnxNode
from sightline.load.onnx._values import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT32,
    INT64,
    STRING,
    WHOLE,
    Matrix,
    TextColumn,
    Value,
)

_Function = Callable[[OnnxNode, list[Any]], Value | tuple[Value, ...]]
STEPS: dict[str, _Function] = {}
"""The functions by the type of their node."""


def step(*kinds: str) -> Callable[[_Function], _Function]:
    """Register the function of some types of nodes; a decorator."""

    def enter(function: _Function) -> _Function:
        STEPS.update(dict.fromkeys(kinds, function))
        return function

    return enter


@step("Identity")
def _identity(node: OnnxNode, inputs: list[Any]) -> Value:
    del node
    value: Value = inputs[0]
    return value


@step("Cast")
def _cast(node: OnnxNode, inputs: list[Any]) -> Value:
    node.allow("to", "saturate", "round_mode")
    matrix = _matrix(node, inputs[0])
    to = node.integer("to", 0)
    if STRING in (to, matrix.dtype) and to != matrix.dtype:
        raise node.unsupported("a conversion from or to text is not supported")
    if to not in (FLOAT, DOUBLE, INT32, INT64, BOOL, STRING):
        raise node.unsupported(f"the type {to} is not supported")
    if to in WHOLE and matrix.dtype not in WHOLE:
        return Matrix(tuple(_whole(node, column) for column in matrix.columns), to, matrix.n_blocks)
    if to == BOOL and matrix.dtype != BOOL:
        raise node.unsupported("a conversion to truth values is not supported")
    needs_rounding = to == FLOAT and matrix.dtype != FLOAT
    return _each(matrix, [as_single] * len(matrix.columns), to) if needs_rounding else _typed(matrix, to)


def _whole(node: OnnxNode, column: Any) -> CategoryColumn:
    """Check that a conversion to whole numbers changes nothing."""
    if isinstance(column, CategoryColumn):
        numbers = np.array([*column.codes.values(), column.default])
        if (np.isfinite(numbers) & (numbers == np.trunc(numbers))).all():
            return column
    raise node.unsupported("a conversion of numbers to whole numbers is not supported")


@step("Scaler")
def _scaler(node: OnnxNode, inputs: list[Any]) -> Value:
    node.allow("offset", "scale")
    matrix = _numbers(node, inputs[0])
    n_columns = len(matrix.columns)
    offset = _spread(node, "offset", node.floats("offset"), n_columns)
    scale = _spread(node, "scale", node.floats("scale"), n_columns)
    in_single = matrix.dtype != DOUBLE
    steps = [_scaled(o, s, in_single) for o, s in zip(offset, scale, strict=True)]
    return _each(matrix, steps, FLOAT, np.where(scale < 0, -1, 1))


def _scaled(offset: float, scale: float, in_single: bool) -> Step:
    if in_single:
        return lambda numbers: as_single(as_single(numbers - offset) * scale)
    return lambda numbers: as_single((numbers - offset) * scale)


@step("Imputer")
def _imputer(node: OnnxNode, inputs: list[Any]) -> Value:
    node.allow("imputed_value_floats", "replaced_value_float")
    matrix = _numbers(node, inputs[0])
    if matrix.dtype not in (FLOAT, DOUBLE):
        raise node.unsupported("filling in whole numbers is not supported")
    replaced = node.number("replaced_value_float", 0.0)
    if not np.isnan(replaced):
        raise node.unsupported(f"it replaces {replaced:g}. Supported: NaN")
    filling = _spread(node, "imputed_value_floats", node.floats("imputed_value_floats"), len(matrix.columns))
    return _each(matrix, [filled(value) for value in filling], matrix.dtype)


@step("Add", "Sub", "Mul", "Div")
def _arithmetic(node: OnnxNode, inputs: list[Any]) -> Value:
    node.allow()
    first, second = node.pair(inputs)
    constant_first = isinstance(first, np.ndarray)
    if constant_first == isinstance(second, np.ndarray):
        raise node.unsupported("arithmetic of two columns is not supported")
    matrix = _numbers(node, second if constant_first else first)
    if matrix.dtype not in (FLOAT, DOUBLE):
        raise node.unsupported("arithmetic of whole numbers is not supported")
    constant = _row(node, first if constant_first else second, len(matrix.columns))
    rounding = as_single if matrix.dtype == FLOAT else None
    signs = np.ones(len(constant), dtype=np.int64)
    if node.kind == "Sub" and constant_first:
        signs[:] = -1
    elif node.kind in ("Mul", "Div"):
        signs = np.where(constant < 0, -1, 1)
    if node.kind == "Div" and (constant_first or not constant.all()):
        raise node.unsupported("a division by a column or by zero is not supported")
    steps = [_operation(node.kind, value, constant_first, rounding) for value in constant.tolist()]
    return _each(matrix, steps, matrix.dtype, signs)


def _operation(kind: str, value: float, value_first: bool, rounding: Step | None) -> Step:
    operation = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide}[kind]

    def computed(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        result = operation(value, numbers) if value_first else operation(numbers, value)
        return rounding(result) if rounding else result

    return computed


@step("Concat", "FeatureVectorizer")
def _concat(node: OnnxNode, inputs: list[Any]) -> Value:
    node.allow("axis", "inputdimensions")
    parts = [_matrix(node, value) for value in inputs]
    n_axes = {2 if part.n_blocks == 0 else 3 for part in parts}
    if len(n_axes) != 1 or any(part.n_blocks > 1 for part in parts):
        raise node.unsupported("its inputs have different or too many axes")
    last = n_axes.pop() - 1
    if node.kind == "Concat" and node.integer("axis", 0) not in (-1, last):
        raise node.unsupported("it does not join columns")
    if node.kind == "FeatureVectorizer":
        sizes = [len(part.columns) for part in parts]
        if node.ints("inputdimensions").tolist() != sizes:
            raise node.unsupported(f"'inputdimensions' must be {sizes}")
        parts = [_each(_numbers(node, part), [as_single] * len(part.columns), FLOAT) for part in parts]
    if len({part.dtype for part in parts}) != 1:
        raise node.fault("its inputs have different types")
    columns = tuple(column for part in parts for column in part.columns)
    return Matrix(columns, parts[0].dtype, parts[0].n_blocks)


@step("Reshape", "Flatten")
def _reshape(node: OnnxNode, inputs: list[Any]) -> Value:
    node.allow("allowzero", "shape", "axis")
    matrix = _matrix(node, inputs[0])
    n_columns = len(matrix.columns)
    if node.kind == "Flatten":
        if node.integer("axis", 1) != 1:
            raise node.unsupported("it does not keep the rows")
    else:
        given = inputs[1] if len(inputs) > 1 else node.ints("shape")
        if not isinstance(given, np.ndarray):
            raise node.unsupported("its shape is not constant")
        shape = given.ravel().tolist()
        if shape not in ([-1, n_columns], [0, n_columns], [0, -1]):
            raise node.unsupported(f"the shape {shape} does not keep the rows")
    return Matrix(matrix.columns, matrix.dtype)


@step("ArrayFeatureExtractor", "Gather")
def _select(node: OnnxNode, inputs: list[Any]) -> Value:
    node.allow("axis")
    table, index = node.pair(inputs)
    if isinstance(table, np.ndarray):
        return _table_entries(node, table, _matrix(node, index))
    matrix = _matrix(node, table)
    if not isinstance(index, np.ndarray) or index.dtype.kind not in "iu":
        raise node.unsupported("it selects by something that is not constant")
    is_gather = node.kind == "Gather"
    if matrix.n_blocks or (is_gather and (node.integer("axis", 0) not in (1, -1) or index.ndim != 1)):
        raise node.unsupported("it does not select columns")
    n_columns = len(matrix.columns)
    # Gather counts negative numbers from the end; the other operator has none.
    if not ((index >= (-n_columns if is_gather else 0)) & (index < n_columns)).all():
        raise node.fault("it selects a column that does not exist")
    return Matrix(tuple(matrix.columns[column] for column in index.ravel().tolist()), matrix.dtype)


def _table_entries(node: OnnxNode, table: NDArray[Any], index: Matrix) -> Matrix:
    """Look codes of categories up in a table; those beyond its end, which ONNX refuses, are missing."""
    if table.ndim != 1 or table.dtype != np.float64 or node.integer("axis", 0) != 0:
        raise node.unsupported("it does not look up numbers of double precision")
    columns = tuple(
        _lookup(node, column, index.dtype, dict(enumerate(table.tolist())), np.nan)
        for column in index.columns
    )
    return Matrix(columns, DOUBLE, index.n_blocks)


@step("OneHotEncoder")
def _one_hot(node: OnnxNode, inputs: list[Any]) -> Value:
    node.allow("cats_int64s", "cats_strings", "zeros")
    matrix = _matrix(node, inputs[0])
    values: list[Any] = node.strings("cats_strings") or node.ints("cats_int64s").tolist()
    if matrix.n_blocks or not values or len(set(values)) < len(values):
        raise node.unsupported("its categories are not a list of different values")
    columns = []
    for column in matrix.columns:
        codes = _lookup(node, column, matrix.dtype, dict(zip(values, range(len(values)), strict=True)), -1)
        if node.integer("zeros", 1) == 0 and codes.default == -1:
            known = {value: code for value, code in codes.codes.items() if code != -1}
            codes = replace(codes, codes=known, refuses_other=True)
        for index in range(len(values)):
            columns.append(codes.then(_is_code(index)))
    return Matrix(tuple(columns), FLOAT, len(matrix.columns))


def _is_code(code: int) -> Step:
    return lambda codes: (codes == code).astype(np.float64)


_LABEL_ENCODER = {"strings": STRING, "int64s": INT64, "floats": FLOAT}


@step("LabelEncoder")
def _label_encoder(node: OnnxNode, inputs: list[Any]) -> Value:
    matrix = _matrix(node, inputs[0])
    keys, values, default, dtype = encoder_table(node)
    if dtype == STRING:
        raise node.unsupported("columns of text before the trees are not supported")
    table = dict(zip(keys, map(float, values), strict=True))
    columns = tuple(_lookup(node, column, matrix.dtype, table, float(default)) for column in matrix.columns)
    return Matrix(columns, dtype, matrix.n_blocks)


def encoder_table(node: OnnxNode) -> tuple[list[Any], list[Any], Any, int]:
    """Return the keys, values, default and type of a LabelEncoder."""
    kinds = [f"{part}_{end}" for part in ("keys", "values") for end in (*_LABEL_ENCODER, "tensor")]
    node.allow(
        *kinds, "classes_strings", "default_string", "default_int64", "default_float", "default_tensor"
    )
    if "classes_strings" in node:
        keys: list[Any] = node.strings("classes_strings")
        return keys, list(range(len(keys))), node.integer("default_int64", -1), INT64
    keys, _ = _entries(node, "keys")
    values, dtype = _entries(node, "values")
    if len(keys) != len(values) or len(set(keys)) < len(keys):
        raise node.fault("its keys are not different, or do not match its values")
    if any(isinstance(key, float) and np.isnan(key) for key in keys):
        raise node.unsupported("the key NaN is not supported")
    return keys, values, _default(node, dtype), dtype


def _entries(node: OnnxNode, part: str) -> tuple[list[Any], int]:
    if f"{part}_tensor" in node:
        found = node.tensor(f"{part}_tensor")
        types = {"O": STRING, "i": INT64, "f": DOUBLE if found.dtype.itemsize == 8 else FLOAT}
        if found.dtype.kind not in types:
            raise node.unsupported(f"values of type {found.dtype} are not supported")
        return found.ravel().tolist(), types[found.dtype.kind]
    for end, dtype in _LABEL_ENCODER.items():
        name = f"{part}_{end}"
        if name in node:
            if dtype == STRING:
                return node.strings(name), dtype
            return (node.ints(name) if dtype == INT64 else node.floats(name)).tolist(), dtype
    raise node.fault(f"has no {part}")


def _default(node: OnnxNode, dtype: int) -> Any:
    """Return the value for keys that are not listed: onnxruntime asks for the tensor first."""
    if "default_tensor" in node:
        found = node.tensor("default_tensor")
        if found.size != 1 or (found.dtype.kind == "O") != (dtype == STRING):
            raise node.fault("'default_tensor' must be one value of the type of the others")
        return found.item()
    if dtype == STRING:
        return node.text("default_string", "_Unused")
    return node.integer("default_int64", -1) if dtype == INT64 else node.number("default_float", -0.0)


def _lookup(
    node: OnnxNode, column: Any, dtype: int, table: dict[Any, float], default: float
) -> CategoryColumn:
    """Return the column that holds the entry of a table for each value of another."""
    is_text = all(isinstance(key, str) for key in table)
    if isinstance(column, CategoryColumn):
        if is_text:
            raise node.fault("it looks up text in a column of numbers")
        lookup = {float(key): value for key, value in table.items()}
        return column.then(lambda codes: np.array([lookup.get(code, default) for code in codes.tolist()]))
    if isinstance(column, TextColumn) != is_text:
        raise node.fault("it looks up text in a column of numbers, or numbers in a column of text")
    is_exact = isinstance(column, TextColumn) or (not column.steps and dtype in (*WHOLE, DOUBLE))
    if not is_exact:
        raise node.unsupported("categories in a column of float numbers are not supported")
    return CategoryColumn(column.source, table, default)


def _matrix(node: OnnxNode, value: Any) -> Matrix:
    if not isinstance(value, Matrix):
        raise node.unsupported("it is not supported here")
    return value


def _numbers(node: OnnxNode, value: Any) -> Matrix:
    matrix = _matrix(node, value)
    if matrix.dtype == STRING or matrix.n_blocks:
        raise node.unsupported("it needs a table of numbers")
    return matrix


def _typed(matrix: Matrix, dtype: int) -> Matrix:
    return Matrix(matrix.columns, dtype, matrix.n_blocks)


def _each(matrix: Matrix, steps: Sequence[Step], dtype: int, signs: Any = None) -> Matrix:
    """Apply one step to each column."""
    signs = [1] * len(steps) if signs is None else signs.tolist()
    columns: list[Any] = []
    for column, function, sign in zip(matrix.columns, steps, signs, strict=True):
        assert isinstance(column, NumberColumn | CategoryColumn)
        columns.append(
            column if function is as_single and _is_single(column) else column.then(function, sign)
        )
    return Matrix(tuple(columns), dtype, matrix.n_blocks)


def _is_single(column: NumberColumn | CategoryColumn) -> bool:
    """Whether rounding to single precision changes nothing."""
    return isinstance(column, NumberColumn) and column.is_single and not column.steps


def _spread(node: OnnxNode, name: str, values: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    if len(values) not in (1, n):
        raise node.fault(f"{name!r} has {len(values)} entries for {n} columns")
    if not np.isfinite(values).all():
        raise node.unsupported(f"{name!r} is not finite")
    return np.broadcast_to(values, (n,))


def _row(node: OnnxNode, constant: NDArray[Any], n: int) -> NDArray[np.float64]:
    is_row = constant.dtype.kind in "fiu" and (constant.size == 1 or constant.shape in ((n,), (1, n)))
    if not is_row:
        raise node.unsupported(f"a constant of shape {constant.shape} for {n} columns is not supported")
    return _spread(node, "the constant", constant.ravel().astype(np.float64), n)
