"""Pull the tests of an ensemble back through the preprocessing in front of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.exceptions import UnsupportedModelError
from sightline.load.pipeline._change_points import find_steps, refined
from sightline.load.pipeline._derived import Derived, FromCategories, FromNumbers, Unchanged
from sightline.model import MULTIWAY, SUBSET, Ensemble, recombined
from sightline.table import Feature, Schema, codes_of, rounded_numbers

_MAX_GROWTH = 50
"""Nodes per node of the ensemble at which a translation counts as failed. A test of numbers that passes
several intervals needs its branches several times."""

_AS_BEFORE = -1


def pull_back(ensemble: Ensemble, schema: Schema, columns: Sequence[Derived]) -> Ensemble:
    """Rewrite an ensemble over the columns that its own columns were made from.

    Parameters
    ----------
    ensemble : Ensemble
        The ensemble behind the preprocessing.
    schema : Schema
        The columns in front of it.
    columns : sequence of Derived
        How each column of the ensemble is made from one of the schema.

    Returns
    -------
    Ensemble
        It gives for every row in front what the ensemble gives for the row behind.

    Raises
    ------
    UnsupportedModelError
        If a test has no equivalent, or the trees become too large.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from sightline.load import load
    >>> from sightline.table import Feature
    >>> behind = load(DecisionTreeClassifier().fit([[0.0], [2.0]], ["no", "yes"]))
    >>> doubled = FromNumbers.elementwise(0, lambda x: 2 * x)
    >>> front = pull_back(behind, Schema((Feature("x"),)), [doubled])
    >>> front.predict([[0.5], [0.6]]).tolist()
    ['no', 'yes']
    """
    core = ensemble.core
    tested = _core.TestedTrees(core.trees)
    tests = _Translation(tested, ensemble.schema, schema, columns).run()
    try:
        trees = tested.retested(
            n_values=schema.n_values,
            feature=tests.feature,
            first_branch=tests.first_branch,
            bound_begin=tests.bound_begin,
            bound=tests.bound,
            category_begin=tests.category_begin,
            category=tests.category,
            missing=tests.missing,
            max_nodes=_MAX_GROWTH * core.n_nodes + 1000,
        )
    except ValueError as error:
        jagged = schema.names[tests.feature[np.diff(tests.bound_begin).argmax()]]
        raise UnsupportedModelError(
            f"The preprocessing of {jagged!r} cannot be undone: {error}, because one test becomes very "
            "many tests of this column.",
            "sl.BlackBox takes any model.",
        ) from error
    return ensemble.replaced(core=recombined(core, trees), schema=schema)


@dataclass(frozen=True)
class _Tests:
    """What replaces each distinct test, as ``_core.TestedTrees.retested`` takes it."""

    feature: NDArray[np.int32]
    first_branch: NDArray[np.int8]
    bound_begin: NDArray[np.int64]
    bound: NDArray[np.float64]
    category_begin: NDArray[np.int64]
    category: NDArray[np.int32]
    missing: NDArray[np.int8]


class _Translation:
    def __init__(
        self, tested: _core.TestedTrees, behind: Schema, front: Schema, columns: Sequence[Derived]
    ) -> None:
        self.behind = behind
        self.front = front
        self.columns = columns
        self.kind = tested.kind
        self.column = tested.feature.astype(np.intp)
        self.threshold = tested.threshold
        self.own_missing = tested.missing
        self.category_begin = tested.category_begin
        self.category = tested.category
        n_tests = len(self.column)
        self.feature = np.zeros(n_tests, dtype=np.int32)
        self.first_branch = np.zeros(n_tests, dtype=np.int8)
        self.missing = self.own_missing.copy()
        self.bounds = _Lists(n_tests, np.float64)
        self.listed = _Lists(n_tests, np.int32)

    def run(self) -> _Tests:
        self._refuse_many_branches()
        from_numbers = []
        for column in np.unique(self.column).tolist():
            derived = self.columns[column]
            tests = np.flatnonzero(self.column == column)
            match derived:
                case Unchanged():
                    self._copy(tests, derived)
                case FromCategories():
                    self._translate_categories(tests, derived)
                case FromNumbers():
                    from_numbers.append(tests)
        if from_numbers:
            self._translate_numbers(np.concatenate(from_numbers))
        return _Tests(
            self.feature, self.first_branch, *self.bounds.joined(), *self.listed.joined(), self.missing
        )

    def _refuse_many_branches(self) -> None:
        for test in np.flatnonzero(self.kind == MULTIWAY).tolist():
            raise UnsupportedModelError(
                f"The model's trees have one branch per value of column {self._feature_behind(test).name!r}, "
                "and cannot be rewritten for the columns before preprocessing. Fit the model with "
                "binary_splits=True.",
                "Or use sl.BlackBox, which takes any model.",
            )

    def _feature_behind(self, test: int) -> Feature:
        return self.behind.features[int(self.column[test])]

    def _left_codes(self, test: int) -> NDArray[np.int32]:
        return self.category[self.category_begin[test] : self.category_begin[test + 1]]

    def _goes_left(self, test: int, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Evaluate one test; NaN, and -1 for a category, is missing."""
        if self.kind[test] == SUBSET:
            is_left, is_missing = np.isin(values, self._left_codes(test)), values < 0
        else:
            is_left, is_missing = values <= self.threshold[test], np.isnan(values)
        if is_missing.any():
            is_left = np.where(is_missing, self._missing_goes_left(test), is_left)
        return np.asarray(is_left)

    def _missing_goes_left(self, test: int) -> bool:
        if self.own_missing[test] == _AS_BEFORE:
            raise UnsupportedModelError(
                f"The preprocessing makes values of column {self._feature_behind(test).name!r} missing, "
                "and the model's trees follow several branches for missing values."
            )
        return bool(self.own_missing[test] == 0)

    def _copy(self, tests: NDArray[np.intp], derived: Unchanged) -> None:
        self.feature[tests] = derived.source
        self.bounds.add(tests, np.ones_like(tests), self.threshold[tests])
        if not np.isnan(derived.missing):
            self.missing[tests] = derived.missing > self.threshold[tests]

    def _translate_categories(self, tests: NDArray[np.intp], derived: FromCategories) -> None:
        self.feature[tests] = derived.source
        values = np.asarray(derived.values, dtype=np.float64)
        is_missing_behind = (
            values[-1] < 0 if self.behind.n_values[self.column[tests[0]]] else np.isnan(values[-1])
        )
        for test in tests.tolist():
            is_left = self._goes_left(test, values[:-1])
            if not is_missing_behind:
                self.missing[test] = 0 if self._goes_left(test, values[-1:])[0] else 1
            lists_left = 2 * is_left.sum() <= len(is_left)
            self.first_branch[test] = 0 if lists_left else 1
            listed = np.flatnonzero(is_left == lists_left)
            self.listed.add(np.array([test]), np.array([len(listed)]), listed)

    def _translate_numbers(self, tests: NDArray[np.intp]) -> None:
        used, position = np.unique(self.column[tests], return_inverse=True)
        columns = [self._prepared(column) for column in used.tolist()]
        is_subset = self.kind[tests] == SUBSET
        has_subsets = bool(is_subset.any())

        def outcome(which: NDArray[np.intp], values: NDArray[np.float64]) -> NDArray[np.bool_]:
            chosen = tests[which]
            is_missing = np.isnan(values)
            is_left = np.where(is_missing, self.own_missing[chosen] == 0, values <= self.threshold[chosen])
            if is_missing.any():
                for test in np.unique(chosen[is_missing]).tolist():
                    self._missing_goes_left(test)
            for test in np.unique(which[is_subset[which]]).tolist() if has_subsets else ():
                here = which == test
                is_left[here] = self._goes_left(tests[test], values[here])
            return is_left

        thresholds = np.where(is_subset, np.nan, self.threshold[tests])
        steps = find_steps(columns, position, outcome, thresholds)
        self.feature[tests] = np.array([made.source for made in columns])[position]
        self.first_branch[tests] = ~steps.first
        self.bounds.add(tests, np.diff(steps.begin), steps.bound)
        missing = np.array([made.missing for made in columns])[position]
        is_known = np.where(is_subset, missing >= 0, ~np.isnan(missing))
        plain = is_known & ~is_subset
        self.missing[tests[plain]] = missing[plain] > self.threshold[tests[plain]]
        for index in np.flatnonzero(is_known & is_subset).tolist():
            is_left = self._goes_left(tests[index], missing[index : index + 1])[0]
            self.missing[tests[index]] = 0 if is_left else 1

    def _prepared(self, column: int) -> FromNumbers:
        """Return a column of numbers as the model tests it: codes, if it is nominal for the model."""
        made = self.columns[column]
        assert isinstance(made, FromNumbers)
        feature = self.behind.features[column]
        return made if feature.categories is None else _as_codes(made, feature)


