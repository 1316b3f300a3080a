"""Read tables from files."""

import warnings
from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from sightline import _core
from sightline.exceptions import DataError, DataWarning
from sightline.table._arrow_file import ARROW_MAGIC, PARQUET_MAGIC, read_arrow_file
from sightline.table._categorical import CategoricalFeatures, declare_categorical
from sightline.table._column import Column, nominal_column, numeric_column
from sightline.table._disguised import disguised_columns
from sightline.table._labels import Labels
from sightline.table._schema import MAX_NAMES
from sightline.table._table import Table, Target
from sightline.table._text_file import check_text, file_content
from sightline.wording import list_names

__all__ = ["read_table"]

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
ARFF_KEYWORDS = (b"@relation", b"@attribute", b"@data")


def read_table(
    path: str | PathLike[str],
    target: str | None = None,
    *,
    categorical_features: CategoricalFeatures = "from_dtype",
) -> Table:
    r"""Read a table from a CSV, ARFF, Parquet or Feather file.

    The format is detected from the content, not the name. CSV and ARFF may be gzipped.

    Parameters
    ----------
    path : str or path-like
        The file.
    target : str, optional
        Column to predict. None means the last attribute of an ARFF file, and no target in any
        other file.
    categorical_features : "from_dtype", None, or list of names, indices or booleans
        Which columns besides the target are nominal; see `Table.from_any`.

    Returns
    -------
    Table
        The columns, the target in ``y`` and the instance weights of an ARFF file in ``weights``.
        A nominal target keeps its declared values. Whole numbers count as labels, except in ARFF.

    Raises
    ------
    DataError
        If the file cannot be read or is malformed. The message names the file and line.

    Warns
    -----
    DataWarning
        If a text column holds dates, numbers with decimal commas, or numbers with a few words
        among them. It is nominal, so its order is lost.

    Notes
    -----
    The delimiter of a CSV file is detected: comma, semicolon, tab or bar. The first line is the
    header. Blank lines are skipped, and blanks around an unquoted cell are dropped. Unquoted cells
    that are empty or one of ``NA N/A NaN nan NULL null None ?`` are missing. A column is numeric if
    every known cell is a number and none has a leading zero as in ``007``. All other columns are
    nominal with their sorted distinct values. If the delimiter is not a comma, numbers may have a
    decimal comma, unless the column also has points or every comma may separate thousands, as in
    ``1,500``.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "fruit.csv"
    >>> _ = path.write_text("weight,colour,kind\n150,red,apple\n120,yellow,banana\n")
    >>> table = read_table(path, target="kind")
    >>> table
    <Table 'fruit': 2 rows; 1 numeric, 1 nominal; target 'kind' of 2 classes>
    >>> table.y.classes_
    array(['apple', 'banana'], dtype='<U6')
    """
    path = Path(path)
    content = file_content(path)
    if content.startswith((PARQUET_MAGIC, ARROW_MAGIC)):
        table = _table_of_arrow(path, content)
        return _finished(path, table, target, categorical_features, numbers_are_labels=True)
    check_text(path, content)
    content = content.removeprefix(BYTE_ORDER_MARK)
    is_arff = _looks_like_arff(content) or ".arff" in path.suffixes
    table = _table_of_text(path, content, is_arff)
    if is_arff and target is None:
        target = table.names[-1]
    return _finished(path, table, target, categorical_features, numbers_are_labels=not is_arff)


def _looks_like_arff(content: bytes) -> bool:
    """Whether the first line that is not blank or a comment is a declaration."""
    position = 0
    while position < len(content):
        end = content.find(b"\n", position)
        end = len(content) if end < 0 else end
        line = content[position:end].strip()
        if line and not line.startswith(b"%"):
            return line.lower().startswith(ARFF_KEYWORDS)
        position = end + 1
    return False


def _table_of_text(path: Path, content: bytes, is_arff: bool) -> Table:
    try:
        parsed = _core.parse_arff(content) if is_arff else _core.parse_delimited(content)
    except ValueError as error:
        raise DataError(f"{path}: {error}.") from error
    columns = [
        nominal_column(parsed.column_name(index), parsed.values(index), parsed.cells(index))
        if parsed.is_nominal(index)
        else numeric_column(parsed.column_name(index), parsed.cells(index))
        for index in range(len(parsed))
    ]
    weights = parsed.weights if len(parsed.weights) else None
    return Table(columns, weights=weights, name=parsed.name or _stem(path))


def _table_of_arrow(path: Path, content: bytes) -> Table:
    try:
        return Table.from_any(read_arrow_file(path, content))
    except DataError as error:
        if str(error).startswith(str(path)):
            raise
        raise DataError(f"{path}: {error}") from error


def _finished(
    path: Path,
    table: Table,
    target: str | None,
    categorical_features: CategoricalFeatures,
    *,
    numbers_are_labels: bool,
) -> Table:
    """Return the table with its target, and with nominal columns as declared."""
    features = [column for column in table.columns if column.name != target]
    if target is not None and len(features) == len(table.columns):
        # The most similar name comes first, so that the limit never hides it.
        alike = get_close_matches(target, table.names, n=1)
        names = alike + [name for name in table.names if name not in alike]
        known = list_names([repr(name) for name in names], MAX_NAMES)
        raise DataError(f"{path}: there is no column {target!r}. The columns are {known}.")
    if not features:
        raise DataError(f"{path}: there is no column besides the target {target!r}.")
    try:
        features = declare_categorical(features, categorical_features, has_names=True)
    except DataError as error:
        raise DataError(f"{path}: {error}") from error
    if numbers_are_labels and isinstance(categorical_features, str):
        for sentence in disguised_columns(features):
            warnings.warn(f"{path}: {sentence}", DataWarning, stacklevel=3)
    y = None if target is None else _target_of(table[target], numbers_are_labels)
    return Table(features, y, table.weights, table.name or _stem(path), target)


def _target_of(column: Column, numbers_are_labels: bool) -> Target:
    if column.feature.categories is not None:
        return Labels(column.values, np.array(column.feature.categories))
    known = column.values[~column.is_missing]
    if not numbers_are_labels or not np.all(known == np.floor(known)):
        return column.values
    classes, inverse = np.unique(known, return_inverse=True)
    codes: Any = np.full(len(column), -1, dtype=np.int32)
    codes[~column.is_missing] = inverse
    return Labels(codes, classes.astype(np.int64))


def _stem(path: Path) -> str:
    return path.name.removesuffix(".gz").rpartition(".")[0] or path.name
