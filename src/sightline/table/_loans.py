"""A synthetic table of loans for examples. No row is about a real person."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from sightline.exceptions import ParameterError
from sightline.table._column import Column
from sightline.table._labels import Labels
from sightline.table._schema import Feature
from sightline.table._table import Table

__all__ = ["make_loans"]

DURATIONS = (6.0, 12.0, 18.0, 24.0, 36.0, 48.0, 60.0)
# Sorted, as when read from a file.
PURPOSES = ("business", "car", "education", "furniture", "holiday")
HOUSING = ("own", "rent", "with family")
CHECKING = ("high", "low", "none", "overdrawn")


def make_loans(n_rows: int = 2000, *, random_state: Any = 0) -> Table:
    """Make a synthetic table of loans with numbers, categories and missing values.

    Whether a loan fails depends on thresholds and combinations that a tree can find, and on
    chance.

    Parameters
    ----------
    n_rows : int, default=2000
        Number of loans.
    random_state : int, RandomState or None, default=0
        Seed for the rows. The same seed gives the same table.

    Returns
    -------
    Table
        Ten columns, and in ``y`` whether the loan failed: "yes" or "no".

    Examples
    --------
    >>> import sightline as sl
    >>> loans = sl.make_loans()
    >>> loans
    <Table 'loans (synthetic)': 2,000 rows; 6 numeric, 4 nominal; target 'default' of 2 classes>
    >>> loans[0]["purpose"]
    'holiday'
    """
    if n_rows < 1:
        raise ParameterError(
            f"The 'n_rows' parameter of make_loans must be positive. Got {n_rows!r} instead."
        )
    random = check_random_state(random_state)
    age = np.clip(np.round(random.gamma(6.0, 5.0, n_rows) + 19), 19, 78)
    employed = np.clip(np.round(random.uniform(0, 1, n_rows) * (age - 18) * 0.8, 1), 0, 45)
    income = np.round(np.exp(random.normal(7.6, 0.45, n_rows)) + 30 * np.minimum(employed, 15), -1)
    duration = random.choice(DURATIONS, n_rows, p=[0.1, 0.22, 0.16, 0.24, 0.16, 0.08, 0.04])
    amount = np.round(np.exp(random.normal(7.9, 0.7, n_rows)) * (0.6 + duration / 40), -1)
    other_loans = random.choice([0.0, 1.0, 2.0, 3.0], n_rows, p=[0.55, 0.28, 0.12, 0.05])
    purpose = random.choice(len(PURPOSES), n_rows, p=[0.18, 0.34, 0.12, 0.24, 0.12])
    housing = random.choice(len(HOUSING), n_rows, p=[0.45, 0.4, 0.15])
    checking = random.choice(len(CHECKING), n_rows, p=[0.18, 0.3, 0.3, 0.22])
    guarantor = random.choice(2, n_rows, p=[0.88, 0.12])
    burden = amount / duration / income
    risk = (
        -1.5
        + 2.2 * (checking == CHECKING.index("overdrawn"))
        - 1.3 * (checking == CHECKING.index("high"))
        + 1.7 * (burden > 0.12)
        + 1.1 * ((duration > 24) & (employed < 3))
        + 0.9 * ((purpose == PURPOSES.index("business")) & (age < 30))
        + 0.8 * (purpose == PURPOSES.index("holiday"))
        + 0.7 * (other_loans >= 2)
        - 0.8 * (housing == HOUSING.index("own"))
        - 1.6 * (guarantor == 1)
    )
    failed = random.uniform(0, 1, n_rows) < 1 / (1 + np.exp(-2.2 * risk))
    employed[random.uniform(0, 1, n_rows) < 0.08] = np.nan
    income[random.uniform(0, 1, n_rows) < 0.04] = np.nan
    checking[random.uniform(0, 1, n_rows) < 0.05] = -1
    columns = [
        _numbers("age", age),
        _numbers("income", income),
        _numbers("years employed", employed),
        _numbers("amount", amount),
        _numbers("duration", duration),
        _numbers("other loans", other_loans),
        _values("purpose", purpose, PURPOSES),
        _values("housing", housing, HOUSING),
        _values("checking account", checking, CHECKING),
        _values("guarantor", guarantor, ("no", "yes")),
    ]
    target = Labels(failed.astype(np.int32), np.array(["no", "yes"]))
    return Table(columns, target, name="loans (synthetic)", target_name="default")


def _numbers(name: str, values: NDArray[Any]) -> Column:
    return Column(Feature(name), values.astype(np.float64))


def _values(name: str, codes: NDArray[Any], values: tuple[str, ...]) -> Column:
    return Column(Feature(name, values), codes.astype(np.int32))