def _as_codes(made: FromNumbers, feature: Feature) -> FromNumbers:
    """Return the codes that a nominal feature of the model gives to the numbers of a column."""

    def rounded(numbers: Mapping[int, NDArray[np.float64]]) -> NDArray[np.float64]:
        return rounded_numbers(made.evaluate(numbers)[:, [made.index]], feature)

    def codes(numbers: Mapping[int, NDArray[np.float64]]) -> NDArray[np.float64]:
        return codes_of(rounded(numbers)[:, 0].tolist(), feature).astype(np.float64)[:, np.newaxis]

    listed = [float(value) for value in feature.categories or () if isinstance(value, int | float)]
    turning = refined(replace(made, evaluate=rounded, index=0), listed)
    missing = float(codes_of([made.missing], feature)[0])
    return replace(turning, evaluate=codes, missing=missing)


class _Lists:
    """Lists of numbers, at most one per test, collected in any order."""

    def __init__(self, n_tests: int, dtype: type) -> None:
        self.n_tests = n_tests
        self.dtype = dtype
        self.tests = [np.empty(0, dtype=np.intp)]
        self.lengths = [np.empty(0, dtype=np.intp)]
        self.values: list[NDArray[Any]] = [np.empty(0, dtype=dtype)]

    def add(self, tests: NDArray[np.intp], lengths: NDArray[Any], values: NDArray[Any]) -> None:
        """Add the lists of some tests, one behind the other."""
        self.tests.append(tests)
        self.lengths.append(lengths)
        self.values.append(values)

    def joined(self) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Return where the list of each test begins, and all lists in the order of the tests."""
        tests, lengths = np.concatenate(self.tests), np.concatenate(self.lengths)
        begin = np.zeros(self.n_tests + 1, dtype=np.int64)
        begin[tests + 1] = lengths
        begin = begin.cumsum()
        # Entry i of a list that begins at `start` in the order of collection moves to that of its test.
        start = lengths.cumsum() - lengths
        index = np.arange(lengths.sum()) + np.repeat(begin[tests] - start, lengths)
        values: NDArray[Any] = np.empty(len(index), dtype=self.dtype)
        values[index] = np.concatenate(self.values)
        return begin, values
