"""The table: named typed columns, an optional target and optional row weights."""

import copy
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from operator import is_
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

from sightline import _core
from sightline.exceptions import DataError
from sightline.table._align import aligned_columns
from sightline.table._arrays import columns_of_array, matrix_of
from sightline.table._categorical import CategoricalFeatures, declare_categorical, is_from_dtype
from sightline.table._column import Column, Container, row_selection
from sightline.table._frames import columns_of_frame, is_frame, table_of_batch
from sightline.table._html import table_html
from sightline.table._labels import Labels
from sightline.table._number_format import NumberFormat
from sightline.table._schema import Feature, Schema, default_names
from sightline.table._subject import Subject, target_name
from sightline.table.dates import instants_of
from sightline.wording import pluralize

__all__ = ["Table"]

Target = Labels | NDArray[np.float64]
Infinite = Literal["refuse", "largest"]

_ROWS_SHOWN = 10
_LARGEST = np.finfo(np.float64).max


class Table:
    """Named columns, each numeric or nominal, with an optional target and row weights.

    Tables are immutable. Indexing with rows gives a table of these rows, indexing with a name gives
    that column, and indexing with one number gives that row as a dictionary.

    Parameters
    ----------
    columns : sequence of Column
        Columns of equal length, names all different.
    target : Labels or ndarray of float64, optional
        Labels or numbers to predict, one per row.
    weights : array-like of shape (n_rows,), optional
        Weights of the rows, finite and not negative.
    name : str, optional
        Name of the table.
    target_name : str, optional
        Name of the target.
    has_names : bool, default=True
        Whether the columns have real names rather than ``x0``, ``x1``, ….
    number_format : NumberFormat, optional
        How the numbers were written in the text file that the table was read from.
    row_names : Column, optional
        A column of row names, such as customer numbers. Models do not use it.
    weights_name : str, optional
        Name of the column that the weights came from.

    Examples
    --------
    >>> rows = [[1.5, "red"], [2.5, "green"], [None, "red"]]
    >>> table = Table.from_any(rows, feature_names=["size", "colour"])
    >>> table
    <Table: 3 rows; 1 numeric, 1 nominal>
    >>> table.schema.features[1].categories
    ('green', 'red')
    >>> table[2]
    {'size': None, 'colour': 'red'}
    >>> table[:2].n_rows
    2
    """

    def __init__(
        self,
        columns: Sequence[Column],
        target: Target | None = None,
        weights: NDArray[Any] | None = None,
        name: str | None = None,
        target_name: str | None = None,
        *,
        has_names: bool = True,
        number_format: NumberFormat | None = None,
        row_names: Column | None = None,
        weights_name: str | None = None,
    ) -> None:
        self.columns = tuple(columns)
        self.schema = Schema(
            tuple(column.feature for column in self.columns),
            subject=Subject(target_name or ""),
            names_given=has_names,
        )
        self.y = target
        self.weights = None if weights is None else np.asarray(weights, dtype=np.float64)
        self.name = name
        self.target_name = target_name
        self.has_names = has_names
        self.number_format = number_format or NumberFormat()
        self.row_names = row_names
        self.weights_name = weights_name
        self._check_lengths()
        self._check_weights()

    @classmethod
    def from_any(
        cls,
        X: Any,
        categorical_features: CategoricalFeatures = "from_dtype",
        feature_names: Sequence[str] | None = None,
        infinite: Infinite = "refuse",
    ) -> "Table":
        """Make a table from an array, nested lists, or a frame of pandas, polars or pyarrow.

        A float64 array is not copied. In frames, categories, enumerations, strings, objects and
        booleans are nominal, and all other columns numeric. In object arrays the cells decide. A
        column without any known value is numeric.

        Parameters
        ----------
        X : Table, array-like or frame of shape (n_rows, n_features)
            The rows; None and NaN are missing values.
        categorical_features : "from_dtype", None, or list of names, indices or booleans, default="from_dtype"
            Which columns are nominal. None means none. With a list, all other columns are
            numeric. A nominal column of numbers has its sorted distinct values as categories.
        feature_names : sequence of str, optional
            Names for the columns of an array, or new names for those of a frame.
        infinite : {"refuse", "largest"}, default="refuse"
            What happens to infinite numbers. "largest" reads them as the largest number of their
            sign, which gives every test ``x <= t`` the same result.

        Raises
        ------
        DataError
            If X has no rows, no columns, cells that are neither strings nor numbers, or
            infinite numbers that are refused.

        Examples
        --------
        >>> Table.from_any([[np.inf], [1.0]], infinite="largest").columns[0].values
        array([1.79769313e+308, 1.00000000e+000])
        """
        X = table_of_batch(X)
        names = None if feature_names is None else [_plain_name(name) for name in feature_names]
        as_it_is = names is None and is_from_dtype(categorical_features)
        if as_it_is and isinstance(X, Table) and X._is_finite:
            _check_shape(X.shape)
            return X
        if isinstance(X, Table):
            columns, has_names = list(X.columns), X.has_names
        elif is_frame(X):
            columns, has_names = columns_of_frame(X)
        else:
            container: Container = "array" if isinstance(X, np.ndarray) else "list"
            X = matrix_of(X)
            # So that errors name the columns as the caller does.
            are_all = names is not None and len(names) == X.shape[1]
            known = names if names and are_all else default_names(X.shape[1])
            columns = columns_of_array(X, known, container)
            has_names = False
        _check_shape(X.shape)
        if names is not None:
            columns, has_names = _renamed(columns, names), True
        if infinite == "refuse":
            _check_finite(columns)
        else:
            columns = [_finite(column) for column in columns]
        columns = declare_categorical(columns, categorical_features, has_names)
        if isinstance(X, Table) and all(old is new for old, new in zip(X.columns, columns, strict=True)):
            return X
        return cls(columns, has_names=has_names, target_name=X.target_name if isinstance(X, Table) else None)

    def aligned(self, schema: Schema, owner: str = "the model") -> "Table":
        """Return the columns as a model expects them: in its order and with its codes.

        Columns are matched by name, or by position if one side has no names. A category that the
        schema does not declare becomes missing. Nothing is copied if the table already matches.

        Parameters
        ----------
        schema : Schema
            The columns of the model.
        owner : str
            The model's name in error messages.

        Raises
        ------
        DataError
            If columns are absent or unknown, or hold text where numbers are expected.

        Examples
        --------
        >>> seen = Table.from_any([["a"], ["b"]])
        >>> Table.from_any([["c"], ["b"]]).aligned(seen.schema).columns[0].values
        array([-1,  1], dtype=int32)
        """
        fits = self.schema is schema or self.schema == schema
        if fits and self._holds_doubles and not schema.distinguishes_missing:
            return self.X
        columns = aligned_columns(self.columns, schema, self.has_names, owner)
        return Table(
            columns, has_names=self.has_names, row_names=self.row_names, target_name=self.target_name
        )

    def with_completeness(self) -> "Table":
        """Return the table with features that know whether they have a missing value.

        A model keeps the schema of its training rows, so it knows which columns had one.

        Examples
        --------
        >>> table = Table.from_any([[1.0, None], [2.0, 3.0]]).with_completeness()
        >>> [feature.complete for feature in table.schema.features]
        [True, False]
        """
        return self.with_columns([_with_completeness(column) for column in self.columns])

    def with_columns(self, columns: Sequence[Column]) -> "Table":
        """Return the table with other columns and all else unchanged."""
        table = self._with(columns=columns)
        own, others = table.schema.features, self.schema.features
        if len(own) == len(others) and all(map(is_, own, others)):
            # The same object, so that a model that knows it need not compare thousands of features.
            table.schema = self.schema
        return table

    def with_target(self, target: Target) -> "Table":
        """Return the table with another target of the same name."""
        return self._with(target=target)

    def for_target(self, y: Any, sample_weight: Any = None) -> "Table":
        """Return the table with the name of its target.

        Parameters
        ----------
        y : object
            The target. A series has a name; without one, the name stays.
        sample_weight : object
            The weights. Their name is not that of the target.

        Examples
        --------
        >>> import pandas as pd
        >>> Table.from_any([[1.0]]).for_target(pd.Series([1], name="default")).schema.subject.target
        'default'
        """
        name = target_name(y, self.names, sample_weight)
        return self.about(Subject(name)) if name else self

    def about(self, subject: Subject) -> "Table":
        """Return the table with a schema that names the target."""
        table = copy.copy(self)
        table.__dict__.pop("_features", None)
        table.target_name = subject.target or None
        table.schema = replace(self.schema, subject=subject)
        return table

    def trained_with(self, weights: NDArray[np.float64] | None) -> "Table":
        """Return the table with a schema that says whether training rows have weights other than 0 and 1.

        Sums of zeros and ones are numbers of rows.
        """
        is_weighted = weights is not None and not np.isin(weights, (0, 1)).all()
        return self.about(replace(self.schema.subject, is_weighted=True)) if is_weighted else self

    def with_row_names(self, name: str) -> "Table":
        """Return the table with one of its columns as the names of the rows, no longer as a feature.

        Parameters
        ----------
        name : str
            The column.

        Examples
        --------
        >>> rows = [["C7", 25.0], ["C9", 31.0]]
        >>> table = Table.from_any(rows, feature_names=["customer", "age"]).with_row_names("customer")
        >>> table.names, table.row_name(1)
        (['age'], 'C9')
        """
        return self._without(name, row_names=self._column(name))

    def with_weights(self, name: str) -> "Table":
        """Return the table with one of its columns as the weights of the rows, no longer as a feature.

        Parameters
        ----------
        name : str
            The column.

        Examples
        --------
        >>> table = Table.from_any([[0.5, 25.0], [1.0, 31.0]], feature_names=["exposure", "age"])
        >>> weighted = table.with_weights("exposure")
        >>> weighted.names, weighted.weight_column.name, weighted.weights.tolist()
        (['age'], 'exposure', [0.5, 1.0])
        """
        column = self._column(name)
        if column.feature.is_nominal:
            raise DataError(f"Column {name!r} holds text, so it cannot hold the weights of the rows.")
        return self._without(name, weights=column.values, weights_name=name)

    @property
    def weight_column(self) -> Column | None:
        """The weights under their name, as every ``sample_weight`` takes them; None without weights."""
        return None if self.weights is None else Column(Feature(self.weights_name or ""), self.weights)

    def row_name(self, row: int) -> str | None:
        """Return the name of a row, None if the rows, or this one, have no name.

        Parameters
        ----------
        row : int
            Index of the row.
        """
        value = None if self.row_names is None else self.row_names.value_at(row)
        if value is None:
            return None
        return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)

    def _without(self, name: str, **changes: Any) -> "Table":
        """Return the table without a column, which has another part in it from now on."""
        return self._with(columns=[column for column in self.columns if column.name != name], **changes)

    def _with(self, **changes: Any) -> "Table":
        parts: dict[str, Any] = {
            "columns": self.columns,
            "target": self.y,
            "weights": self.weights,
            "name": self.name,
            "target_name": self.target_name,
            "has_names": self.has_names,
            "number_format": self.number_format,
            "row_names": self.row_names,
            "weights_name": self.weights_name,
        }
        return Table(**{**parts, **changes})

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return self.schema.names

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        if self.columns:
            return len(self.columns[0])
        return 0 if self.y is None else len(self.y)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns, without the target."""
        return self.n_rows, len(self.columns)

    @property
    def ndim(self) -> int:
        """Always 2."""
        return 2

    @property
    def X(self) -> "Table":  # noqa: N802
        """The columns without target and weights, as every estimator takes them."""
        # Not cached if it is the table itself: a table that refers to itself would not be freed.
        return self if self.y is None and self.weights is None else self._features

    @cached_property
    def _features(self) -> "Table":
        return self._with(target=None, weights=None)

    def stacked(self, below: "Table") -> "Table":
        """Return the rows of this table followed by those of another with the same columns.

        Parameters
        ----------
        below : Table
            The rows to add. Targets and weights are dropped.

        Returns
        -------
        Table
            All rows.
        """
        below = below.aligned(self.schema, "the table above")
        columns = [
            Column(first.feature, np.concatenate([first.values, second.values]))
            for first, second in zip(self.columns, below.columns, strict=True)
        ]
        return Table(columns, has_names=self.has_names)

    @cached_property
    def _is_finite(self) -> bool:
        """Whether no number is infinite; cached, because every model checks it."""
        return all(column.is_finite for column in self.columns)

    @cached_property
    def _holds_doubles(self) -> bool:
        """Whether all numbers came as float64; models may round other types in their own way."""
        return all(
            column.source is None and (not column.number_type or column.feature.is_nominal)
            for column in self.columns
        )

    def native(self) -> _core.Columns:
        """Return the columns for the kernels, without a copy."""
        return self._native

    @cached_property
    def _native(self) -> _core.Columns:
        return _core.Columns([column.values for column in self.columns], self.schema.n_values, self.n_rows)

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, rows: Any) -> Any:
        rows = row_selection(rows)
        if isinstance(rows, str):
            return self._column(rows)
        if np.ndim(rows) == 0 and not isinstance(rows, slice):
            return {column.name: column.value_at(rows) for column in self.columns}
        return self._with(
            columns=[column.take(rows) for column in self.columns],
            target=None if self.y is None else self.y[rows],
            weights=None if self.weights is None else self.weights[rows],
            row_names=None if self.row_names is None else self.row_names.take(rows),
        )

    def _column(self, name: str) -> Column:
        if name not in self.names:
            raise KeyError(f"There is no column {name!r}.")
        return self.columns[self.names.index(name)]

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        matrix = np.empty(self.shape, dtype=object)
        for index, column in enumerate(self.columns):
            matrix[:, index] = column.to_list() if column.feature.is_nominal else column.values
        return matrix if dtype is None else matrix.astype(dtype)

    def to_pandas(self) -> Any:
        """Return a pandas frame: nominal columns as categories, dates as dates, the target, if any, last."""
        import pandas as pd  # noqa: PLC0415 - optional

        data: dict[str, Any] = {}
        for column in self.columns:
            categories, kind = column.feature.categories, column.feature.kind
            if categories is not None:
                data[column.name] = pd.Categorical.from_codes(column.values, categories=list(categories))
            elif kind:
                values = pd.Series(instants_of(column))
                data[column.name] = values.dt.tz_localize("UTC") if kind == "datetime UTC" else values
            else:
                data[column.name] = column.values
        if isinstance(self.y, Labels):
            data[self.target_name or "target"] = pd.Categorical.from_codes(
                self.y.codes, categories=self.y.classes_
            )
        elif self.y is not None:
            data[self.target_name or "target"] = self.y
        return pd.DataFrame(data)

    def head(self, n_rows: int = 5) -> "Table":
        """Return the first rows as a table.

        Parameters
        ----------
        n_rows : int, default=5
            Number of rows.

        Examples
        --------
        >>> Table.from_any([[1.0], [2.0], [3.0]]).head(2)
        <Table: 2 rows; 1 numeric, 0 nominal>
        """
        first: Table = self[: max(n_rows, 0)]
        return first

    def _repr_html_(self) -> str:
        """Show the kinds of the columns and the first rows in a notebook."""
        return table_html(self.head(_ROWS_SHOWN), repr(self)[1:-1])

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        state.pop("_native", None)
        state.pop("_features", None)
        return state

    def __repr__(self) -> str:
        n_nominal = sum(column.feature.is_nominal for column in self.columns)
        title = "Table" if self.name is None else f"Table {self.name!r}"
        parts = [
            pluralize(self.n_rows, "row"),
            f"{len(self.columns) - n_nominal} numeric, {n_nominal} nominal",
        ]
        if self.y is not None:
            classes = self.y.classes_ if isinstance(self.y, Labels) else ()
            of_classes = f" of {pluralize(len(classes), 'class', 'classes')}" if len(classes) else ""
            parts.append(f"target {self.target_name!r}{of_classes}")
        return f"<{title}: {'; '.join(parts)}>"

    def _check_lengths(self) -> None:
        n_rows = self.n_rows
        for column in self.columns:
            if len(column.values) != n_rows:
                raise DataError(
                    f"Column {column.name!r} has {len(column)} rows, but the first column has {n_rows}."
                )
        if self.row_names is not None and len(self.row_names) != n_rows:
            raise DataError(f"There are {len(self.row_names)} names for {n_rows} rows.")
        if self.y is not None and len(self.y) != self.n_rows:
            raise DataError(f"The target has {len(self.y)} rows, but the columns have {self.n_rows}.")

    def _check_weights(self) -> None:
        if self.weights is None:
            return
        if self.weights.shape != (self.n_rows,):
            raise DataError(
                f"The weights have shape {self.weights.shape}, but the table has {self.n_rows} rows."
            )
        if not np.all(np.isfinite(self.weights) & (self.weights >= 0)):
            raise DataError("The weights must be finite and not negative.")


def _check_shape(shape: tuple[int, ...]) -> None:
    for count, noun in zip(shape, ("sample", "feature"), strict=True):
        if count == 0:
            raise DataError(f"Found array with 0 {noun}(s) (shape={shape}) while a minimum of 1 is required.")


def _check_finite(columns: Sequence[Column]) -> None:
    for column in columns:
        if not column.is_finite:
            row = int(np.flatnonzero(np.isinf(column.values))[0])
            raise DataError(
                "Input X contains infinity or a value too large for dtype('float64'), "
                f"first in column {column.name!r} at row {row}."
            )


def _finite(column: Column) -> Column:
    if column.is_finite:
        return column
    return replace(column, values=np.clip(column.values, -_LARGEST, _LARGEST), source=None)


def _with_completeness(column: Column) -> Column:
    is_complete = not column.is_missing.any()
    if column.feature.complete == is_complete:
        return column
    return Column(
        replace(column.feature, complete=is_complete),
        column.values,
        column.source,
        column.number_type,
        column.missing_kinds,
    )


def _plain_name(name: str) -> str:
    return str(name) if isinstance(name, str) else name


def _renamed(columns: list[Column], names: list[str]) -> list[Column]:
    if len(names) != len(columns):
        raise DataError(f"There are {len(names)} feature names for {len(columns)} columns.")
    return [
        replace(column, feature=replace(column.feature, name=name))
        for name, column in zip(names, columns, strict=True)
    ]
