"""Class labels: codes of declared classes that behave like a one-dimensional array."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from sightline.exceptions import DataError
from sightline.table._cells import encode_cells, encode_declared
from sightline.table._column import row_selection
from sightline.table._frames import declared_values, is_series, series_of
from sightline.wording import list_names, pluralize

__all__ = ["Labels"]

_MAX_CLASSES = 5


@dataclass(frozen=True, eq=False)
class Labels:
    """Labels of rows, each a declared class or missing.

    The functions of scikit-learn accept it as ``y``.

    Parameters
    ----------
    codes : ndarray of shape (n_rows,), int32
        Indices of the labels among the classes, -1 where missing.
    classes_ : ndarray of shape (n_classes,)
        Declared classes in declared order, also those without a row.

    Examples
    --------
    >>> labels = Labels.from_any(["no", "yes", "no"])
    >>> labels.classes_
    array(['no', 'yes'], dtype='<U3')
    >>> labels.codes
    array([0, 1, 0], dtype=int32)
    >>> np.asarray(labels[1:])
    array(['yes', 'no'], dtype='<U3')
    """

    codes: NDArray[np.int32]
    classes_: NDArray[Any]

    @classmethod
    def from_any(cls, y: object) -> "Labels":
        """Take labels from an array, list, series or `Labels`.

        Categorical series keep their declared categories. Otherwise the classes are the sorted
        distinct labels.

        Raises
        ------
        DataError
            If y is empty or not one-dimensional, or if labels are missing, of different types or
            not discrete.
        """
        if isinstance(y, Labels):
            labels = y
        elif is_series(y):
            labels = _labels_of_series(series_of(y))
        else:
            labels = _labels_of_array(y)
        labels.check_known()
        return labels

    def check_known(self) -> None:
        """Raise if there are no labels or some are missing."""
        if not len(self):
            raise DataError(
                "Found array with 0 sample(s) (shape=(0,)) while a minimum of 1 is required: y is empty."
            )
        missing = np.flatnonzero(self.codes < 0)
        if missing.size:
            raise DataError(
                f"y has {pluralize(missing.size, 'missing label')} (None or NaN), the first at row "
                f"{missing[0]}. Remove these rows or label them."
            )

    def recoded(self, classes: NDArray[Any], owner: str) -> "Labels":
        """Return the same labels with the codes of other classes.

        Parameters
        ----------
        classes : ndarray of shape (n_classes,)
            The other classes. Every label must be one of them.
        owner : str
            Whose classes these are, for the error message.

        Raises
        ------
        DataError
            If a label is not among them. The message says which and where.

        Examples
        --------
        >>> Labels.from_any(["b", "b"]).recoded(np.array(["a", "b"]), "the ensemble").codes
        array([1, 1], dtype=int32)
        """
        code_of = {value: code for code, value in enumerate(classes.tolist())}
        recode = np.array([code_of.get(value, -1) for value in self.classes_.tolist()], dtype=np.int32)
        codes = recode[self.codes]
        if (codes < 0).any():
            row = int((codes < 0).argmax())
            unknown = self.classes_.tolist()[self.codes[row]]
            raise DataError(
                f"y has the label {unknown!r} (first at row {row}), which {owner} does not know. "
                f"Its classes are {_shown(classes)}."
            )
        return Labels(codes, classes)

    @property
    def shape(self) -> tuple[int]:
        """Number of labels, as a tuple."""
        return (len(self.codes),)

    @property
    def ndim(self) -> int:
        """Always 1."""
        return 1

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the classes."""
        return self.classes_.dtype

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Any) -> Any:
        codes = self.codes[row_selection(rows)]
        if isinstance(codes, np.ndarray):
            return Labels(codes, self.classes_)
        return None if codes < 0 else self.classes_[codes]

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        if len(self.codes) and self.codes.min() < 0:
            # The code -1 of missing labels finds the last entry.
            labels = np.array([*self.classes_.tolist(), None], dtype=object)[self.codes]
        else:
            labels = self.classes_[self.codes]
        return labels if dtype is None else labels.astype(dtype)

    def __repr__(self) -> str:
        n_missing = int(np.count_nonzero(self.codes < 0))
        classes = pluralize(len(self.classes_), "class", "classes")
        missing = f", {n_missing:,} missing" if n_missing else ""
        return f"<Labels: {len(self) - n_missing:,} of the {classes} {_shown(self.classes_)}{missing}>"


def _shown(classes: NDArray[Any]) -> str:
    return list_names([repr(value) for value in classes.tolist()], _MAX_CLASSES)


def _labels_of_series(series: Any) -> Labels:
    declared = declared_values(series)
    if declared is not None:
        return Labels(encode_declared(series.to_list(), declared), _class_array(declared))
    if series.is_null().any():
        return _labels_of_cells(series.to_list(), object)
    return _labels_of_array(series.to_numpy())


def _class_array(values: list[object]) -> NDArray[Any]:
    # Objects where types differ, because numpy would turn [1, "a"] into strings.
    is_mixed = len({isinstance(value, str) for value in values}) > 1
    return np.array(values, dtype=object if is_mixed else None)


def _labels_of_array(y: Any) -> Labels:
    is_array = hasattr(y, "dtype") or hasattr(y, "__array__")
    # Lists as objects first: numpy would turn [1, "a"] into strings, and cannot use [1, None].
    labels = np.asarray(y) if is_array else np.array(y, dtype=object)
    if labels.dtype.kind == "c":
        raise DataError("Complex data not supported as labels.")
    try:
        labels = column_or_1d(labels, warn=True)
    except ValueError as error:
        raise DataError(str(error)) from error
    if labels.dtype.kind == "O":
        return _labels_of_cells(labels.tolist(), object if is_array else None)
    if labels.dtype.kind in "fmM":
        is_known = ~np.isnan(labels)
        _check_discrete(labels[is_known])
    else:
        is_known = np.ones(len(labels), dtype=bool)
    classes, inverse = np.unique(labels[is_known], return_inverse=True)
    codes = np.full(len(labels), -1, dtype=np.int32)
    codes[is_known] = inverse
    return Labels(codes, classes)


def _labels_of_cells(cells: list[object], text_dtype: type | None) -> Labels:
    """Encode labels of unknown type. Strings become classes of ``text_dtype``."""
    encoded = encode_cells(cells, "y")
    is_natural = encoded.kind in ("numbers", "booleans", "nothing")
    classes = np.array(encoded.distinct, dtype=None if is_natural else text_dtype)
    _check_discrete(classes)
    return Labels(encoded.codes, classes)


def _check_discrete(labels: NDArray[Any]) -> None:
    if labels.dtype.kind != "f" or not labels.size:
        return
    if np.isinf(labels).any():
        raise DataError("Input y contains infinity or a value too large for dtype('float64').")
    try:
        check_classification_targets(labels)
    except ValueError as error:
        remedy = "To predict numbers use a regressor, such as DistilledTreeRegressor."
        raise DataError(f"{error} {remedy}") from error
