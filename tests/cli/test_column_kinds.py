"""--categorical, --numeric and --id: what the user says about columns."""

import numpy as np
import pytest

import sightline as sl
from sightline.cli._data import read_split
from sightline.cli._options import ColumnOptions, FileOptions
from sightline.exceptions import ParameterError


@pytest.fixture
def path(tmp_path):
    drawn = np.random.default_rng(0)
    rows = [
        f"K{1000 + row},{drawn.integers(3)},{'n.a.' if row % 7 == 0 else drawn.integers(100)},"
        f"{'yes' if row % 3 else 'no'}"
        for row in range(60)
    ]
    file = tmp_path / "rows.csv"
    file.write_text("\n".join(["account,branch,score,good", *rows]))
    return file


def read(path, **options):
    return read_split(path, "good", 0.25, 0, None, FileOptions(**options), ColumnOptions())


def test_a_dropped_identifier_names_the_rows(path):
    split = read(path)
    assert "account" not in split.train.names
    assert split.train.row_names.name == "account"
    named = {split.train.row_name(row) for row in range(split.train.n_rows)}
    assert len(named) == split.train.n_rows
    assert all(name.startswith("K10") for name in named)


def test_kinds_that_the_user_gives(path):
    split = read(path, categorical=["branch"], numeric=["score"], id_column="account")
    assert split.train["branch"].feature.categories == (0, 1, 2)
    assert not split.train["score"].feature.is_nominal
    assert split.train.row_names.name == "account"
    assert not split.dropped


def test_one_column_has_one_kind(path):
    with pytest.raises(ParameterError, match=r"declared as --categorical and as --numeric."):
        read(path, categorical=["score"], numeric=["score"])


def test_a_column_that_a_given_model_uses_cannot_be_dropped(path):
    rows = read(path).train
    model = sl.BaggedTreesClassifier(n_trees=2, random_state=0).fit(rows.X, rows.y).ensemble_
    with pytest.raises(ParameterError, match=r"which the model uses\. .* use --exclude instead of --drop\.$"):
        read_split(path, "good", 0.25, 0, model, FileOptions(), ColumnOptions(drop=["branch"]))
    split = read_split(path, "good", 0.25, 0, model, FileOptions(), ColumnOptions(drop=["account"]))
    assert split.train.row_names.name == "account"
