import numpy as np
import pytest

import sightline as sl


def test_loans_have_all_kinds_of_columns():
    loans = sl.make_loans(500)
    assert loans.n_rows == 500
    assert {column.feature.is_nominal for column in loans.columns} == {True, False}
    assert any(column.is_missing.any() for column in loans.columns)
    assert 0.1 < (np.asarray(loans.y) == "yes").mean() < 0.5
    assert "synthetic" in loans.name


def test_same_seed_same_loans():
    first, second = sl.make_loans(50, random_state=3), sl.make_loans(50, random_state=3)
    assert [first[row] for row in range(50)] == [second[row] for row in range(50)]
    assert first[0] != sl.make_loans(50, random_state=4)[0]


def test_number_of_rows_is_checked():
    with pytest.raises(sl.ParameterError) as error:
        sl.make_loans(0)
    assert str(error.value) == "The 'n_rows' parameter of make_loans must be positive. Got 0 instead."
