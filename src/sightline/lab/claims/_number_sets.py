"""The data sets of the experiment on regression: files, scikit-learn's own, and generated rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    make_friedman1,
    make_friedman2,
    make_friedman3,
)

from sightline.lab._data_set import DataSet, DataSource, LoadedSet
from sightline.table import Numbers, Table, read_file

N_GENERATED = 1000
Rows = tuple[NDArray[np.float64], NDArray[np.float64]]

CHOSEN_ON = (
    "a numeric column of adult, autos, credit-g, glass, heart-statlog, heloc, ionosphere, letter, "
    "liver-disorders, page-blocks, segment, sonar, vehicle, wine and yeast as the target, and 13 kinds of "
    "generated rows: steps, piecewise planes, products of signs, counts, heavy tails, rare amounts, skewed "
    "columns, collinear columns, columns of noise, categories, missing values, 60 rows, and 500 columns"
)
"""The constants of DistilledTreeRegressor, and the trial of artificial rows, were chosen on these."""


@dataclass(frozen=True)
class NumberFile:
    """A file whose last attribute is the number to predict."""

    name: str

    def read(self, folder: Path) -> LoadedSet:
        """Return the rows and their numbers."""
        table = read_file(DataSet(self.name).path(folder))
        return LoadedSet(self.name, table.X, Numbers.from_any(table.y))


@dataclass(frozen=True)
class Made:
    """Rows from a function: generated, or those that scikit-learn brings."""

    name: str
    make: Callable[[], Rows]

    def read(self, folder: Path) -> LoadedSet:  # noqa: ARG002 - there is no file
        """Return the rows and their numbers."""
        X, y = self.make()
        return LoadedSet(self.name, Table.from_any(X), Numbers.from_any(y))


def _diabetes() -> Rows:
    X, y = load_diabetes(return_X_y=True)
    return X, y


def _smoothness() -> Rows:
    """Predict the smoothness of tumors from 29 other, collinear measurements."""
    X, _ = load_breast_cancer(return_X_y=True)
    return np.delete(X, 4, axis=1), X[:, 4]


def _friedman(make: Callable[..., Rows], noise: float) -> Callable[[], Rows]:
    def rows() -> Rows:
        return make(n_samples=N_GENERATED, noise=noise, random_state=0)

    return rows


def _planes() -> Rows:
    """Two planes that a third column chooses between (Breiman et al. 1984)."""
    random = np.random.default_rng(0)
    X = random.integers(-1, 2, (N_GENERATED, 10)).astype(np.float64)
    X[:, 0] = random.choice([-1.0, 1.0], N_GENERATED)
    first = 3 + 3 * X[:, 1] + 2 * X[:, 2] + X[:, 3]
    second = -3 + 3 * X[:, 4] + 2 * X[:, 5] + X[:, 6]
    return X, np.where(X[:, 0] > 0, first, second) + random.normal(size=N_GENERATED)


def _severity() -> Rows:
    """Amounts with a heavy tail, from skewed columns and columns of noise."""
    random = np.random.default_rng(0)
    X = random.gamma(2.0, size=(N_GENERATED, 12))
    mean = np.exp(0.4 * X[:, 0] + 0.5 * (X[:, 1] > 2) * X[:, 2])
    return X, mean * random.pareto(3.0, N_GENERATED) + mean


def _gaps() -> Rows:
    """Categories in codes, waves and steps, with a tenth of the cells missing."""
    random = np.random.default_rng(0)
    town = random.integers(0, 30, N_GENERATED)
    X = np.column_stack([town, random.integers(0, 5, N_GENERATED), random.normal(size=(N_GENERATED, 4))])
    effect = random.normal(size=30)[town]
    y = 1.5 * effect + np.sin(2 * X[:, 2]) + (X[:, 3] > 0.5) * X[:, 1] + 0.2 * random.normal(size=N_GENERATED)
    X[random.random(X.shape) < 0.1] = np.nan
    return X, y


def _wide() -> Rows:
    """150 rows of 300 columns."""
    random = np.random.default_rng(0)
    X = random.normal(size=(150, 300))
    return X, X[:, 0] + np.abs(X[:, 1]) + X[:, 2] * (X[:, 3] > 0) + 0.3 * random.normal(size=150)


SETS: tuple[DataSource, ...] = (
    *(NumberFile(name) for name in ("abalone", "autoMpg", "cpu")),
    Made("diabetes", _diabetes),
    Made("smoothness", _smoothness),
    Made("friedman1", _friedman(make_friedman1, 1.0)),
    Made("friedman2", _friedman(make_friedman2, 100.0)),
    Made("friedman3", _friedman(make_friedman3, 0.1)),
    Made("planes", _planes),
    Made("severity", _severity),
    Made("gaps", _gaps),
    Made("wide", _wide),
)
"""No constant was chosen on these."""
