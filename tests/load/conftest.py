import numpy as np
import pytest
from cases import thorough_after
from threadpoolctl import threadpool_limits


@pytest.fixture(scope="session", autouse=True)
def _one_thread():
    """Keep histogram-based models from starting threads for a few rows; they would only wait."""
    with threadpool_limits(1):
        yield


class Problem:
    """A table of numbers with labels of any kind, a number to predict, and row weights."""

    def __init__(self, seed, n_rows=160, n_features=5):
        rng = np.random.default_rng(seed)
        # Few different values in some columns, so that thresholds and rows coincide.
        self.X = rng.normal(size=(n_rows, n_features))
        self.X[:, 2] = np.round(self.X[:, 2], 1)
        self.X[:, 3] = rng.integers(-3, 4, size=n_rows)
        self.number = self.X[:, 0] + self.X[:, 1] * self.X[:, 2] + 0.3 * rng.normal(size=n_rows)
        self.weight = rng.integers(1, 4, size=n_rows) * 0.7
        self.rows = np.concatenate([self.X, rng.normal(scale=2, size=(n_rows, n_features))])

    def labels(self, values):
        """Cut the number into as many classes as there are values."""
        cuts = np.quantile(self.number, np.linspace(0, 1, len(values) + 1)[1:-1])
        return np.asarray(values)[np.digitize(self.number, cuts)]

    def holes(self, table, seed=0, share=0.2):
        """Return a copy of a table with missing values."""
        result = table.copy()
        result[np.random.default_rng(seed).random(table.shape) < share] = np.nan
        return result


@pytest.fixture(params=thorough_after(1, range(3)))
def problem(request):
    return Problem(request.param)


@pytest.fixture(
    params=[[False, True], ["no", "yes"], [7, 1, 4], ["c", "a", "", "b"]],
    ids=["bool", "two strings", "three ints", "four strings"],
)
def values(request):
    return request.param
