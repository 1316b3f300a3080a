"""Rows that are unlike those of training: categories that the model does not know."""

import warnings

import numpy as np
import pandas as pd
import pytest

import sightline as sl
from sightline.cli._app import run

N_ROWS = 200
RANDOM = np.random.default_rng(0)
X = pd.DataFrame(
    {
        "city": RANDOM.choice(["Rome", "Oslo", "Bern"], N_ROWS),
        "age": RANDOM.integers(20, 90, N_ROWS),
        "unused": RANDOM.choice(["a", "b"], N_ROWS),
    }
)
Y = np.where((X["city"] == "Oslo") | (X["age"] > 80), "yes", "no")
UPPER = X.assign(city=X["city"].str.upper(), unused="c")
NOTE = (
    "Column 'city' is 'BERN', 'OSLO' and 'ROME' in 200 rows, which the model does not know. They count as "
    "missing. The model knows 'Bern', 'Oslo' and 'Rome'."
)


@pytest.fixture(scope="module")
def tree():
    return sl.C45Classifier().fit(X, Y)


@pytest.mark.parametrize(
    "ask",
    [sl.measure, lambda *given: sl.report(*given, sizes=())],
    ids=["measure", "report"],
)
def test_unknown_categories_of_a_tested_column_are_told(tree, ask):
    """The command told, Python did not."""
    with pytest.warns(sl.DataWarning) as caught:
        found = ask(tree, UPPER, Y)
    assert [str(one.message) for one in caught] == [NOTE]
    assert caught[0].filename == __file__
    if hasattr(found, "to_html"):
        assert NOTE in found.to_text()


def test_a_column_that_only_the_ensemble_tests(tree):
    small = sl.C45Classifier().fit(X, np.where(X["age"] > 50, "yes", "no"))
    with pytest.warns(sl.DataWarning, match="is 'BERN', 'OSLO' and 'ROME' in 200 rows"):
        sl.measure(small, UPPER, Y, ensemble=tree)


@pytest.mark.parametrize(
    "rows",
    [
        X,
        X.assign(unused="c"),
        X.assign(city=np.where(np.arange(N_ROWS) < 9, "Lima", X["city"])),
        X[:20].assign(city=np.where(np.arange(20) < 4, "Lima", X["city"][:20])),
        X.assign(city=np.where(np.arange(N_ROWS) < 50, None, X["city"])),
    ],
    ids=["the same", "untested", "below 5%", "four rows", "missing"],
)
def test_no_reason_to_warn(tree, rows):
    sl.measure(tree, rows, Y[: len(rows)])


def test_the_command_tells_it_once(tree, tmp_path, capsys):
    tree.to_json(tmp_path / "tree.json")
    UPPER.assign(y=Y).to_csv(tmp_path / "rows.csv", index=False)
    model, data, page = (str(tmp_path / name) for name in ("tree.json", "rows.csv", "page.html"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run(["report", model, "-d", data, "-t", "y", "-o", page]) == 0
    printed = capsys.readouterr()
    assert (printed.out + printed.err).count(NOTE) == 1
